"""`isonomy judge`: labels from a language model, one column per question."""

from __future__ import annotations

import os
import shlex
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from isonomy._infra import listed, progress
from isonomy._judge import (
    Answer,
    Answered,
    AnswerFile,
    Endpoint,
    EndpointError,
    Failed,
    Outcome,
    Question,
    Request,
    ask_all,
)
from isonomy.cli._console import Messages, print_as_it_is
from isonomy.cli._errors import UserError
from isonomy.cli._exit_codes import EXIT_UNANSWERED
from isonomy.cli._judge_questions import Asked, AskOptions, parse_human, parse_questions
from isonomy.cli._judge_result import Judged, Spent, print_judged, reading, unclear
from isonomy.cli._labels import Roles, need_plain, split_names
from isonomy.cli._table_files import (
    Source,
    check_outputs,
    need_columns,
    open_table,
    polars_errors_explained,
)
from isonomy.cli._table_outputs import check_types, format_of, write_table

# Seconds between two lines that tell how far it is, where no bar shows.
TELL_SECONDS = 15.0
# What a plan reckons with: English, about, and an answer such as {"label": 1}.
CHARACTERS_A_TOKEN = 4
TOKENS_A_LABEL = 8
# Answers to a question, none of them in the form asked for, after which no more are paid for.
MOST_UNREADABLE = 50


@dataclass(frozen=True)
class ServerOptions:
    """Where questions go and how, as it stands on the command line."""

    endpoint: str | None
    key_variable: str
    concurrency: int
    retries: int
    timeout: float
    price: str | None


@dataclass(frozen=True, eq=False)
class _Rows:
    """The table, and what is asked of each row.

    Attributes
    ----------
    table : polars.DataFrame
        As it is to be written.
    texts : polars.DataFrame
        The columns that are judged, as text.
    asked : list of Asked
        The questions.
    people : list of tuple of str, polars.Series
        Questions, and people's labels for them.
    """

    table: pl.DataFrame
    texts: pl.DataFrame
    asked: list[Asked]
    people: list[tuple[str, pl.Series]]

    def requests(self) -> Iterator[tuple[int, Asked, Request]]:
        """Every question about every row that has any text."""
        for row, texts in enumerate(self.texts.iter_rows(named=True)):
            if any(text is not None and text.strip() for text in texts.values()):
                for each in self.asked:
                    yield row, each, each.question.about(texts)

    def unanswered(
        self, kept: AnswerFile | None, url: str, ask_again: bool
    ) -> list[tuple[int, Asked]]:
        """Questions to ask, as row and question; rows with the same texts share an answer."""
        seen, found = set(), []
        for row, each, request in self.requests():
            answer = None if kept is None else kept.find(request.key, url)
            if request.key in seen or not (answer is None or (ask_again and unclear(answer, each))):
                continue
            seen.add(request.key)
            found.append((row, each))
        return found

    def tasks(self, wanted: list[tuple[int, Asked]]) -> Iterator[tuple[Question, Request]]:
        """The questions in full, when their turn comes."""
        for row, each in wanted:
            yield each.question, each.question.about(self.texts.row(row, named=True))


class _UnreadableError(Exception):
    """None of a model's answers is in the form that was asked for."""

    def __init__(self, answer: Answer, reasons: Counter[str]) -> None:
        why = ", ".join(f"{reason} ({count:,})" for reason, count in reasons.most_common())
        super().__init__(
            f"--model {answer.model}: the first {reasons.total():,} answers about "
            f"{answer.question!r} hold no label: {why}. The last one was {answer.text[:60]!r}. "
            "So that no more is paid for nothing, the run has ended. A model that thinks aloud "
            "needs --param max_tokens=4000, say."
        )


