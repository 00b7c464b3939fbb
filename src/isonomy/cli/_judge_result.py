"""What judges have said: columns of labels, what they cost, how far they agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from isonomy._core import FloatArray
from isonomy._infra import jsonable, short_names
from isonomy._judge import (
    Agreement,
    Answer,
    AnswerFile,
    Judge,
    Reading,
    Request,
    agreement,
    read_answer,
)
from isonomy._render import (
    Block,
    Cell,
    Column,
    Row,
    Sentences,
    Shown,
    Table,
    estimate_cell,
    name_cell,
)
from isonomy.cli._console import print_result, write_json
from isonomy.cli._errors import UserError
from isonomy.cli._judge_questions import Asked

# Of the JSON document.
VERSION = 1
LONGEST_NAME = 28
MOST_SHOWN = 60


@dataclass
class Spent:
    """Tokens so far, and what they cost where prices are known.

    Attributes
    ----------
    prices : tuple of float, or None
        For a million tokens in and out.
    """

    prices: tuple[float, float] | None = None
    tokens_in: int = 0
    tokens_out: int = 0

    @classmethod
    def parse(cls, price: str | None) -> Spent:
        """By `--price 0.15,0.60`."""
        if price is None:
            return cls()
        try:
            one, other = (float(part) for part in price.split(","))
        except ValueError:
            one = other = math.nan
        if not (0 <= one < math.inf and 0 <= other < math.inf):
            raise UserError(
                "--price should read IN,OUT for a million tokens each, such as 0.15,0.60. "
                f"Found {price!r}."
            )
        return cls((one, other))

    @property
    def cost(self) -> float | None:
        """In the currency of the prices."""
        if self.prices is None:
            return None
        return (self.tokens_in * self.prices[0] + self.tokens_out * self.prices[1]) / 1e6

    def add(self, tokens_in: int, tokens_out: int) -> None:
        """An answer's."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def told(self) -> str:
        """On a line.

        >>> Spent((0.15, 0.6), 1_000_000, 100_000).told()
        '1,000,000 tokens in, 100,000 out, cost 0.21'
        """
        cost = "" if self.cost is None else f", cost {self.cost:,.2f}"
        return f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out{cost}"


@dataclass(frozen=True, eq=False)
class Judged:
    """The labels that the answers give.

    Attributes
    ----------
    asked : list of Asked
        The questions, in the order of the columns.
    judges : list of Judge
        The labels of each question, and its scores.
    no_label : list of Counter
        Why rows have no label, by question.
    examples : list of str
        For each question an answer that is no label, as it came.
    """

    asked: list[Asked]
    judges: list[Judge]
    no_label: list[Counter[str]]
    examples: list[str]

    @classmethod
    def collect(
        cls,
        requests: Iterable[tuple[int, Asked, Request]],
        asked: list[Asked],
        n_rows: int,
        kept: AnswerFile,
        url: str,
    ) -> Judged:
        """Read every answer that is kept."""
        values = {each.column: np.full(n_rows, np.nan) for each in asked}
        reasons = {each.column: ["no text"] * n_rows for each in asked}
        examples: dict[str, str] = {}
        for row, each, request in requests:
            answer = kept.find(request.key, url)
            found = Reading(None, "no answer") if answer is None else reading(answer, each)
            reasons[each.column][row] = found.why_none
            if found.value is not None:
                values[each.column][row] = found.value
            elif answer is not None and answer.text.strip() not in ("", '{"label": null}'):
                examples.setdefault(each.column, answer.text)
        return cls(
            asked,
            [_judge(each, values[each.column]) for each in asked],
            [Counter(why for why in reasons[each.column] if why) for each in asked],
            [examples.get(each.column, "") for each in asked],
        )

    @property
    def without_labels(self) -> list[str]:
        """Columns in which no row has a label."""
        return [each.name for each in self.judges if np.isnan(each.labels).all()]

    @property
    def table(self) -> pl.DataFrame:
        """The new columns: labels 0, 1 and missing; scores where they were asked for."""
        columns = []
        for each, judge in zip(self.asked, self.judges, strict=True):
            labels = pl.Series(each.column, judge.labels).fill_nan(None)
            columns.append(labels.cast(pl.Int8))
            if each.score_column is not None:
                columns.append(pl.Series(each.score_column, judge.scores).fill_nan(None))
        return pl.DataFrame(columns)

    def agreements(self, people: list[tuple[str, pl.Series]]) -> list[Agreement]:
        """With people first, then of the judges among themselves."""
        found = []
        for about, labels in people:
            human = Judge(labels.name, np.asarray(labels.to_numpy(), np.float64))
            mine = [j for a, j in zip(self.asked, self.judges, strict=True) if a.about == about]
            found += [agreement(judge, human) for judge in mine]
        return found + [agreement(*pair) for pair in combinations(self.judges, 2)]


