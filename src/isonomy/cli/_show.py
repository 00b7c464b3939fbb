"""`isonomy show`: what a model file holds, and what it was made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from isonomy._core import FloatArray, LabelAggregation, WorstLabel
from isonomy._infra import jsonable, listed, short_names
from isonomy._models import load, read_facts
from isonomy._rankers import TableEncoder, feature_importances, innermost
from isonomy._rankers.blended import BlendRanker, FoldMean
from isonomy._render import (
    Block,
    Cell,
    Column,
    Row,
    Sentences,
    Shown,
    Table,
    name_cell,
    name_column,
)
from isonomy.cli._console import Messages, print_result, write_json

# Of the JSON document.
VERSION = 1
# More features than these are counted.
MOST_FEATURES = 30
LONGEST_NAME, LONGEST_HEADING = 40, 14
_IMPORTANCES = "feature_importances_"


def show(talk: Messages, model: str, *, trusted: list[str], json_path: str | None) -> None:
    """Print what the file is, from which data, and what its features count for."""
    with talk.while_working():
        ranker = load(model, trusted=trusted)
    found = describe(ranker)
    facts = read_facts(model)
    document = {
        "schema": "isonomy.model",
        "schema_version": VERSION,
        "file": model,
        **found,
        "about": facts.about,
        "versions": facts.versions,
    }
    if json_path is not None:
        write_json(jsonable(document), json_path)
    if json_path != "-":
        print_result(Shown(*_shown(document)))


def describe(ranker: Any) -> dict[str, Any]:
    """Kind, objective, columns and what each feature counts for, of a fitted ranker."""
    steps = [step for _, step in ranker.steps] if isinstance(ranker, Pipeline) else [ranker]
    last, encoder = steps[-1], steps[0]
    columns = getattr(encoder, "feature_names_in_", None)
    dropped = encoder.dropped_ if isinstance(encoder, TableEncoder) else {}
    names = [] if columns is None else [str(name) for name in columns]
    objective = getattr(last, "objective", None)
    default = WorstLabel() if isinstance(last, BlendRanker) else LabelAggregation()
    return {
        "kind": type(last).__name__,
        "engine": getattr(last, "engine", None),
        "objective": repr(default if objective is None else objective),
        "top": getattr(last, "top", None),
        "blend": _blend(last),
        "steps": [type(step).__name__ for step in steps],
        "columns": [name for name in names if name not in dropped],
        "left_out": dict(dropped),
        "features": _features(ranker, steps, last),
    }


def _blend(last: Any) -> dict[str, Any] | None:
    """What the labels' classifiers count for, where a model blends them."""
    if not isinstance(last, BlendRanker):
        return None
    said = np.reshape(last.coef_, (-1, len(last.label_names_)))
    weights = dict(zip(last.label_names_, map(float, said.sum(axis=0)), strict=True))
    names = dict(enumerate(last.label_names_))
    # The promises of a file are its writer's word.
    given = last.at_least if isinstance(last.at_least, dict) else {}
    promised = {
        names[k]: float(auc)
        for k, auc in given.items()
        if k in names and isinstance(auc, int | float)
    }
    of = "logits" if last.scale_ == "logit" else "probabilities"
    return {
        "of": of,
        "weights": weights,
        "shares": _shares(last, said) if len(said) > 1 else None,
        "at_least": promised,
        "funnel": bool(last.funnel),
    }


def _shares(last: BlendRanker, said: FloatArray) -> list[dict[str, Any]]:
    """Of several kinds of classifiers: what each has to say of each label."""
    shares = said / np.where(said.any(axis=0), said.sum(axis=0), 1.0)
    return [
        {
            "classifier": _kind_of(last.estimators_[n * len(row) : (n + 1) * len(row)]),
            "shares": dict(zip(last.label_names_, row.tolist(), strict=True)),
        }
        for n, row in enumerate(shares)
    ]


def _kind_of(classifiers: list[Any]) -> str:
    """What the labels' classifiers of a kind are; a name that says so where none is left."""
    used = [innermost(each) for each in classifiers if each is not None]
    inside = [each.estimators_[0] if isinstance(each, FoldMean) else each for each in used]
    return type(inside[0]).__name__ if inside else "Another classifier"


def _features(model: Any, steps: list[Any], last: Any) -> list[dict[str, Any]]:
    """Each feature with its weights or importance, the largest first; none where it has none."""
    if isinstance(last, BlendRanker) and len(last.estimators_) > len(last.label_names_):
        # Kinds of classifiers have features of their own: the columns have to do.
        named = feature_importances(model)
        return [{"feature": name, "importance": share} for name, share in named]
    counts = _what_counts(last)
    if not counts:
        return []
    n_features = len(next(iter(counts.values())))
    names = _feature_names(steps, last, n_features)
    largest = np.max([np.abs(each) for each in counts.values()], axis=0)
    order = np.argsort(-largest, kind="stable")
    return [
        {"feature": names[k], **{what: float(each[k]) for what, each in counts.items()}}
        for k in order
    ]


