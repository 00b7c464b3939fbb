"""Tables of strangers, through the commands that read them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl

from fuzz.case import Case, Violation
from fuzz.command_line import command_violations, prepare_command_line
from fuzz.mutate import NUMBERS, TEXTS, mutated_bytes
from fuzz.targets.good_inputs import LABELS, made_files, table, written, zipped

_SCORE = ("--score", "score")
# Each with how often it is taken; compare is slow.
_COMMANDS: dict[tuple[str, ...], int] = {
    ("audit", "T", *LABELS, *_SCORE): 20,
    ("audit", "T", *LABELS, *_SCORE, "--json", "r.json", "--quiet"): 15,
    ("audit", "T", *LABELS, *_SCORE, "--group", "query", "--json", "-"): 8,
    ("audit", "T", *LABELS, *_SCORE, "--weight", "weight", "--by", "country", "--json", "-"): 5,
    ("audit", "T", "--threshold", "stars=3", *LABELS, *_SCORE, "--cluster", "id"): 5,
    ("audit", "T", *LABELS, *_SCORE, "--count", "weight", "--baseline", "old.json"): 5,
    ("audit", "T", *LABELS, *_SCORE, "--report", "r.html"): 1,
    ("audit", "-", *LABELS, *_SCORE): 4,
    ("sketch", "T", *LABELS, *_SCORE, "--out", "s.sketch"): 15,
    ("rank", "T", "--model", "model.isonomy", "--out", "o.csv", "--score-name", "s"): 10,
    ("rank", "T", "--model", "model.isonomy", "--out", "o.parquet", "--score-name", "s"): 4,
    ("rank", "T", "--model", "model.isonomy", "--out", "o.jsonl", "--top", "3"): 4,
    ("rank", "T", "--model", "model.isonomy", "--out", "-", "--sort", "--score-name", "s"): 4,
    ("fit", "T", *LABELS, "--method", "mean", "--no-tune", "--out", "m"): 4,
    ("fit", "T", *LABELS, "--method", "loss", "--no-tune", "--group", "query", "--out", "m"): 2,
    ("fit", "T", *LABELS, "--method", "soft", "--no-tune", "--text", "id", "--out", "m"): 1,
    ("blend", "T", *LABELS, "--scores", "x,score", "--json", "-"): 6,
    ("judge", "T", "--text", "id", "--model", "m", "--out", "o.csv", "--dry-run"): 4,
    (
        *("compare", "T", *LABELS, "--no-tune", "--family", "linear", "--folds", "2"),
        *("--repeats", "1", "--methods", "mean", "--json", "-", "--quiet"),
    ): 1,
}


class Tables:
    """CSV, TSV, JSON lines and Parquet, also with gzip."""

    name = "tables"
    seconds = 30.0

    def prepare(self) -> None:
        prepare_command_line()
        made_files()

    def make(self, random: Random) -> Case:
        words = random.choices(list(_COMMANDS), list(_COMMANDS.values()))[0]
        kind = random.choice(("csv", "csv", "csv", "tsv", "semicolon", "jsonl", "parquet"))
        content = _content(random, kind)
        if random.random() < 0.08:
            content = zipped(random, content)
            if random.random() < 0.5:
                content = mutated_bytes(random, content)
        name = f"t.{'csv' if kind == 'semicolon' else kind}"
        files = {name: content}
        # Others that the words name.
        files |= {each: made for each, made in made_files().items() if each in words}
        arguments = tuple(name if word == "T" else word for word in words)
        return Case(self.name, arguments, files)

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        return command_violations(case, folder)


def _content(random: Random, kind: str) -> bytes:
    frame = table(random.choice((1, 2, 3, 8, 20, 40)))
    how = random.random()
    if how < 0.3:
        # The last of it, and its header, stay what they are.
        return mutated_bytes(random, written(frame, kind))
    for _ in range(random.choice((1, 1, 2, 4))):
        frame = _spoiled(random, frame)
    content = written(frame, kind)
    return mutated_bytes(random, content) if how > 0.9 else content


def _spoiled(random: Random, frame: pl.DataFrame) -> pl.DataFrame:
    """A table with other cells, columns or names."""
    name = random.choice(frame.columns or ["x"])
    if name not in frame.columns:
        return frame
    rows, kind = frame.height, random.randrange(7)
    if kind == 0:
        column = [_cell(random) for _ in range(rows)]
        return frame.with_columns(pl.Series(name, column, pl.String))
    if kind == 1 and rows:
        column = frame[name].cast(pl.String).to_list()
        for _ in range(random.choice((1, 1, 3))):
            column[random.randrange(rows)] = _cell(random)
        return frame.with_columns(pl.Series(name, column, pl.String))
    if kind == 2:
        new = random.choice((*TEXTS, *NUMBERS))
        taken = new in frame.columns or not _encodable(new)
        return frame if taken else frame.rename({name: new})
    if kind == 3:
        return frame.drop(name)
    if kind == 4:
        one = random.choice((None, 0, 1, "0", "yes", True, 1.5, "", float("nan"), float("inf")))
        return frame.with_columns(pl.lit(one).alias(name))
    if kind == 5:
        numbers = [
            float(random.choice(("0", "1e200", "-1e308", "5e-324", "1e16"))) for _ in range(rows)
        ]
        return frame.with_columns(pl.Series(name, numbers, pl.Float64))
    return frame.head(random.randrange(rows + 1)) if rows else frame


def _cell(random: Random) -> str | None:
    found = random.choice((None, random.choice(NUMBERS), random.choice(TEXTS)))
    return found if found is None or _encodable(found) else "x"


def _encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
