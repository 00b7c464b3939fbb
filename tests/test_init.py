"""The package's front door: lazy names, each with documentation."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isonomy

HEAVY = {
    *("altair", "dask", "lightgbm", "numba", "numpy", "polars", "scipy", "skops", "sklearn"),
    *("torch", "xgboost", "pandas", "rich", "typer", "pooch", "pyspark", "distributed"),
}


def loaded_by(code: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after running the code."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import isonomy",
        "import isonomy; isonomy.__version__; dir(isonomy); isonomy.__all__; isonomy.__doc__",
        "import isonomy; hasattr(isonomy, 'no_such_name')",
        "import isonomy.cli",
    ],
)
def test_importing_loads_nothing_heavy(code: str) -> None:
    loaded = loaded_by(code)
    assert "isonomy" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    "code",
    [
        "iso.auc([0, 1], [1, 2])",
        "iso.LabelAggregation()",
        "iso.label_aucs([[0, 1], [1, 0], [1, 1]], [1, 2, 3], sample_weight=[1, 2, 3])",
        "iso.conflict_aucs([[0, 1], [1, 0]], [1, 2])",
        "iso.pair_loss([0, 1], [1, 2])",
    ],
)
def test_metrics_load_neither_scikit_learn_nor_an_extra(code: str) -> None:
    loaded = loaded_by(f"import isonomy as iso; {code}")
    assert "numba" in loaded
    assert not loaded & (HEAVY - {"numba", "numpy", "scipy"})
    assert "scipy.stats" not in loaded


def test_many_threads_may_be_the_first() -> None:
    """They import numpy, numba and the package at the same moment."""
    code = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import isonomy as iso

sys.setswitchinterval(1e-5)
start = Barrier(16)

def first(number):
    start.wait()
    if number % 2:
        return iso.auc([0, 1, 1], [1, 2, 3])
    return iso.pair_loss([0, 1, 1], [1, 2, 3]).value

with ThreadPoolExecutor(16) as pool:
    assert len(set(pool.map(first, range(16)))) == 2
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("name", isonomy.__all__)
def test_every_name_resolves_with_a_doctest(name: str) -> None:
    value = getattr(isonomy, name)
    assert name in dir(isonomy)
    assert inspect.getdoc(value)
    values = {name: value}
    if inspect.ismodule(value):
        values = {f"{name}.{each}": getattr(value, each) for each in value.__all__}
    for each, one in values.items():
        if inspect.isfunction(one) or inspect.isclass(one):
            assert ">>>" in (inspect.getdoc(one) or ""), f"{each} has no example"


def stub_names() -> list[str]:
    """The names that `__init__.pyi` imports, in its order."""
    stub = Path(isonomy.__file__).with_suffix(".pyi").read_text()
    found = re.findall(r"^from \S+ import (\w+) as (\w+)$", stub, flags=re.MULTILINE)
    assert all(name == alias for name, alias in found), "a name is offered under its own name"
    assert len(found) == stub.count("import "), "one name a line"
    return [name for name, _ in found]


# Every public name, by hand: other people's checks call them.
FIXED = {
    *("LossAggregation", "LabelAggregation", "OneLabel", "SoftLabel", "WorstLabel"),
    *("Labels", "Objective", "Preferences", "Mean", "Pooled", "Worst"),
    *(
        "auc",
        "label_aucs",
        "label_ndcgs",
        "ndcg_intervals",
        "multipartite_auc",
        "objective_auc",
        "conflict_aucs",
    ),
    *("auc_intervals", "AUCIntervals", "conflict_intervals", "compare_scores", "scorer"),
    *("LinearRanker", "PlugInRanker", "BlendRanker", "BoostedRanker", "NeuralRanker", "blend"),
    *("audit", "Audit", "compare", "Comparison", "save", "load", "pair_loss"),
    *("to_onnx", "to_sql"),
    *("Calibration", "PairLossResult", "ScoreComparison"),
    *("AUCSketch", "Bounded", "dask", "spark"),
    *("theory", "pareto", "boosting", "surrogates", "datasets", "torch"),
}


def test_all_is_sorted_and_complete() -> None:
    assert isonomy.__all__ == sorted(set(stub_names()))
    assert len(set(stub_names())) == len(stub_names())
    assert set(isonomy.__all__) == FIXED


def test_all_has_every_public_module() -> None:
    folder = Path(isonomy.__file__).parent
    modules = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")}
    public = {name for name in modules if not name.startswith("_")}
    assert public - {"cli"} <= set(isonomy.__all__)


def test_star_import_gives_the_public_names() -> None:
    namespace: dict[str, object] = {}
    exec("from isonomy import *", namespace)
    assert set(isonomy.__all__) <= set(namespace)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="'isonomy' has no attribute 'nothing'"):
        isonomy.nothing  # noqa: B018
