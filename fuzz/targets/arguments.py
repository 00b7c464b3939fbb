"""Argument lists: options and values as the parser itself knows them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz.case import Case, Violation
from fuzz.command_line import command_violations, prepare_command_line
from fuzz.mutate import NUMBERS, TEXTS
from fuzz.targets.good_inputs import LABELS, made_files, table, written

_COLUMNS = ("id", "x", "z", "country", "query", "weight", "score", "click", "buy", "stars")
_METHODS = ("mean", "product", "loss", "balanced", "soft", "worst", "blend", "funnel", "one-label")
_NAMES = (
    "t.csv",
    "model.isonomy",
    "a.sketch",
    "old.json",
    "o.csv",
    "nothing.csv",
    ".",
    "no/folder",
    "",
)
# What makes most calls quick and some of them pass: put in where the option was not drawn.
_NEEDED: dict[str, tuple[str, ...]] = {
    "compare": (
        *("--no-tune", "--family", "linear", "--folds", "2", "--repeats", "1"),
        *("--methods", "mean"),
    ),
    "audit": (*LABELS, "--score", "score"),
    "sketch": (*LABELS, "--score", "score", "--out", "s.sketch"),
    "fit": (*LABELS, "--method", "mean", "--no-tune", "--out", "m"),
    "rank": ("--model", "model.isonomy", "--out", "o.csv"),
    "blend": (*LABELS, "--scores", "x,score"),
    "judge": ("--text", "id", "--model", "m", "--out", "o.csv", "--dry-run"),
}
_SLOW = {"--folds", "--repeats", "--family", "--methods", "--tune", "--no-tune", "--pictures"}
# Goes out, or takes its time: only to be refused.
_ONLY_WRONG = {"demo", "fetch"}
_WEIGHTS = {"audit": 30, "rank": 12, "fit": 8, "compare": 1, "demo": 2, "version": 1}


class Arguments:
    """All commands, with any of their options and values."""

    name = "arguments"
    seconds = 60.0

    def prepare(self) -> None:
        prepare_command_line()
        made_files()

    def make(self, random: Random) -> Case:
        commands = _commands()
        names = sorted(commands)
        command = random.choices(names, [_WEIGHTS.get(name, 8) for name in names])[0]
        words = self._words(random, command, commands[command])
        files = {"t.csv": written(table(random.choice((2, 20, 40))), "csv"), **made_files()}
        return Case(self.name, tuple(words), files)

    def _words(self, random: Random, command: str, options: list[dict[str, Any]]) -> list[str]:
        words: list[str] = []
        for option in random.sample(options, random.randrange(min(5, len(options)) + 1)):
            words += _option(random, command, option)
        needed = list(_NEEDED.get(command, ()))
        # Half of the time all that is needed is there, so that what was drawn is what counts.
        if random.random() < 0.7 or command == "compare":
            words += _not_there(needed, words)
        place = _place(random, command)
        if random.random() < 0.05:
            words.insert(random.randrange(len(words) + 1), random.choice(TEXTS))
        if command in _ONLY_WRONG:
            words.append("--no-such-option")
        if command == "judge" and "--dry-run" not in words:
            words += ["--retries", "0", "--endpoint", "http://127.0.0.1:9/v1"]
        found = [command, *place, *words]
        if random.random() < 0.02:
            random.shuffle(found)
        # The system passes none on.
        return [word.replace("\0", "") for word in found]

    def violations(self, case: Case, folder: Path) -> list[Violation]:
        return command_violations(case, folder)


@cache
def _commands() -> dict[str, list[dict[str, Any]]]:
    """Each command's options, as the parser knows them."""
    import typer.main

    from isonomy.cli._app import app

    group: Any = typer.main.get_command(app)
    return {
        name: [
            {"names": [*each.opts, *each.secondary_opts], "flag": getattr(each, "is_flag", False)}
            for each in command.params
            if each.param_type_name == "option"
        ]
        for name, command in group.commands.items()
    }


def _option(random: Random, command: str, option: dict[str, Any]) -> list[str]:
    name = random.choice(option["names"])
    if option["flag"] or (command == "compare" and name in _SLOW):
        return [] if command == "compare" and name in _SLOW else [name]
    return [name, _value(random, name)]


def _value(random: Random, name: str) -> str:
    kinds = [
        random.choice(_COLUMNS),
        ",".join(random.choices(_COLUMNS, k=2)),
        random.choice(NUMBERS),
        random.choice(TEXTS),
        f"{random.choice(_COLUMNS)}={random.choice((*NUMBERS, *TEXTS, 'yes', '0.5'))}",
        random.choice(_METHODS),
        random.choice(_NAMES),
        "-",
    ]
    if name in ("--out", "--json", "--report") and random.random() < 0.7:
        return random.choice(("r1", "r2.json", "r3.csv", "r4.parquet", "r5.jsonl", "-"))
    if name in ("--repeats", "--folds", "--retries", "--timeout", "--concurrency"):
        return random.choice(("-1", "0", "1", "2", "x", "1e9", "nan", ""))
    return random.choice(kinds)


def _not_there(needed: list[str], words: list[str]) -> list[str]:
    found, k = [], 0
    while k < len(needed):
        alone = k + 1 == len(needed) or needed[k + 1].startswith("--")
        pair = needed[k : k + 1 + (not alone)]
        found += [] if needed[k] in words else pair
        k += len(pair)
    return found


def _place(random: Random, command: str) -> list[str]:
    """What stands without an option."""
    if command in ("show", "export"):
        usual = "model.isonomy"
    elif command in ("version", "demo"):
        return []
    elif command == "fetch":
        usual = "nothing"
    else:
        usual = random.choice(
            ("t.csv", "t.csv", "t.csv", "a.sketch" if command == "audit" else "t.csv")
        )
    if random.random() < 0.1:
        return [random.choice((*_NAMES, *TEXTS))]
    return [usual] * random.choices((0, 1, 2), (1, 30, 2))[0]