def _what_counts(last: Any) -> dict[str, FloatArray]:
    if hasattr(last, "coef_") and not isinstance(last, BlendRanker):
        return {"weight": np.ravel(last.coef_)}
    if hasattr(last, "feature_importances_"):
        return {"importance": np.asarray(last.feature_importances_)}
    # One classifier per label: each has weights of its own, if any.
    estimators = getattr(last, "estimators_", None) or []
    labels = getattr(last, "label_names_", ())
    found = {}
    for name, each in zip(labels, estimators, strict=False):
        inside = getattr(each, "estimators_", ())
        if isinstance(each, FoldMean) and all(hasattr(one, _IMPORTANCES) for one in inside):
            shares = [np.asarray(getattr(one, _IMPORTANCES), np.float64) for one in inside]
            found[f"importance for {name}"] = np.mean(shares, axis=0)
        elif np.shape(weights := _dense(getattr(each, "coef_", ())))[:1] == (1,):
            found[f"weight for {name}"] = np.ravel(weights)
        elif hasattr(each, "feature_importances_"):
            found[f"importance for {name}"] = np.asarray(each.feature_importances_, np.float64)
    return found if len({len(each) for each in found.values()}) == 1 else {}


def _dense(weights: Any) -> Any:
    """Weights as an array, also after `sparsify`."""
    return weights.toarray() if sparse.issparse(weights) else weights


def _feature_names(steps: list[Any], last: Any, n_features: int) -> list[str]:
    """What the ranker sees, as the steps before it name it; else numbers."""
    names = _names_out(steps[0]) if len(steps) > 1 else []
    if len(names) != n_features:
        names = [str(each) for each in getattr(last, "feature_names_in_", ())]
    return names if len(names) == n_features else [str(k) for k in range(n_features)]


def _names_out(step: Any) -> list[str]:
    """Names of what a step makes of a table, where it knows them."""
    try:
        return [str(each) for each in step.get_feature_names_out()]
    except Exception:  # noqa: BLE001
        # Some have no such method, others ask their parts, which may be anything.
        return []


def _shown(document: dict[str, Any]) -> list[Block]:
    engine = f" ({document['engine']})" if document["engine"] else ""
    about, versions = document["about"], document["versions"]
    top = f", for the first {document['top']:,} of each group" if document["top"] else ""
    blend = document["blend"]
    if blend and blend["at_least"]:
        kept = " and ".join(f"{name} at {auc:g}" for name, auc in blend["at_least"].items())
        lines = [f"{document['kind']}, made to keep {kept} and give the other labels the best mean"]
    else:
        lines = [f"{document['kind']}{engine}, objective {document['objective']}{top}"]
    if blend:
        shares = (f"{weight:.4g} {name}" for name, weight in blend["weights"].items())
        steps = ", each given the step before" if blend["funnel"] else ""
        lines.append(f"Blend of the labels' {blend['of']}{steps}: {' + '.join(shares)}")
        # Of a kind that has no say nothing is left that would tell what it was.
        for kind in [each for each in blend["shares"] or () if any(each["shares"].values())]:
            parts = ", ".join(f"{share:.0%} of {name}" for name, share in kind["shares"].items())
            lines.append(f"{kind['classifier']} says {parts}")
    lines += [f"{name}: {_told(value)}" for name, value in about.items()]
    lines.append(f"Columns that it needs: {listed(document['columns'], 12) or 'not recorded'}")
    if document["left_out"]:
        lines.append(f"Columns left out: {listed(list(document['left_out']), 12)}")
    lines.append("Written by " + ", ".join(f"{name} {each}" for name, each in versions.items()))
    return [Sentences(lines), *_table(document)]


def _told(value: Any) -> str:
    """Whatever a file tells of itself, on a line."""
    if isinstance(value, list):
        return listed([str(each) for each in value], 12)
    return f"{value:,}" if isinstance(value, int | float) else value


def _table(document: dict[str, Any]) -> list[Block]:
    features = document["features"]
    if not features:
        return [Sentences(["It has no weight per feature to show."])]
    short = short_names([each["feature"] for each in features], LONGEST_NAME)
    kinds = [what for what in features[0] if what != "feature"]
    rows = [
        Row([name_cell(each["feature"], short), *(Cell(f"{each[what]:.4g}") for what in kinds)])
        for each in features[:MOST_FEATURES]
    ]
    left = len(features) - MOST_FEATURES
    notes = [f"... and {left:,} more features: see --json"] if left > 0 else []
    if "StandardScaler" in document["steps"] and any(what.startswith("weight") for what in kinds):
        notes.append("weights are of standardised features")
    columns = [Column("feature", names=True), *_headings(kinds)]
    return [Table(columns, rows, "What counts", notes)]


def _headings(kinds: list[str]) -> list[Column]:
    """What numbers are, and of which label; where not all fit, the first labels stay."""
    parts = [what.partition(" for ") for what in kinds]
    short = short_names([name for *_, name in parts if name], LONGEST_HEADING)
    return [
        name_column(f"{what}{middle}".strip(), name, short, give_way=k) if name else Column(what)
        for k, (what, middle, name) in enumerate(parts)
    ]
