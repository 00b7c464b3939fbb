"""The summary table of best scorers, each entry verified on all rankings of random spaces."""

from __future__ import annotations

import numpy as np

import isonomy as iso
from isonomy.theory import dictator, population_objective_auc, search, weak_orders
from paper._pages import Page, grid_picture, table
from paper._results import Result, Row, versions

KEYS, TOLERANCE = ("objective", "entry"), 1e-9
SPACES, POINTS = 100, 5
UNIFORM, LINEAR = iso.LabelAggregation(costs="uniform"), iso.LabelAggregation()
NAMES = {"LoA": "Loss aggregation", "uniform": "LaA, uniform cost", "linear": "LaA, linear cost"}
PAPER = [
    {
        "objective": "LoA",
        "stochastic": "Σₖ αₖ ηₖ",
        "deterministic": "α₁ η₁ + α₂ η₂",
        "pareto": True,
        "dictatorship": True,
    },
    {
        "objective": "uniform",
        "stochastic": "no closed form",
        "deterministic": "η₁ + η₂",
        "pareto": False,
        "dictatorship": False,
    },
    {
        "objective": "linear",
        "stochastic": "Σₖ ηₖ",
        "deterministic": "η₁ + η₂",
        "pareto": True,
        "dictatorship": False,
    },
]
# Each should stand above the next, and the last above the first.
CYCLE = np.array([[0, 0.63, 0.841], [1, 0.244, 0.282], [0.509, 0.528, 0.459]])
SIX = np.array([[1, 0.44], [0.2, 0.56], [0.62, 0.81], [0.44, 1], [0.56, 0.2], [0.81, 0.62]])