def reading(answer: Answer, asked: Asked) -> Reading:
    """What an answer says to a question."""
    return read_answer(answer.text, answer.finish, asked.question.scale)


def unclear(answer: Answer, asked: Asked) -> bool:
    """Whether it gives no label."""
    return reading(answer, asked).value is None


def _judge(asked: Asked, values: FloatArray) -> Judge:
    if asked.threshold is None:
        return Judge(asked.column, values)
    labels = np.where(np.isnan(values), np.nan, values >= asked.threshold)
    return Judge(asked.column, labels, values)


def print_judged(
    judged: Judged, people: list[tuple[str, pl.Series]], spent: Spent, json_path: str | None
) -> None:
    """What came out, and how far to trust it."""
    agreements = judged.agreements(people)
    if json_path is not None:
        write_json(jsonable(_document(judged, agreements, spent)), json_path)
    if json_path != "-":
        blocks: list[Block] = [_labels_table(judged), *_examples(judged)]
        blocks += [_agreement_table(agreements)] if agreements else []
        blocks.append(Sentences([f"This run took {spent.told()}."]))
        print_result(Shown(*blocks))


def _document(judged: Judged, agreements: list[Agreement], spent: Spent) -> dict[str, Any]:
    questions = [
        {
            "column": each.column,
            "model": each.question.model,
            "rows": judge.labels.size,
            "labelled": int((~np.isnan(judge.labels)).sum()),
            "positive": int((judge.labels == 1).sum()),
            "no_label": dict(why),
        }
        for each, judge, why in zip(judged.asked, judged.judges, judged.no_label, strict=True)
    ]
    return {
        "schema": "isonomy.judge",
        "schema_version": VERSION,
        "questions": questions,
        "agreements": agreements,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "cost": spent.cost,
    }


def _labels_table(judged: Judged) -> Table:
    short = short_names([each.column for each in judged.asked], LONGEST_NAME)
    rows = []
    for each, judge, why in zip(judged.asked, judged.judges, judged.no_label, strict=True):
        known = judge.labels[~np.isnan(judge.labels)]
        share = f"{known.mean():.1%}" if known.size else "-"
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in why.most_common())
        cells = [
            Cell(f"{known.size:,}"),
            Cell(share),
            Cell(f"{sum(why.values()):,}"),
            Cell(reasons),
        ]
        rows.append(Row([name_cell(each.column, short), *cells]))
    columns = [
        Column("label", names=True),
        Column("judged"),
        Column("positive"),
        Column("missing"),
        Column("why", names=True, give_way=1),
    ]
    return Table(columns, rows, "Labels")


def _examples(judged: Judged) -> list[Block]:
    """What a model said in place of a label; `repr` leaves nothing that could move a cursor."""
    lines = [
        f"{each.column}: a model said {example[:MOST_SHOWN]!r}, which is no label."
        for each, example in zip(judged.asked, judged.examples, strict=True)
        if example
    ]
    return [Sentences(lines)] if lines else []


def _agreement_table(agreements: list[Agreement]) -> Table:
    names = {name for each in agreements for name in (each.judge, each.reference)}
    short = short_names(sorted(names), LONGEST_NAME)
    rows = [
        Row(
            [
                name_cell(each.judge, short),
                name_cell(each.reference, short),
                Cell(f"{each.n_rows:,}"),
                Cell("-" if math.isnan(each.same) else f"{each.same:.1%}"),
                estimate_cell(each.kappa, each.kappa_low, each.kappa_high, "{:.2f}"),
                estimate_cell(each.auc, each.auc_low, each.auc_high),
            ]
        )
        for each in agreements
    ]
    columns = [
        Column("judge", names=True),
        Column("against", names=True),
        Column("rows", give_way=2),
        Column("same", give_way=1),
        Column("kappa"),
        Column("AUC"),
    ]
    note = "kappa: 1 is full agreement, 0 is chance; AUC: of the judge, for the other's labels"
    return Table(columns, rows, "Agreement", [note])
