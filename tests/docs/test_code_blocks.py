"""Every code block of the README and of the site's pages runs, on small data of the right names."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from threadpoolctl import threadpool_limits

import isonomy as iso
from isonomy._compare import METHODS
from tests.cli.command import Shell
from tests.docs.blocks import PAGES, ROOT, Block, blocks, commands, run_python
from tests.judge.server import JudgeServer, says, serving

N_ROWS = 400
# Run with an engine at hand, by the tests of the engine.
ELSEWHERE = ("iso.spark.", "Client(", "CommunicatorContext")
# Beginnings of lines for a shell that are not Isonomy's.
OTHERS = ("pip install", "make ", "export ", "HYPOTHESIS_PROFILE=", "python -m paper")
# Quick settings, unless the page has its own; the answer is not looked at.
KEPT = {"mean", "loss", "worst", "one-label"}
QUICK = {"--family": ["linear"], "--no-tune": [], "--folds": ["2"], "--repeats": ["1"]}


def made(n: int = N_ROWS, seed: int = 0) -> pl.DataFrame:
    """A table with every column that a page names."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    click, relevance = x + rng.logistic(size=n) > 0, z + rng.logistic(size=n) > 0
    buy = x + z + rng.logistic(size=n) > 1.5
    votes = {
        who: np.where(rng.random(n) < 0.2, np.nan, x + rng.logistic(size=n) > cut)
        for who, cut in (("abel", 0), ("brand", 0.5), ("chen", 1))
    }
    return pl.DataFrame(
        {
            "x": x,
            "z": z,
            "query": np.arange(n) // 12,
            "patient": np.arange(n) // 6,
            "s": x + z,
            "score": x + z,
            "p_click": x,
            "p_buy": x + 2 * z,
            "n": rng.integers(1, 5, n),
            **{k: v.astype(int) for k, v in (("click", click), ("relevance", relevance))},
            "buy": buy.astype(int),
            **votes,
        }
    ).fill_nan(None)


def small_log(make: Callable[..., Any], n_items: int = N_ROWS, **options: Any) -> Any:
    """The search log, cut, with labels that are common enough for so few rows."""
    return make(min(n_items, N_ROWS), **{"priors": (0.4, 0.1), **options})