def all_aucs(eta: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Each label's AUC under every ranking of the points, by definition."""
    orders = weak_orders(len(eta))
    step = 0.5 * (1 + np.sign(orders[:, :, None] - orders[:, None, :]))
    pairs = [np.outer(mu * e, mu * (1 - e)) for e in eta.T]
    return np.stack([np.einsum("rij,ij->r", step, p) / p.sum() for p in pairs], axis=1)


def is_dominated(aucs: np.ndarray, one: np.ndarray) -> bool:
    better = (aucs >= one - 1e-12).all(axis=1) & (aucs > one + 1e-9).any(axis=1)
    return bool(better.any())


def aucs_of(eta: np.ndarray, mu: np.ndarray, order: np.ndarray) -> np.ndarray:
    return iso.theory.population_aucs(eta, order, mu=mu)


def alphas(eta: np.ndarray, mu: np.ndarray, a: np.ndarray) -> np.ndarray:
    pi = mu @ eta
    return a / (pi * (1 - pi))


def spaces(n: int, *, certain: bool) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Probabilities, masses and weights of labels."""
    made = []
    for seed in range(n):
        rng = np.random.default_rng([seed, certain])
        labels = 2 if certain else int(rng.integers(2, 5))
        eta = rng.random((POINTS - certain, labels))
        if certain:
            eta = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], float)
        a = rng.uniform(0.5, 2, labels)
        made.append((eta, rng.dirichlet(np.ones(len(eta))) * 0.9 + 0.1 / len(eta), a))
    return made


def objective_of(name: str, a: np.ndarray) -> iso.Objective:
    return {"LoA": iso.LossAggregation(a), "uniform": UNIFORM, "linear": LINEAR}[name]


def formula(name: str, eta: np.ndarray, mu: np.ndarray, a: np.ndarray) -> np.ndarray:
    return eta @ alphas(eta, mu, a) if name == "LoA" else eta.sum(axis=1)


def examined(name: str, n: int) -> list[Row]:
    """Every entry of a row of the table, on n random spaces."""
    lost, dominated, checked = [], 0, 0
    for eta, mu, a in spaces(n, certain=False):
        objective = objective_of(name, a)
        best = search(eta, objective, mu=mu)
        value = population_objective_auc(eta, formula(name, eta, mu, a), objective, mu=mu)
        lost.append(best.value - value)
        aucs = all_aucs(eta, mu)
        checked += len(best.orders)
        dominated += sum(is_dominated(aucs, aucs_of(eta, mu, order)) for order in best.orders)
    certain_lost, wrong, dictators = [], 0, 0
    for eta, mu, a in spaces(n, certain=True):
        objective = objective_of(name, a)
        best = search(eta, objective, mu=mu)
        gamma = formula(name, eta, mu, a)
        certain_lost.append(best.value - population_objective_auc(eta, gamma, objective, mu=mu))
        above = gamma[:, None] > gamma
        wrong += sum(bool((above & (o[:, None] <= o)).any()) for o in best.orders)
        found = dictator(eta, objective, mu=mu).label
        expected = int(alphas(eta, mu, a).argmax()) if name == "LoA" else None
        dictators += found == expected if name == "LoA" else found is not None
    return [
        {"entry": "stochastic", "spaces": n, "largest loss": max(lost)},
        {"entry": "deterministic", "spaces": n, "largest loss": max(certain_lost), "wrong": wrong},
        {"entry": "pareto", "spaces": n, "best rankings": checked, "dominated": dominated},
        {"entry": "dictatorship", "spaces": n, "dictated": dictators},
    ]


def six_examples() -> bool:
    """Whether a best scorer for uniform costs is dominated on the paper's six examples."""
    mu = np.full(6, 1 / 6)
    best = search(SIX, UNIFORM).orders
    aucs = all_aucs(SIX, mu)
    return all(is_dominated(aucs, aucs_of(SIX, mu, order)) for order in best)


def cycle_margins() -> list[float]:
    """By how much uniform costs gain from each point above the next, around the circle."""
    levels = iso.theory.level_probabilities(CYCLE)
    above = [[float(np.tril(np.outer(p, q), -1).sum()) for q in levels] for p in levels]
    return [above[i][(i + 1) % 3] - above[(i + 1) % 3][i] for i in range(3)]


def run(*, quick: bool = False) -> Result:
    # Fewer spaces would have other largest losses, so the quick run takes them all.
    rows = [{"objective": name, **row} for name in NAMES for row in examined(name, SPACES)]
    rows.append({"objective": "uniform", "entry": "circle", "margins": cycle_margins()})
    rows.append({"objective": "uniform", "entry": "six examples", "dominated": six_examples()})
    settings = {"spaces": SPACES, "points": POINTS, "labels": "2 to 4; 2 where certain"}
    return Result("table_bayes_optimal", settings, rows, PAPER, [0], versions=versions())


def verdicts(rows: list[Row]) -> list[Row]:
    """Whether each printed entry holds."""
    found = {(row["objective"], row["entry"]): row for row in rows}
    made = []
    for printed in PAPER:
        name = printed["objective"]
        loss = found[name, "stochastic"]["largest loss"]
        certain = found[name, "deterministic"]
        optimal = loss < 1e-9
        dominated = found[name, "pareto"]["dominated"]
        if name == "uniform":
            optimal = not optimal and min(found[name, "circle"]["margins"]) > 0
            dominated += found[name, "six examples"]["dominated"]
        made.append(
            {
                "objective": NAMES[name],
                "stochastic": optimal,
                "deterministic": certain["largest loss"] < 1e-9 and certain["wrong"] == 0,
                "pareto": (dominated == 0) == printed["pareto"],
                "dictatorship": (found[name, "dictatorship"]["dictated"] == SPACES)
                == printed["dictatorship"],
            }
        )
    return made


def plain(text: str) -> str:
    """In letters that the fonts of pictures have."""
    for sign, letters in {"₁": "1", "₂": "2", "ₖ": "", "Σ": "sum of "}.items():
        text = text.replace(sign, letters)
    return text


def render(result: Result) -> Page:
    held = verdicts(result.rows)
    shown = []
    for printed, row in zip(PAPER, held, strict=True):
        texts = {
            "stochastic": printed["stochastic"],
            "deterministic": printed["deterministic"],
            "pareto": "yes" if printed["pareto"] else "no",
            "dictatorship": "yes" if printed["dictatorship"] else "no",
        }
        shown.append(
            {"objective": row["objective"]}
            | {key: f"{'✓' if row[key] else '✗'} {text}" for key, text in texts.items()}
        )
    headings = {
        "objective": "objective",
        "stochastic": "stochastic labels, any K",
        "deterministic": "deterministic, K = 2",
        "pareto": "Pareto optimal",
        "dictatorship": "dictatorship",
    }
    evidence = []
    for row in result.rows:
        facts = {k: v for k, v in row.items() if k not in ("objective", "entry")}
        listed = ", ".join(
            f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in facts.items()
        )
        evidence.append(
            {"objective": NAMES[row["objective"]], "entry": row["entry"], "found": listed}
        )
    everything = all(all(v for k, v in row.items() if k != "objective") for row in held)
    text = f"""
What the paper prints, with a ✓ where it was verified: the printed scorer reaches the largest value
among *all* rankings with ties of {SPACES} random spaces, no ranking dominates a best one (or one
does), a label dictates (or none does).

{table(shown, {heading: key for key, heading in headings.items()})}

**{"Reproduced, every entry" if everything else "Differs"}.** 'No closed form' is verified by three
points of which uniform costs put each above the next and the last above the first, so that no
function of a point's own probabilities can be the best scorer everywhere; 'not Pareto optimal' by
the paper's six examples, in [example_pareto](example_pareto.md).

{table(evidence, {"objective": "objective", "entry": "entry", "found": "found"})}
"""
    renamed = [{headings[key]: plain(value) for key, value in row.items()} for row in shown]
    chart = grid_picture(renamed, list(headings.values()), "Best scorers; green: verified")
    return Page("Best scorers of each objective", text, chart)
