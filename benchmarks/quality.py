"""Held-out quality of one score for several labels: boosted rankers beside their peers.

Every method gets the same rows to train on, the same rows to stop by and the same rows to be
judged by; the same rounds, learning rate and patience; and is tuned no further. Methods that know
both labels stop by the smaller of the two AUCs, methods that know one label by that label's.
"""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

import isonomy as iso
from benchmarks.targets import Target

# Few rows, and few queries, need more splits.
N_SPLITS, QUICK_SPLITS = {"bank": 5, "mslr": 10}, 2
HELD_OUT = 0.2
N_ROUNDS, PATIENCE, LEARNING_RATE = 300, 30, 0.1
SEED = 0
# LightGBM's lambdarank takes no longer queries.
LONGEST_QUERY = 10_000
HIDDEN, BATCH, N_EPOCHS, EPOCH_PATIENCE = 64, 512, 60, 8
OURS = "BoostedRanker(LabelAggregation())"

Array = np.ndarray


@dataclass(frozen=True)
class Rows:
    """Features (categories as numbers), two labels, and the query of each row, if any."""

    X: Array
    Y: Array
    groups: Array | None
    categorical: list[int]

    def take(self, index: Array) -> Rows:
        groups = None if self.groups is None else self.groups[index]
        return Rows(self.X[index], self.Y[index], groups, self.categorical)

    def aucs(self, scores: Array) -> Array:
        """Both labels' AUCs, over pairs inside a query where there are queries."""
        return iso.label_aucs(self.Y, scores, groups=self.groups)


@dataclass(frozen=True)
class Split:
    """Three parts of the rows."""

    train: Rows
    validation: Rows
    test: Rows


Method = Callable[[Split], Array]


def run(console: Console, *, quick: bool) -> list[Target]:
    """Print one table per data set; there is no target, because none is promised."""
    for name, load in (("bank", bank), ("mslr", mslr)):
        rows = load()
        if rows is None:
            console.print(f"{name}: no such data; set ISONOMY_DATA to the folder that holds them.")
            continue
        print_table(name, rows, QUICK_SPLITS if quick else N_SPLITS[name], console)
    return []


def print_table(name: str, rows: Rows, n_splits: int, console: Console) -> None:
    """Markdown, so that the docs can hold what was printed."""
    aucs: dict[str, list[Array]] = {}
    for split in splits(rows, n_splits):
        for method, scores in methods(split).items():
            aucs.setdefault(method, []).append(split.test.aucs(scores))
    shape = f"{rows.X.shape[0]:,} rows, {rows.X.shape[1]} features, {n_splits} splits"
    print(f"\n{name}: {shape}; held-out AUC, mean and standard error\n")
    print("| method | smaller AUC | label 0 | label 1 | smaller AUC, minus the first |")
    print("|---|--:|--:|--:|--:|")
    first = np.min(aucs[OURS], axis=1)
    for method, found in aucs.items():
        both = np.array(found)
        least = both.min(axis=1)
        cells = [_shown(least), _shown(both[:, 0]), _shown(both[:, 1])]
        cells.append("" if method == OURS else _shown(least - first, sign="+"))
        print(f"| {method} | {' | '.join(cells)} |")
    if not libauc_ready():
        console.print("LibAUC is not installed: its row is missing. `pip install --no-deps libauc`")


def methods(split: Split) -> dict[str, Array]:
    """Scores of the test rows by every method."""
    ours = {
        OURS: boosted(split, iso.LabelAggregation()),
        "BoostedRanker(WorstLabel())": boosted(split, iso.WorstLabel()),
        "BoostedRanker(LossAggregation())": boosted(split, iso.LossAggregation()),
        'BoostedRanker(LabelAggregation(), engine="xgboost")': boosted(
            split, iso.LabelAggregation(), "xgboost"
        ),
    }
    alone = [binary(split, k) for k in range(2)]
    peers = {
        "LightGBM binary, label 0": alone[0],
        "LightGBM binary, label 1": alone[1],
        "LightGBM binary, both, probabilities added": alone[0] + alone[1],
        "LightGBM lambdarank, sum of labels": lambdarank(split),
        "XGBoost rank:pairwise, sum of labels": rank_pairwise(split),
    }
    if libauc_ready():
        peers[f"LibAUC AUCM, network of 2 x {HIDDEN}"] = libauc(split)
    return ours | peers


