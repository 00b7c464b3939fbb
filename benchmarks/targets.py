"""What the project promises, and whether a run kept it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Target:
    """A measured number and its limit.

    Attributes
    ----------
    what : str
        What was measured.
    measured, limit : float
        In the same unit.
    at_least : bool
        Whether more is better.
    unit : str
        Stands behind both numbers.
    nanoseconds : float or None
        What one item took, where that is known.
    peers : mapping of str to float
        How many times as long each of the others took.
    """

    what: str
    measured: float
    limit: float
    at_least: bool = False
    unit: str = "x"
    nanoseconds: float | None = None
    peers: Mapping[str, float] = field(default_factory=dict)

    @property
    def kept(self) -> bool:
        """Whether the measured number is within its limit."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    @property
    def promise(self) -> str:
        """The limit in words."""
        return f"{'>=' if self.at_least else '<='} {self.limit:g}{self.unit}"


def report(targets: list[Target], console: Console) -> int:
    """One row per target, and a last line that names those missed; 1 if there are any, else 0."""
    if not targets:
        return 0
    table = Table(title="Targets")
    for heading in ("target", "limit", "measured", ""):
        table.add_column(heading, justify="left" if heading == "target" else "right")
    for target in targets:
        verdict = "[green]pass[/green]" if target.kept else "[red]FAIL[/red]"
        table.add_row(target.what, target.promise, f"{target.measured:.4g}{target.unit}", verdict)
    console.print(table)
    missed = [target.what for target in targets if not target.kept]
    if not missed:
        console.print(f"All {len(targets)} targets are kept.")
        return 0
    console.print(
        f"Missed {len(missed)} of {len(targets)} targets: {'; '.join(missed)}.",
        style="red",
        soft_wrap=True,
    )
    return 1
