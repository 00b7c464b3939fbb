"""`isonomy fit`: one method, fitted on all rows, as a model file."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.pipeline import Pipeline

from isonomy._compare import (
    FAMILIES,
    GOAL_METHODS,
    METHODS,
    MIXING,
    FitSettings,
    Goal,
    Method,
    MethodEntry,
    check_families,
    check_goal,
    family_encoder,
    family_methods,
    fit_method,
    goal_entries,
    mixed_family,
    seed_of,
    unused_columns,
)
from isonomy._core import LossAggregation, SoftLabel, suggestion
from isonomy._models import save
from isonomy._rankers import TableEncoder
from isonomy.cli._console import Messages
from isonomy.cli._data import LabelledTable, TableOptions, load_table
from isonomy.cli._errors import UserError, check_option
from isonomy.cli._labels import parse_floors, parse_values, split_names
from isonomy.cli._table_files import check_outputs


@dataclass(frozen=True)
class GoalOptions:
    """What to be best at, as it stands on the command line."""

    goal: str = "min"
    value: Sequence[str] = ()
    at_least: Sequence[str] = ()

    def check(self) -> None:
        """Before any work: one goal."""
        check_option("--goal", self.goal, ("min", "mean"))
        if sum([self.goal != "min", bool(self.value), bool(self.at_least)]) > 1:
            raise UserError("--goal, --value and --at-least each say what to be best at. Give one.")

    def of(self, names: Sequence[str]) -> Goal:
        """The goal for labels of these names."""
        value = parse_values(list(self.value), names, "--value")
        at_least = parse_floors(list(self.at_least), names, "--at-least")
        return check_goal(value or self.goal, at_least or None, names)

    def arguments(self) -> list[str]:
        """The options again, without what is so by default."""
        found = [] if self.goal == "min" else ["--goal", self.goal]
        found += [part for each in self.value for part in ("--value", each)]
        return found + [part for each in self.at_least for part in ("--at-least", each)]


def fit(
    talk: Messages,
    options: TableOptions,
    *,
    family: str,
    tune: bool,
    method: str,
    only: str | None,
    mix: str | None,
    top: int | None,
    out: str,
    seed: int,
    goal: GoalOptions,
) -> None:
    """Fit the method on all rows and save it."""
    families = check_family_option(family, method)
    goal.check()
    check_method_options(method, [*METHODS, *GOAL_METHODS], only=only, mix=mix)
    check_top_option(top, family, method, options)
    _check_entry(method, families, options)
    check_outputs([options.file], {"--out": out})
    data = load_table(options, "fit")
    aim = goal.of(data.label_names)
    entry = _entry_of(method, aim)
    chosen = find_method(
        data.label_names, family, entry, only=only, mix=mix, seed=seed, text=data.roles.text
    )
    if top is not None:
        chosen.ranker.set_params(top=top)
    settings = FitSettings(aim, tune, _ranker_seed(seed))
    with talk.while_working():
        fitted = fit_model(talk, data, chosen, settings)
        save(fitted, out, about=data.about(chosen.name))
    talk.say(f"{chosen.name}, fitted on {data.table.height:,} rows: {out}")


def _check_entry(method: str, families: list[str], options: TableOptions) -> None:
    """Before any work: what the method cannot do without is there."""
    entry = METHODS.get(method)
    if entry is None:
        return
    if entry.needs_groups and options.group is None:
        raise UserError(f"--method {method} learns the order inside groups: give --group too.")
    if entry.baseline_of not in (None, *families):
        raise UserError(f"--method {method} needs --family {entry.baseline_of}.")


def _entry_of(method: str, goal: Goal) -> MethodEntry:
    """The method by its name, of those that the goal brings too."""
    entries = METHODS | {entry.key: entry for entry in goal_entries(goal)}
    if method not in entries:
        cure = "--at-least" if method == "promise" else "--value for two labels or more"
        raise UserError(f"--method {method} is made for a goal of yours: give {cure} too.")
    return entries[method]


def check_family_option(family: str, method: str) -> list[str]:
    """Before any work: the families exist, what they need is installed, and the method mixes them.

    Blends mix the classifiers of several families; all else is made of one.
    """
    names = list(dict.fromkeys(split_names([family], []))) or [family]
    for name in names:
        check_option("--family", name, FAMILIES)
    check_families(names)
    if len(names) > 1 and method in {*METHODS, *GOAL_METHODS} - {*MIXING}:
        raise UserError(
            f"--method {method} is made of one model family. Found --family {family}. Name one, or "
            f"a --method that mixes several: {', '.join(MIXING)}."
        )
    return names


def check_method_options(
    kind: str, kinds: Collection[str], *, only: str | None = None, mix: str | None = None
) -> None:
    """Before any work: the method exists, and the options beside it go with it."""
    check_option("--method", kind, kinds)
    if mix is not None and kind not in ("loss", "soft"):
        raise UserError(
            "--mix weighs the labels' losses, or the labels of a soft one: give it with --method "
            "loss or soft only."
        )
    if (only is None) == (kind == "one-label"):
        raise UserError("--only names the label of --method one-label: give both, or neither.")


def check_top_option(top: int | None, family: str, method: str, options: TableOptions) -> None:
    """Before any work: there are boosted trees to train for the top, and lists to have one."""
    if top is None:
        return
    pairs = method == "values" or (method in METHODS and METHODS[method].learns == "pairs")
    if family != "boosted" or not pairs:
        raise UserError(
            "--top trains boosted trees on pairs: give it with --family boosted, and a --method "
            "that is not made of classifiers, such as worst."
        )
    if options.group is None:
        raise UserError(
            "--top is about the first ranks of each group, such as a query. Name its column with "
            "--group, or leave --top out."
        )


def fit_model(
    talk: Messages, data: LabelledTable, method: Method, settings: FitSettings
) -> Pipeline:
    """The whole model: it takes the raw table."""
    fitted: Pipeline = fit_method(method, data.features, data.items, settings)
    tell_dropped(talk, fitted.steps[0][1])
    return fitted


def tell_dropped(talk: Messages, fitted: TableEncoder) -> None:
    """Say which columns were not learned from."""
    for text in unused_columns(fitted, lambda name: f"--text {shlex.quote(name)}"):
        talk.say(text)


def find_method(
    names: tuple[str, ...],
    family: str,
    entry: MethodEntry,
    *,
    only: str | None = None,
    mix: str | None = None,
    seed: int = 0,
    text: tuple[str, ...] = (),
) -> Method:
    """The method that the options name, for labels of these names."""
    if only is not None and only not in names:
        raise UserError(f"--only: {only!r} is no label.{suggestion(only, names)}")
    seed = _ranker_seed(seed)
    families = check_families(split_names([family], []))
    made_of = families[0] if len(families) == 1 else mixed_family(families)
    methods = family_methods([made_of], [entry], names, "pairs", seed)
    method = methods[names.index(only)] if only is not None else methods[0]
    method = replace(method, prepare=family_encoder(made_of, text))
    if mix is None:
        return method
    objective = mixed_objective(entry.key, mix, names)
    ranker = made_of.ranker(objective, "pairs", seed)
    return replace(method, objective=objective, ranker=ranker)


def mixed_objective(kind: str, mix: str, names: tuple[str, ...]) -> LossAggregation | SoftLabel:
    """The objective of --method loss or soft with these weights."""
    if kind == "soft":
        return SoftLabel("rarity" if mix == "rarity" else parse_mix(mix, names))
    return LossAggregation(parse_mix(mix, names))


def _ranker_seed(seed: int) -> int:
    """The seed that `compare` gives its rankers, so that both fit the same model."""
    return seed_of(np.random.default_rng(seed))


def parse_mix(text: str, names: tuple[str, ...]) -> list[float]:
    """One number per label, in their order."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"--mix should hold numbers, such as 1,2. Found {text!r}.") from None
    if len(numbers) != len(names):
        raise UserError(
            f"--mix should hold one number for each of the {len(names)} labels "
            f"({', '.join(names)}). Found {len(numbers)}."
        )
    return numbers