@dataclass
class _Tally:
    """How far the work is."""

    spent: Spent
    endpoint: Endpoint
    asked: dict[str, Asked]
    total: int
    done: int = 0
    failed: dict[str, Failed] = field(default_factory=dict)
    readable: set[str] = field(default_factory=set)
    unreadable: dict[str, Counter[str]] = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def add(self, outcome: Outcome) -> None:
        """Count what became of a question."""
        self.done += 1
        if isinstance(outcome, Answered):
            self.spent.add(outcome.answer.tokens_in, outcome.answer.tokens_out)
            self._read(outcome.answer)
        else:
            self.failed[outcome.key] = outcome

    def _read(self, answer: Answer) -> None:
        """See whether a model answers in the form asked for; if it never does, stop paying."""
        found = reading(answer, self.asked[answer.question])
        if answer.question in self.readable or found.in_form:
            self.readable.add(answer.question)
            return
        reasons = self.unreadable.setdefault(answer.question, Counter())
        reasons[found.why_none] += 1
        if reasons.total() == MOST_UNREADABLE:
            raise _UnreadableError(answer, reasons)

    def line(self) -> str:
        """For the bar, which shows numbers done and the time left itself."""
        retried = f", {self.endpoint.n_retried:,} retries" if self.endpoint.n_retried else ""
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        return f"asking ({self.spent.told()}{retried}{failed})"

    def tell(self, talk: Messages) -> None:
        """A line now and then, for logs."""
        if time.monotonic() - self.told > TELL_SECONDS:
            self.told = time.monotonic()
            left = (self.told - self.begun) / self.done * (self.total - self.done)
            talk.say(f"{self.done:,} of {self.total:,}, {self.line()}, {_minutes(left)} left")


@dataclass(frozen=True)
class Outputs:
    """Where results go."""

    out: str
    answers: str | None
    json_path: str | None


def judge(
    talk: Messages,
    file: str,
    *,
    text: list[str],
    separator: str | None,
    asking: AskOptions,
    server: ServerOptions,
    outputs: Outputs,
    ask_again: bool,
    dry_run: bool,
) -> int:
    """Ask what has no answer yet, write the labelled table; the exit code."""
    asked, thresholds = parse_questions(asking)
    people = parse_human(asking.human, asked)
    spent = Spent.parse(server.price)
    out, answers = outputs.out, outputs.answers or f"{outputs.out}.answers.jsonl"
    rows = _read_rows(open_table(file, separator), text, asked, people, thresholds, format_of(out))
    check_outputs([file], {"--out": out, "--json": outputs.json_path, "--answers": answers})
    endpoint = _endpoint(server, needed=not dry_run)
    if dry_run and outputs.json_path == "-":
        raise UserError("--json - has nothing to print of a --dry-run. Leave one of them out.")
    if dry_run:
        _print_plan(rows, spent, endpoint, answers, ask_again)
        return 0
    assert endpoint is not None
    with AnswerFile(answers) as kept:
        wanted = rows.unanswered(kept, endpoint.url, ask_again)
        if len(kept):
            talk.say(
                f"{len(kept):,} answers are there already; {len(wanted):,} questions are open."
            )
        tally = _Tally(spent, endpoint, {each.column: each for each in asked}, len(wanted))
        concurrency = min(server.concurrency, max(len(wanted), 1))
        _ask(
            talk, ask_all(rows.tasks(wanted), endpoint, kept, concurrency=concurrency), tally, kept
        )
        if tally.failed and not len(kept):
            raise UserError(
                f"--endpoint {endpoint.url}: no question got an answer, the first "
                f"because {next(iter(tally.failed.values())).why}."
            )
        judged = Judged.collect(rows.requests(), asked, rows.table.height, kept, endpoint.url)
        whole = Spent(spent.prices, *kept.tokens)
    write_table(pl.concat([rows.table, judged.table], how="horizontal").lazy(), out)
    print_judged(judged, rows.people, spent, outputs.json_path)
    talk.say(f"{rows.table.height:,} rows: {out}")
    talk.say(f"Every answer as it came: {answers} ({whole.told()})")
    return _farewell(talk, rows, judged, tally, out)


def _farewell(talk: Messages, rows: _Rows, judged: Judged, tally: _Tally, out: str) -> int:
    """What to do next; the exit code."""
    if tally.failed:
        one = next(iter(tally.failed.values()))
        talk.say(
            f"{len(tally.failed):,} questions have no answer, the first ({one.question}) because "
            f"{one.why}. The same command asks these again, and only these."
        )
        return EXIT_UNANSWERED
    if judged.without_labels:
        names = listed(judged.without_labels)
        talk.say(f"No row has a label for {names}; why stands in the table above.")
        return EXIT_UNANSWERED
    # What the labels come from, and people's own, would give them away as features.
    known = {labels.name: None for _, labels in rows.people}
    known |= {each.score_column: None for each in rows.asked if each.score_column is not None}
    told = [
        *_option("--labels", [each.column for each in rows.asked]),
        *_option("--text", rows.texts.columns),
        *_option("--exclude", [name for name in known if name not in rows.texts.columns]),
    ]
    talk.say(f"Next: {shlex.join(['isonomy', 'compare', out, *told])}")
    return 0


