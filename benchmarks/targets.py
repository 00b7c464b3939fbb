"""What the project promises, and whether a run kept it."""

from __future__ import annotations

from dataclasses import dataclass

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
    """

    what: str
    measured: float
    limit: float
    at_least: bool = False
    unit: str = "x"

    @property
    def kept(self) -> bool:
        """Whether the measured number is within its limit."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


def print_targets(targets: list[Target], console: Console) -> None:
    """One row per target."""
    table = Table(title="Targets")
    for heading in ("target", "limit", "measured", ""):
        table.add_column(heading, justify="left" if heading == "target" else "right")
    for target in targets:
        limit = f"{'>=' if target.at_least else '<='} {target.limit:g}{target.unit}"
        verdict = "[green]pass[/green]" if target.kept else "[red]FAIL[/red]"
        table.add_row(target.what, limit, f"{target.measured:.4g}{target.unit}", verdict)
    console.print(table)
