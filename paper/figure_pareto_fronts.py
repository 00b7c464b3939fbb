"""All scores for the items whose labels disagree, and which each objective likes best."""

from __future__ import annotations

from itertools import product

import altair as alt
import numpy as np

from isonomy.datasets import make_threshold_gaussians
from paper._pages import COLOURS, Page, data, table
from paper._results import Result, Row, versions

KEYS, TOLERANCE = ("kind", "seed", "set"), 0.0
TOP, SAMPLES, WEIGHTS = 3, 12, range(1, 6)
MOST_DISAGREEING, WANTED = 6, 8
SETS = ("LoA <", "LoA >", "LoA =", "LaA", "product")


def suitable() -> list[int]:
    """The first seeds with both kinds of disagreement, few of them, and both kinds of agreement."""
    found = []
    seed = 0
    while len(found) < WANTED:
        Y = make_threshold_gaussians(SAMPLES, random_state=seed).Y
        n10, n01, n11, n00 = counts(Y)
        if min(n10, n01, n11, n00) >= 1 and n10 + n01 <= MOST_DISAGREEING:
            found.append(seed)
        seed += 1
    return found


def counts(Y: np.ndarray) -> tuple[int, ...]:
    kinds = ((1, 0), (0, 1), (1, 1), (0, 0))
    return tuple(int((kind == Y).all(axis=1).sum()) for kind in kinds)


def assignments(Y: np.ndarray) -> np.ndarray:
    """Agreeing items have the top or the bottom; the others any of 0..TOP, in every way."""
    disagree = Y[:, 0] != Y[:, 1]
    values = np.array(list(product(range(TOP + 1), repeat=int(disagree.sum()))), np.int64)
    scores = np.tile(TOP * Y[:, 0].astype(np.int64), (len(values), 1))
    scores[:, disagree] = values
    return scores