def _option(option: str, names: list[str]) -> list[str]:
    """Names as one list with commas, or one by one where a name has a comma itself."""
    if any("," in name for name in names):
        return [word for name in names for word in (option, name)]
    return [option, ",".join(names)] if names else []


def _read_rows(
    source: Source,
    text: list[str],
    asked: list[Asked],
    people: list[tuple[str, str]],
    thresholds: dict[str, float],
    kind: str,
) -> _Rows:
    """The table; mistakes are told before anything is asked."""
    table = given = source.read()
    if source.format == "csv":
        with polars_errors_explained(source.name):
            given = source.scan().collect()
        # CSV to CSV keeps the text of every field.
        table = given if kind in ("csv", "tsv") else table
    names = list(dict.fromkeys(split_names(text, given.columns)))
    if not names:
        raise UserError("--text should name the columns to judge. Found nothing.")
    need_columns(given.columns, names, source, "--text")
    need_columns(given.columns, [column for _, column in people], source, "--human")
    _check_new_columns(given.columns, asked)
    check_types(dict(table.schema), kind)
    texts = given.select(need_plain(given[name], "--text").cast(pl.String) for name in names)
    labels = {
        column: Roles([column], {}, thresholds).label_table(given)[column] for _, column in people
    }
    return _Rows(table, texts, asked, [(name, labels[column]) for name, column in people])


def _check_new_columns(columns: list[str], asked: list[Asked]) -> None:
    new = [each.column for each in asked]
    new += [each.score_column for each in asked if each.score_column is not None]
    for name in new:
        if name in columns or new.count(name) > 1:
            raise UserError(
                f"--ask: there is a column {name!r} already. Give the question another name, such "
                f"as --ask {name}_judged=FILE."
            )


def _endpoint(server: ServerOptions, *, needed: bool) -> Endpoint | None:
    if server.endpoint is None:
        if not needed:
            return None
        raise UserError(
            "--endpoint should name an OpenAI-compatible server, such as http://localhost:8000/v1. "
            "With --dry-run none is needed."
        )
    key = os.environ.get(server.key_variable, "").strip() if server.key_variable else ""
    try:
        return Endpoint(
            server.endpoint, key or None, timeout=server.timeout, retries=server.retries
        )
    except ValueError as error:
        raise UserError(str(error)) from None


def _ask(talk: Messages, outcomes: Iterator[Outcome], tally: _Tally, kept: AnswerFile) -> None:
    """Until all is asked; what ends it early is told with what is kept."""
    try:
        with talk.while_working():
            for outcome in progress(outcomes, tally.total, tally.line):
                tally.add(outcome)
                tally.tell(talk)
    except EndpointError as error:
        cure = "The fields of a request change with --param, such as --param max_tokens=null. "
        raise UserError(
            f"--endpoint {tally.endpoint.url}: {error}.\n{cure if '400' in str(error) else ''}"
            f"{len(kept):,} answers are kept; the same command goes on from there."
        ) from None
    except _UnreadableError as error:
        raise UserError(f"{error} {len(kept):,} answers are kept.") from None
    except KeyboardInterrupt:
        talk.say(f"{len(kept):,} answers are kept; the same command goes on from there.")
        raise


def _print_plan(
    rows: _Rows, spent: Spent, endpoint: Endpoint | None, answers: str, ask_again: bool
) -> None:
    """What would be asked, how much of it, and the first question in full."""
    if endpoint is not None and Path(answers).exists():
        with AnswerFile(answers) as kept:
            wanted = rows.unanswered(kept, endpoint.url, ask_again)
    else:
        wanted = rows.unanswered(None, "", ask_again)
    characters = sum(request.characters for _, request in rows.tasks(wanted))
    spent.add(characters // CHARACTERS_A_TOKEN, TOKENS_A_LABEL * len(wanted))
    size = f"{rows.table.height:,} rows, {len(rows.asked):,} questions: {len(wanted):,} to ask"
    lines = [f"{size}, about {spent.told()}. Nothing was sent."]
    first = next(rows.tasks(wanted), None)
    for message in first[1].body["messages"] if first else []:
        lines += [f"\n--- {message['role']} ---", message["content"]]
    print_as_it_is("\n".join([*lines, ""]))


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:,.0f} min"