def quick_compare(compare: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    quick = {"family": "linear", "tune": False, "folds": 2, "repeats": 1}
    return compare(*arguments, **{**quick, **options})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files that pages name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setattr(
        iso.datasets, "make_search_log", partial(small_log, iso.datasets.make_search_log)
    )
    monkeypatch.setattr(iso, "compare", partial(quick_compare, iso.compare))
    table = made()
    features = table[["x", "z", "query", "click", "relevance"]]
    features.write_parquet("data.parquet")
    features.drop("click", "relevance").write_parquet("new.parquet")
    table.write_parquet("scored.parquet")
    table.write_csv("scored.csv")
    table[["score", "click", "buy", "n"]].write_parquet("counts.parquet")
    votes = table[["x", "z", "abel", "brand", "chen"]]
    votes.write_csv("votes.csv")
    votes[["x", "z"]].write_csv("new_cases.csv")
    table[["patient", "score", "abel", "brand", "chen"]].write_csv("scored_votes.csv")
    texts = [
        f"{'good' if i % 3 else 'poor'} {'fun' if i % 2 else 'dull'} text {i}" for i in range(60)
    ]
    docs = pl.DataFrame({"query": ["q"] * 60, "document": texts})
    docs.write_parquet("docs.parquet")
    labels = {"relevance": [i % 3 > 0 for i in range(60)], "engagement": [i % 2 for i in range(60)]}
    docs.with_columns(**{k: pl.Series(v).cast(int) for k, v in labels.items()}).write_parquet(
        "labelled.parquet"
    )
    every = dict(METHODS)
    for key in every.keys() - KEPT:
        del METHODS[key]
    yield tmp_path
    # In their order, which other tests rely on.
    METHODS.clear()
    METHODS.update(every)


def given() -> dict[str, Any]:
    """What pages take to be there: a table's parts by their usual names."""
    import torch

    table, later = made(), made(seed=1)
    X, Y = table[["x", "z"]].to_numpy(), table[["click", "relevance"]].to_numpy().astype(float)
    X_valid, Y_valid = later[["x", "z"]].to_numpy(), later[["click", "relevance"]].to_numpy()
    score = table["s"].to_numpy()
    model = torch.nn.Linear(2, 1)
    sketch = iso.AUCSketch(["click", "buy"]).add(later[["click", "buy"]], later["score"])
    query = table["query"].to_numpy()
    rows = {"X": X, "Y": Y, "X_new": X_valid, "X_valid": X_valid, "Y_valid": Y_valid}
    rows |= {"score": score, "new_score": score, "old_score": X[:, 0], "scores": X}
    rows |= {"query": query, "queries": query, "user": table["patient"].to_numpy()}
    rows |= {"w": np.ones(len(X)), "n": table["n"].to_numpy(), "table": {"country": query % 2}}
    rows |= {"Y_january": Y_valid, "score_january": later["s"].to_numpy()}
    optimiser = torch.optim.Adam(model.parameters())
    others = {"iso": iso, "objective": None, "model": model, "optimizer": optimiser}
    return rows | others | {"other_machine": sketch.to_bytes()}


def batches_for(code: str) -> list[Any]:
    """Of tensors or of tables, as the block takes them."""
    import torch

    table = made()
    if "optimizer" in code:
        numbers = table[["x", "z"]].to_numpy(), table[["click", "relevance"]].to_numpy()
        return [tuple(torch.as_tensor(each).float() for each in numbers)]
    return [table]


@pytest.fixture(scope="module")
def judge() -> Iterator[JudgeServer]:
    with serving(lambda asked: says(str(int(asked.key, 16) % 2))) as server:
        yield server


def run_command(line: str, shell: Shell, judge: JudgeServer) -> None:
    words = shlex.split(line)
    if words[0] != "isonomy":
        assert line.startswith(OTHERS), f"what is {line!r}?"
        return
    if "--endpoint" in words:
        words[words.index("--endpoint") + 1] = judge.url
    if words[1] == "compare":
        for option, values in QUICK.items():
            words += [] if option in words else [option, *values]
    done = shell(*words[1:])
    # A gate may fail on made-up data.
    gates = any(word.startswith(("--fail", "--max-gap")) for word in words)
    assert done.code == 0 or (gates and done.code == 1), f"{line}\n{done.err}"


def run_block(block: Block, namespace: dict[str, Any], shell: Shell, judge: JudgeServer) -> None:
    if block.language == "python":
        namespace["batches"] = batches_for(block.code)
        run_python(block, namespace)
    elif block.language == "sh":
        for line in commands(block):
            run_command(line, shell, judge)
    elif block.language == "yaml":
        (job,) = yaml.safe_load(block.code)["jobs"].values()
        lines = [step["run"] for step in job["steps"] if "run" in step]
        assert any(line.startswith("isonomy") for line in lines)
        for line in lines:
            run_command(line, shell, judge)


def runnable(page: Path) -> list[Block]:
    found = [each for each in blocks(page) if each.language in ("python", "sh", "yaml")]
    return [each for each in found if not any(words in each.code for words in ELSEWHERE)]


WITH_CODE = [page for page in PAGES if runnable(page)]


@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_from_its_first_block_to_its_last(
    page: Path, shell: Shell, judge: JudgeServer
) -> None:
    found = runnable(page)
    if any("import mlflow" in each.code for each in found):
        pytest.importorskip("mlflow", reason="mlflow-skinny is not installed")
    namespace = given()
    # Engines that fight for the cores take longer than one that has one.
    with threadpool_limits(1):
        for block in found:
            run_block(block, namespace, shell, judge)


def test_blocks_are_of_kinds_that_run() -> None:
    kinds = {(each.language, each.page) for page in PAGES for each in blocks(page)}
    # Tables and formulas have no language; the statements are run by tests/test_sql.py.
    odd = {each for each in kinds if each[0] not in ("python", "sh", "yaml", "")}
    assert odd == {("bibtex", "README.md"), ("sql", "docs/scale.md")}


def test_blocks_that_run_elsewhere_are_few() -> None:
    code = [each.code for page in PAGES for each in blocks(page) if each.language == "python"]
    assert sum(any(words in text for words in ELSEWHERE) for text in code) == len(ELSEWHERE)