def boosted(split: Split, objective: iso.Objective, engine: str = "lightgbm") -> Array:
    ranker = iso.BoostedRanker(
        objective,
        engine=engine,
        params={"learning_rate": LEARNING_RATE},
        n_rounds=N_ROUNDS,
        patience=PATIENCE,
        eval_metric=iso.WorstLabel(),
        random_state=SEED,
    )
    train, validation = split.train, split.validation
    eval_set = (_frame(validation), validation.Y, None, validation.groups)
    ranker.fit(_frame(train), train.Y, groups=train.groups, eval_set=eval_set)
    return ranker.predict(_frame(split.test))


def binary(split: Split, label: int) -> Array:
    """Probabilities of one label."""
    watch = _watch(split.validation, lambda aucs: aucs[label])
    return _lightgbm(split, {"objective": "binary"}, lambda rows: rows.Y[:, label], watch)


def lambdarank(split: Split) -> Array:
    return _lightgbm(
        split,
        {"objective": "lambdarank"},
        lambda rows: rows.Y.sum(axis=1),
        _watch(split.validation, np.min),
        queries=True,
    )


def rank_pairwise(split: Split) -> Array:
    import xgboost

    def matrix(rows: Rows) -> xgboost.DMatrix:
        kinds = np.full(rows.X.shape[1], "float")
        kinds[rows.categorical] = "c"
        queries = np.zeros(len(rows.X), int) if rows.groups is None else rows.groups
        return xgboost.DMatrix(
            rows.X,
            rows.Y.sum(axis=1),
            qid=queries,
            feature_types=kinds.tolist(),
            enable_categorical=True,
        )

    watch = _watch(split.validation, np.min)
    booster = xgboost.train(
        {
            "objective": "rank:pairwise",
            "learning_rate": LEARNING_RATE,
            "seed": SEED,
            "disable_default_eval_metric": True,
            "verbosity": 0,
        },
        matrix(split.train),
        N_ROUNDS,
        evals=[(matrix(split.validation), "validation")],
        custom_metric=lambda scores, _: ("auc_min", watch(scores)),
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    best = (0, booster.best_iteration + 1)
    return booster.predict(matrix(split.test), iteration_range=best)


def libauc_ready() -> bool:
    """Whether LibAUC can be imported."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import libauc.losses  # noqa: F401
    except ImportError:
        return False
    return True


def libauc(split: Split) -> Array:
    """LibAUC's multi-label min-max AUC loss and optimiser; one score stands for every label.

    Its batches know nothing of queries.
    """
    import torch
    from libauc.losses import MultiLabelAUCMLoss
    from libauc.optimizers import PESG

    torch.manual_seed(SEED)
    X, X_validation, X_test = (torch.from_numpy(part) for part in _standardised(split))
    Y = torch.from_numpy(split.train.Y.astype(np.float32))
    network = torch.nn.Sequential(
        torch.nn.Linear(X.shape[1], HIDDEN), torch.nn.ReLU(),
        torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.ReLU(),
        torch.nn.Linear(HIDDEN, 1), torch.nn.Sigmoid(),
    )  # fmt: skip
    loss = MultiLabelAUCMLoss(num_labels=2)
    optimiser = PESG(network.parameters(), loss_fn=loss, lr=0.1, verbose=False)
    watch = _watch(split.validation, np.min)
    best, since, scores = -np.inf, 0, None
    for _ in range(N_EPOCHS):
        network.train()
        for batch in torch.randperm(len(X)).split(BATCH):
            optimiser.zero_grad()
            loss(network(X[batch]).expand(-1, 2), Y[batch]).backward()
            optimiser.step()
        optimiser.update_regularizer()
        network.eval()
        with torch.no_grad():
            value = watch(network(X_validation)[:, 0].numpy())
            since += 1
            if value > best:
                best, since, scores = value, 0, network(X_test)[:, 0].numpy()
        if since >= EPOCH_PATIENCE:
            break
    return scores


def splits(rows: Rows, n_splits: int) -> list[Split]:
    """Random parts; whole queries where there are queries."""
    made = []
    for seed in range(n_splits):
        rest, test = _parts(rows, seed)
        train, validation = _parts(rows.take(rest), seed)
        kept = rows.take(rest)
        made.append(Split(kept.take(train), kept.take(validation), rows.take(test)))
    return made


def bank() -> Rows | None:
    """All columns but the labels, housing and loan; text as categories."""
    path = _folder() / "bank" / "bank-full.csv"
    if not path.exists():
        return None
    with path.open() as lines:
        table = list(csv.DictReader(lines, delimiter=";"))
    names = [name for name in table[0] if name not in ("housing", "loan")]
    columns, categorical = [], []
    for j, name in enumerate(names):
        values = np.array([row[name] for row in table])
        try:
            columns.append(values.astype(float))
        except ValueError:
            columns.append(np.unique(values, return_inverse=True)[1].astype(float))
            categorical.append(j)
    Y = np.array([[row["housing"] == "yes", row["loan"] == "yes"] for row in table]).astype(int)
    return Rows(np.column_stack(columns), Y, None, categorical)


def mslr() -> Rows | None:
    """Clicked (column 134 above 0) and relevance >= 1; columns 134 to 136 are no features."""
    paths = sorted((_folder() / "mslr").glob("*.txt"))
    if not paths:
        return None
    X, Y, groups, last = [], [], [], None
    for path in paths:
        for line in path.read_text().splitlines():
            relevance, query, *entries = line.split()
            values = [float(entry.partition(":")[2]) for entry in entries]
            if (path, query) != last:
                last = path, query
                groups.append(groups[-1] + 1 if groups else 0)
            else:
                groups.append(groups[-1])
            X.append(values[:133])
            Y.append([values[133] > 0, int(relevance) >= 1])
    return Rows(np.array(X), np.array(Y).astype(int), np.array(groups), [])


def _lightgbm(
    split: Split,
    params: dict[str, object],
    label: Callable[[Rows], Array],
    watch: Callable[[Array], float],
    *,
    queries: bool = False,
) -> Array:
    import lightgbm

    def dataset(rows: Rows, reference: lightgbm.Dataset | None = None) -> lightgbm.Dataset:
        sizes = _query_sizes(rows) if queries else None
        return lightgbm.Dataset(
            rows.X,
            label(rows),
            group=sizes,
            reference=reference,
            categorical_feature=rows.categorical,
        )

    train = dataset(split.train)
    options = {"learning_rate": LEARNING_RATE, "seed": SEED, "verbosity": -1, "metric": "None"}
    booster = lightgbm.train(
        options | params,
        train,
        N_ROUNDS,
        valid_sets=[dataset(split.validation, train)],
        feval=lambda scores, _: ("auc", watch(scores), True),
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )
    return booster.predict(split.test.X)


def _query_sizes(rows: Rows) -> Array:
    """Rows a query; where there are none, as few queries as LightGBM allows, at random."""
    if rows.groups is not None:
        return np.unique(rows.groups, return_counts=True)[1]
    parts = -(-len(rows.X) // LONGEST_QUERY)
    return np.array([part.size for part in np.array_split(np.arange(len(rows.X)), parts)])


def _watch(rows: Rows, mix: Callable[[Array], float]) -> Callable[[Array], float]:
    return lambda scores: float(mix(rows.aucs(scores)))


def _parts(rows: Rows, seed: int) -> tuple[Array, Array]:
    """Most rows, and the rest. In random order, except that queries stay together."""
    kind = ShuffleSplit if rows.groups is None else GroupShuffleSplit
    splitter = kind(n_splits=1, test_size=HELD_OUT, random_state=seed)
    most, rest = next(splitter.split(rows.X, groups=rows.groups))
    return (most, rest) if rows.groups is None else (np.sort(most), np.sort(rest))


def _standardised(split: Split) -> list[Array]:
    """One-hot categories and standardised numbers, by the training rows, in float32."""
    numeric = np.setdiff1d(np.arange(split.train.X.shape[1]), split.train.categorical)
    centre = split.train.X[:, numeric].mean(axis=0)
    scale = split.train.X[:, numeric].std(axis=0)
    levels = [np.unique(split.train.X[:, j]) for j in split.train.categorical]

    def made(rows: Rows) -> Array:
        numbers = (rows.X[:, numeric] - centre) / np.where(scale > 0, scale, 1.0)
        marks = [
            rows.X[:, [j]] == values for j, values in zip(rows.categorical, levels, strict=True)
        ]
        return np.column_stack([numbers, *marks]).astype(np.float32)

    return [made(part) for part in (split.train, split.validation, split.test)]


def _frame(rows: Rows) -> object:
    """A data frame, where there are categories to be told from numbers."""
    if not rows.categorical:
        return rows.X
    import pandas as pd

    frame = pd.DataFrame(rows.X, columns=[f"x{j}" for j in range(rows.X.shape[1])])
    for j in rows.categorical:
        frame[f"x{j}"] = frame[f"x{j}"].astype("category")
    return frame


def _folder() -> Path:
    default = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("ISONOMY_DATA", default))


def _shown(values: Array, sign: str = "") -> str:
    error = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
    return f"{values.mean():{sign}.4f} ± {error:.4f}"
