"""A result: what a script found, beside what the paper prints. Kept as JSON."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]
# Digits kept of numbers, beyond what anybody reads or any machine agrees on.
DIGITS, TRIAL_DIGITS = 9, 6


@dataclass(frozen=True)
class Result:
    """What a script found.

    `rows` are ours, `paper` what is printed, `trials` what means in `rows` are taken over, `made`
    what computed it.
    """

    name: str
    settings: Row
    rows: list[Row]
    paper: list[Row]
    seeds: list[int] = field(default_factory=list)
    trials: list[Row] = field(default_factory=list)
    versions: Row = field(default_factory=dict)
    made: Row = field(default_factory=dict)


def versions(*packages: str) -> Row:
    """Versions of Python and of what computes beside Isonomy."""
    names = ("numpy", "scipy", "scikit-learn", *packages)
    found = {name: importlib.metadata.version(name) for name in names if _installed(name)}
    return {"python": platform.python_version(), **found}


def save(result: Result, folder: Path = RESULTS) -> None:
    """Write the JSON in one step: it is whole or not there."""
    content = {key: value for key, value in asdict(result).items() if value or key != "trials"}
    if result.trials:
        # There are many, with nearly the same columns.
        columns = list(dict.fromkeys(column for row in result.trials for column in row))
        values = [[row.get(column) for column in columns] for row in result.trials]
        content["trials"] = [columns, *rounded(values, TRIAL_DIGITS)]
    write(folder / f"{result.name}.json", _laid_out(rounded(content)))


def load(name: str, folder: Path = RESULTS) -> Result | None:
    """The saved result; None if there is none."""
    path = folder / f"{name}.json"
    if not path.is_file():
        return None
    content = json.loads(path.read_text())
    columns, *values = content.pop("trials", [[]])
    trials = [dict(zip(columns, row, strict=True)) for row in values]
    return Result(**content, trials=trials)


def write(path: Path, content: str | bytes) -> None:
    """Replace a file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(content.encode() if isinstance(content, str) else content)
    part.replace(path)


def differences(
    committed: list[Row], fresh: list[Row], keys: tuple[str, ...], tolerance: float
) -> list[str]:
    """What is not as it was, in words. Every fresh row should be among the committed ones."""
    known = {tuple(row[key] for key in keys): row for row in committed}
    wrong = []
    for row in rounded(fresh):
        key = tuple(row[name] for name in keys)
        if key not in known:
            wrong.append(f"{key}: not among the committed rows")
            continue
        wrong += [
            f"{key}: {name} was {known[key].get(name)!r}, is {value!r}"
            for name, value in row.items()
            if not _same(known[key].get(name), value, tolerance)
        ]
    return wrong


def _same(old: Any, new: Any, tolerance: float) -> bool:
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return all(_same(a, b, tolerance) for a, b in zip(old, new, strict=True))
    numbers = [isinstance(x, int | float) and not isinstance(x, bool) for x in (old, new)]
    return math.isclose(old, new, rel_tol=0, abs_tol=tolerance) if all(numbers) else old == new


def rounded(value: Any, digits: int = DIGITS) -> Any:
    """As JSON keeps it."""
    if isinstance(value, dict):
        return {str(key): rounded(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item, digits) for item in value]
    if hasattr(value, "tolist"):
        return rounded(value.tolist(), digits)
    if isinstance(value, float):
        # JSON has no infinity: a text that float() reads.
        return round(value, digits) if math.isfinite(value) else str(value)
    return value


def _laid_out(content: Row) -> str:
    """One row a line, so that a change of one number is a change of one line."""
    parts = []
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            lines = ",\n".join(f"    {json.dumps(row)}" for row in value)
            parts.append(f'  "{key}": [\n{lines}\n  ]')
        else:
            parts.append(f'  "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