def doubled_right(level: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Twice the pairs in the right order, ties half, weighted by the difference of levels."""
    gap = np.maximum(level[:, None].astype(np.int64) - level, 0)
    step = 1 + np.sign(scores[:, :, None] - scores[:, None, :])
    return np.einsum("rij,ij->r", step, gap)


def optimal_sets(Y: np.ndarray, scores: np.ndarray) -> tuple[dict[str, set[int]], bool, np.ndarray]:
    """Each objective's best assignments, in whole numbers; whether the weights' sign decides."""
    right = np.stack([doubled_right(y, scores) for y in Y.T], axis=1)
    pairs = [int(y.sum() * (1 - y.astype(int)).sum()) for y in Y.T]

    def best(value: np.ndarray) -> set[int]:
        return set(np.flatnonzero(value == value.max()).tolist())

    sets = {
        "LaA": best(doubled_right(Y.sum(axis=1), scores)),
        "product": best(doubled_right(Y.prod(axis=1), scores)),
        "LoA =": best(right.sum(axis=1)),  # a_k = n_k+ n_k-, so that alpha_1 = alpha_2.
    }
    agree = True
    for a in product(WEIGHTS, WEIGHTS):
        # The value times both numbers of pairs: a_1 right_1 / pairs_1 + a_2 right_2 / pairs_2.
        found = best(a[0] * pairs[1] * right[:, 0] + a[1] * pairs[0] * right[:, 1])
        sign = np.sign(a[0] * pairs[1] - a[1] * pairs[0])
        name = {-1: "LoA <", 0: "LoA =", 1: "LoA >"}[int(sign)]
        agree &= sets.setdefault(name, found) == found
    return sets, agree, right / (2 * np.array(pairs))


def examined(seed: int) -> list[Row]:
    Y = make_threshold_gaussians(SAMPLES, random_state=seed).Y
    scores = assignments(Y)
    sets, agree, aucs = optimal_sets(Y, scores)
    n10, n01, _, _ = counts(Y)
    many = n10 + n01
    pairs = np.array([y.sum() * (1 - y.astype(int)).sum() for y in Y.T])
    front = sorted(sets["LaA"])
    line = np.abs(pairs @ (1 - aucs[front]).T - n10 * n01).max()
    expected = {"LoA <": 1, "LoA >": 1, "LoA =": 2**many, "LaA": 2**many, "product": 3**many}
    rows: list[Row] = [
        {
            "kind": "set",
            "seed": seed,
            "set": name,
            "disagreeing": many,
            "size": len(sets[name]) if name in sets else None,
            "expected": expected[name],
        }
        for name in SETS
    ]
    ends = [sets[name] for name in ("LoA <", "LoA >") if name in sets]
    rows.append(
        {
            "kind": "relations",
            "seed": seed,
            "set": "all",
            "ends inside": all(end < sets["LoA ="] for end in ends),
            "LoA = is LaA": sets["LoA ="] == sets["LaA"],
            "LaA inside product": sets["LaA"] < sets["product"],
            "sign of alpha decides": agree,
            "front is a line": bool(line < 1e-12),
        }
    )
    places = {name: {tuple(p) for p in aucs[sorted(sets[name])].tolist()} for name in sets}
    rows += [
        {"kind": "points", "seed": seed, "set": name, "aucs": sorted(map(list, places[name]))}
        for name in places
    ]
    return rows


def run(*, quick: bool = False) -> Result:
    seeds = suitable()
    # One picture is enough: points of the first sample only.
    rows = []
    for seed in seeds[:3] if quick else seeds:
        rows += [r for r in examined(seed) if r["kind"] != "points" or seed == seeds[0]]
    settings = {"items": SAMPLES, "P": TOP, "weights": [1, 2, 3, 4, 5]}
    paper = [
        {"set": "relations", "printed": "LoA< ⊂ LoA= = LaA ⊂ LP, and LoA> ⊂ LoA="},
        {"set": "front", "printed": "a line spanned by the solutions of LoA< and LoA>"},
    ]
    return Result("figure_pareto_fronts", settings, rows, paper, seeds, versions=versions())


def render(result: Result) -> Page:
    sizes = [r for r in result.rows if r["kind"] == "set"]
    relations = [r for r in result.rows if r["kind"] == "relations"]
    claims = [key for key in relations[0] if key not in ("kind", "seed", "set")]
    holds = [
        {"claim": claim, "holds": f"{sum(r[claim] for r in relations)} of {len(relations)}"}
        for claim in claims
    ]
    by_seed = {r["seed"]: {} for r in sizes}
    for r in sizes:
        by_seed[r["seed"]][r["set"]] = r
    lines = [
        {"seed": seed, "M": found["LaA"]["disagreeing"], **{k: v["size"] for k, v in found.items()}}
        for seed, found in by_seed.items()
    ]
    right = all(r["size"] in (None, r["expected"]) for r in sizes)
    text = f"""
{SAMPLES} items with two labels; M of them disagree. Agreeing items have the highest or the lowest
score, disagreeing ones any of 0..{TOP}; all assignments are tried, with weights 1..5 each for loss
aggregation,
and valued in whole numbers, so that 'equal' means equal. Sizes of the sets of best assignments:

{table(lines, {"seed": "seed", "M": "M", **{name: name for name in SETS}})}

{table(holds, {"claim": "claim", "holds": "holds"})}

**Reproduced.** The set relations hold exactly; the sizes are {"" if right else "NOT "}1, 1, 2^M,
2^M and 3^M. Two corrections to the text: disagreeing items take
0..P, not 1..P, and the cases <, =, > are those of alpha_1 - alpha_2 with alpha_k = a_k / (n_k+
n_k-), not of a_1 - a_2.
"""
    order = ["product", "LaA", "LoA =", "LoA <", "LoA >"]
    # Larger marks around smaller ones, because the sets contain each other.
    sizes_drawn = dict(zip(order, (30, 50, 170, 330, 330), strict=True))
    points = [
        {"set": r["set"], "auc_1": auc[0], "auc_2": auc[1], "size": sizes_drawn[r["set"]]}
        for r in result.rows
        if r["kind"] == "points"
        for auc in r["aucs"]
    ]
    lowest = min(min(point["auc_1"], point["auc_2"]) for point in points)
    scale = alt.Scale(domain=[lowest - 0.02, 1.02], nice=False)
    points.sort(key=lambda p: order.index(p["set"]))
    chart = (
        alt.Chart(data(points), title="AUCs of the best assignments (first sample)")
        .mark_point(opacity=1, strokeWidth=1.8)
        .encode(
            x=alt.X("auc_1:Q", title="AUC of label 1", scale=scale),
            y=alt.Y("auc_2:Q", title="AUC of label 2", scale=scale),
            shape=alt.Shape(
                "set:N",
                title="best for",
                sort=order,
                scale=alt.Scale(
                    domain=order,
                    range=["cross", "circle", "square", "triangle-down", "triangle-up"],
                ),
            ),
            color=alt.Color(
                "set:N",
                title="best for",
                sort=order,
                scale=alt.Scale(
                    domain=order,
                    range=["#afb8c1", COLOURS["LaA"], COLOURS["LoA"], "#1a7f37", "#cf222e"],
                ),
            ),
            size=alt.Size("size:Q", scale=None),
        )
        .properties(width=400, height=340)
    )
    return Page("Best assignments and the front", text, chart)
