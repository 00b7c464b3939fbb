"""What pipelines, unions and tables of transformers need to predict: the steps fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from isonomy._models.fitted_parts import (
    Check,
    Flow,
    Part,
    has_method,
    is_named,
    is_number,
    same_rows,
    same_width,
    takes_sparse,
)

_PLACES = "_transformer_to_input_indices"


def _pipeline(part: Part) -> Flow:
    steps = part.items("steps", least=1)
    part.need("steps", holds=all(is_named(one, 2) for one in steps))
    used = [one for _, one in steps if not _is_idle(one)]
    part.need("steps", holds=bool(used) and not _is_idle(steps[-1][1]))
    flows = [part.flow(one, f"steps[{place}]") for place, one in enumerate(used)]
    for one, found in zip(used[:-1], flows[:-1], strict=True):
        part.need("steps", holds=_transforms(one, found))
    for (before, after), taker in zip(pairwise(flows), used[1:], strict=True):
        part.need("steps", holds=_follows(before, after, taker))
    if "transform_input" in part:
        part.need("transform_input", holds=part.get("transform_input") is None)
    first, last = flows[0], flows[-1]
    return Flow(
        last.role, first.rows, first.takes, last.gives, last.sparse, last.words, last.outputs
    )


def _is_idle(found: Any) -> bool:
    return found is None or (isinstance(found, str) and found == "passthrough")


def _transforms(found: Any, flow: Flow) -> bool:
    return flow.role in ("transformer", "unknown") and has_method(found, "transform")


def _follows(before: Flow, after: Flow, taker: Any) -> bool:
    """Whether a step takes what the one before it makes."""
    if "unknown" in (before.role, after.role):
        return True
    encodes = isinstance(taker, OneHotEncoder | OrdinalEncoder) or after.words
    return (
        (None in (before.gives, after.takes) or before.gives == after.takes)
        and after.rows in ("matrix", "unknown")
        and (not before.words or encodes or after.rows == "unknown")
        and (not before.sparse or takes_sparse(taker))
    )


def _union(part: Part) -> Flow:
    name = "transformer_list"
    steps = part.items(name, least=1)
    part.need(name, holds=all(is_named(one, 2) for one in steps))
    _check_factors(part)
    words = [one for _, one in steps if isinstance(one, str)]
    used = [one for _, one in steps if not isinstance(one, str)]
    part.need(name, holds=bool(used) and set(words) <= {"drop", "passthrough"})
    flows = [part.flow(one, f"{name}[{i}]") for i, one in enumerate(used)]
    for one, found in zip(used, flows, strict=True):
        part.need(name, holds=_transforms(one, found) and not found.words)
    width = same_width(part, name, flows)
    gives = _sum([one.gives for one in flows] + [width] * words.count("passthrough"))
    sparse = any(one.sparse for one in flows)
    return Flow("transformer", same_rows(part, name, flows), width, gives, sparse)


def _sum(widths: list[int | None]) -> int | None:
    known = [one for one in widths if one is not None]
    return sum(known) if len(known) == len(widths) else None


def _check_factors(part: Part) -> None:
    """Factors of the transformers' columns, by name."""
    factors = part.get("transformer_weights")
    if factors is not None:
        fits = isinstance(factors, dict) and all(is_number(one) for one in factors.values())
        part.need("transformer_weights", holds=fits)


def _columns(part: Part) -> Flow:
    name = "transformers_"
    steps = part.items(name, least=1)
    part.need(name, holds=all(is_named(one, 3) for one in steps))
    part.need(name, holds=len({one[0] for one in steps}) == len(steps))
    _check_factors(part)
    places = part.table(_PLACES)
    flows = [
        _step(part, one, columns, _chosen(part, columns, places.get(key)))
        for key, one, columns in steps
    ]
    gives = _sum([one.gives for one in flows])
    part.need(name, holds=gives != 0)
    framed = "feature_names_in_" in part
    sparse = part.flag("sparse_output_")
    words = any(one.words for one in flows) and not sparse
    width = None if framed else part.width
    return Flow("transformer", "frame" if framed else "matrix", width, gives, sparse, words)


def _step(part: Part, found: Any, columns: Any, n_columns: int) -> Flow:
    """One transformer, and what it makes of its columns."""
    name = "transformers_"
    if isinstance(found, str):
        part.need(name, holds=found in ("drop", "passthrough"))
        kept = n_columns if found == "passthrough" else 0
        return Flow("transformer", gives=kept, words=kept > 0)
    if not n_columns:
        return Flow("transformer", gives=0)
    flow = part.flow(found, name)
    part.need(name, holds=_transforms(found, flow) and flow.takes in (None, n_columns))
    single = isinstance(columns, str | int)
    part.need(name, holds=flow.rows == "unknown" or single == (flow.rows == "texts"))
    part.need(name, holds=flow.rows != "records")
    return flow


def _chosen(part: Part, columns: Any, places: Any) -> int:
    """How many columns a transformer is given: by name or place, which should agree."""
    rows = places.tolist() if type(places) is np.ndarray else places
    part.need(_PLACES, holds=isinstance(rows, list))
    inside = all(type(one) is int and 0 <= one < part.width for one in rows)
    meant = _meant(part, columns) if inside else None
    same = meant is not None and len(meant) == len(rows) and list(meant) == rows
    part.need(_PLACES, holds=same)
    return len(rows)


def _meant(part: Part, columns: Any) -> Sequence[int] | None:
    """Places of the columns that are named in one of the ways that there are."""
    found = columns.tolist() if type(columns) is np.ndarray else columns
    many = found if isinstance(found, list) else [found]
    # No list, because the width may be any number that the file says.
    all_places = range(part.width)
    kinds = {type(one) for one in many}
    if not kinds:
        return []
    if kinds == {str}:
        names = part.texts("feature_names_in_")
        return [names.index(one) for one in many] if set(many) <= set(names) else None
    if kinds == {int}:
        inside = all(-part.width <= one < part.width for one in many)
        return [all_places[one] for one in many] if inside else None
    if kinds == {bool} and len(many) == part.width:
        return [place for place, one in enumerate(many) if one]
    if kinds == {slice} and len(many) == 1:
        chosen: slice = many[0]
        return all_places[chosen]
    return None


COMPOSED_CHECKS: dict[type, Check] = {
    Pipeline: _pipeline,
    FeatureUnion: _union,
    ColumnTransformer: _columns,
}
