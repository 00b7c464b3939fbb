"""The package's front door: lazy names, each with documentation."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import isonomy

HEAVY = {
    *("altair", "dask", "lightgbm", "numba", "numpy", "polars", "scipy", "skops", "sklearn"),
    *("torch", "xgboost", "pandas", "rich", "typer", "pooch"),
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
    assert not loaded & (HEAVY if "cli" not in code else HEAVY - {"rich", "typer"})


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


@pytest.mark.parametrize("name", isonomy.__all__)
def test_every_name_resolves_with_a_doctest(name: str) -> None:
    value = getattr(isonomy, name)
    assert name in dir(isonomy)
    assert inspect.getdoc(value)
    if inspect.isfunction(value) or inspect.isclass(value):
        assert ">>>" in inspect.getdoc(value), f"{name} has no example"


def test_all_is_sorted_and_complete() -> None:
    assert len(set(isonomy.__all__)) == len(isonomy.__all__)
    fixed = {
        *("LossAggregation", "LabelAggregation", "OneLabel", "WorstLabel", "auc", "label_aucs"),
        *("multipartite_auc", "objective_auc", "conflict_aucs", "auc_intervals"),
        *("conflict_intervals", "compare_scores", "scorer", "AUCIntervals"),
    }
    assert fixed <= set(isonomy.__all__)


def test_star_import_gives_the_public_names() -> None:
    namespace: dict[str, object] = {}
    exec("from isonomy import *", namespace)
    assert set(isonomy.__all__) <= set(namespace)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="'isonomy' has no attribute 'nothing'"):
        isonomy.nothing  # noqa: B018
