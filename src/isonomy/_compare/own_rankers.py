"""Rankers of a user's own, compared beside the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import clone

from isonomy._compare.methods import OWN, Method
from isonomy._rankers import innermost


def own_methods(rankers: Mapping[str, Any] | Sequence[Any] | None, seed: int) -> list[Method]:
    """A user's rankers, checked and copied; those without a seed get one."""
    if rankers is None:
        return []
    if isinstance(rankers, Mapping):
        named = list(rankers.items())
    elif isinstance(rankers, Sequence) and not isinstance(rankers, str):
        named = [(type(innermost(ranker)).__name__, ranker) for ranker in rankers]
        names = [name for name, _ in named]
        named = [
            (name if names.count(name) == 1 else f"{name} {names[:i].count(name) + 1}", ranker)
            for i, (name, ranker) in enumerate(named)
        ]
    else:
        raise TypeError(
            "Parameter `rankers` should be a dict of names and unfitted rankers, or a list of "
            f"rankers. Found {type(rankers).__name__}."
        )
    return [_own_method(name, ranker, seed) for name, ranker in named]


def _own_method(name: Any, ranker: Any, seed: int) -> Method:
    if not isinstance(name, str):
        raise TypeError(f"Parameter `rankers` should be named by strings. Found {name!r}.")
    if isinstance(ranker, type) or not (
        hasattr(ranker, "fit") and hasattr(ranker, "predict") and hasattr(ranker, "get_params")
    ):
        raise TypeError(
            f"Parameter `rankers` should hold rankers with `fit` and `predict`, such as "
            f"`LinearRanker()`. Found {ranker!r} as {name!r}."
        )
    copy = clone(ranker)
    unseeded = {
        key: seed
        for key, value in copy.get_params().items()
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    }
    copy.set_params(**unseeded)
    return Method(name, OWN, getattr(innermost(copy), "objective", None), copy, standardise=False)


def check_distinct_names(methods: Sequence[Method]) -> None:
    """Raise where two methods have one name."""
    names = [method.name for method in methods]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"Parameter `rankers` should have names of its own. Found {repeated[0]!r}, which is "
            "also another method's. Rename it."
        )
