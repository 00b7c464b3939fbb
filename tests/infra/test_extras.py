"""Extras: what works without them, and what is said where one is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from isonomy._infra import LazyModule, first_missing, require
from tests.without_extras import run_without_extras

DATA = """
import numpy as np
import isonomy as iso
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 2))
Y = (X + rng.logistic(size=(400, 2)) > [0, 1]).astype(int)
score = X.sum(axis=1)
"""

WORKS = {
    "metrics": "print(iso.label_aucs(Y, score), iso.objective_auc(Y, score, iso.WorstLabel()))",
    "intervals": "print(iso.auc_intervals(Y, score), iso.conflict_intervals(Y, score))",
    "tests": "print(iso.compare_scores(Y, score, X[:, 0]))",
    "losses": "print(iso.pair_loss(Y, score, iso.LossAggregation()))",
    "linear": "print(iso.LinearRanker().fit(X, Y).predict(X)[0])",
    "worst": "print(iso.LinearRanker(iso.WorstLabel()).fit(X, Y).gap_)",
    "plug-in": """
from sklearn.linear_model import LogisticRegression
print(iso.PlugInRanker(LogisticRegression()).fit(X, Y).predict(X)[0])
""",
    "blend": "print(iso.blend(X, Y).coef_)",
    "sql": "print(iso.to_sql(iso.LinearRanker().fit(X, Y), columns=['a', 'b']))",
    "audit": "print(iso.audit(Y, score, names=['a', 'b']))",
    "sketch": "print(iso.audit(iso.AUCSketch(['a', 'b']).add(Y, score)))",
    "compare": "print(iso.compare(X, Y, repeats=1, random_state=0))",
    "pareto": "print(iso.pareto.trace(X, Y).aucs)",
    "theory": "print(iso.theory.dictator([[0.9, 0.2], [0.5, 0.3]], iso.LossAggregation()))",
    "datasets": "print(iso.datasets.make_search_log(100).X.shape)",
}

NEEDS = {
    "save": ("cli", "iso.save(iso.LinearRanker().fit(X, Y), {folder!r} + '/model.isonomy')"),
    "load": ("cli", "iso.load({model!r})"),
    "fetch": ("cli", "iso.datasets.load_bank(data_dir={folder!r})"),
    "download": ("cli", "iso.datasets.load_mslr(data_dir={folder!r})"),
    "audit frame": ("cli", "iso.audit(Y, score).to_frame()"),
    "compare frame": ("cli", "iso.compare(X, Y, repeats=1, random_state=0).to_frame()"),
    "front frame": ("cli", "iso.pareto.trace(X, Y).to_frame()"),
    "diagram": (
        "cli",
        "iso.theory.draw_orders({{'a': iso.theory.partial_order(iso.LabelAggregation())}})",
    ),
    "table": ("cli", "from isonomy._rankers import TableEncoder; TableEncoder().fit(X)"),
    "boosted": ("boost", "iso.BoostedRanker().fit(X, Y)"),
    "xgboost": ("boost", "iso.BoostedRanker(engine='xgboost').fit(X, Y)"),
    "boosted family": ("boost", "iso.compare(X, Y, family='boosted')"),
    "neural": ("torch", "iso.NeuralRanker().fit(X, Y)"),
    "neural family": ("torch", "iso.compare(X, Y, family='neural')"),
    "onnx": ("onnx", "iso.to_onnx(iso.LinearRanker().fit(X, Y))"),
    "dask": ("dask", "iso.dask.label_aucs(None, score='s', labels='a')"),
    "spark": ("spark", "iso.spark.label_aucs(None, score='s', labels='a')"),
    "torch": ("torch", "iso.torch.PairLoss(iso.LossAggregation())"),
}


def test_the_core_alone_measures_trains_and_judges() -> None:
    code = "\n".join([DATA, *WORKS.values()])
    done = run_without_extras(code)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each use of an extra says, from one interpreter."""
    import isonomy as iso

    folder = tmp_path_factory.mktemp("models")
    model = folder / "saved.isonomy"
    iso.save(iso.LinearRanker(l2=0.1).fit([[0.0], [1.0], [2.0]], [0, 1, 1]), model)
    code = [DATA]
    for name, (_, use) in NEEDS.items():
        text = use.format(folder=str(folder), model=str(model))
        code += [
            "try:",
            f"    {text}",
            f"    print({name!r}, 'nothing', sep='|')",
            "except ImportError as error:",
            f"    print({name!r}, error, sep='|')",
        ]
    done = run_without_extras("\n".join(code))
    assert done.returncode == 0, done.stderr
    return dict(line.split("|", 1) for line in done.stdout.splitlines() if "|" in line)


@pytest.mark.parametrize("name", NEEDS)
def test_a_missing_extra_is_said_with_the_pip_line(name: str, said: dict[str, str]) -> None:
    extra, _ = NEEDS[name]
    assert said[name].endswith(f": pip install 'isonomy[{extra}]'")


def test_the_command_says_the_pip_line_without_a_traceback() -> None:
    for arguments in (["demo"], ["--help"], []):
        done = run_without_extras(
            f"sys.argv = ['isonomy', *{arguments}]\nfrom isonomy.cli import main\nmain()"
        )
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr == (
            "isonomy's command line needs typer, which is not installed: "
            "pip install 'isonomy[cli]'\n"
        )


def test_no_bar_without_rich() -> None:
    done = run_without_extras(
        "from isonomy._infra import progress, progress_bar\n"
        "progress_bar.PATIENCE = -1.0\n"
        "sys.stderr.isatty = lambda: True\n"
        "print(*progress(range(5), 5, 'Work'))"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 1 2 3 4\n", "")


def test_require_imports_what_is_there() -> None:
    assert require("json.decoder", "cli", "This").JSONDecoder
    assert first_missing(["json", "no_such_module", "nor_this"]) == "no_such_module"
    assert first_missing(["json", "sys"]) is None


def test_a_late_module_is_imported_at_its_first_use() -> None:
    late = LazyModule("no_such_module", "cli", "This")
    with pytest.raises(ImportError, match=r"This needs no_such_module.*'isonomy\[cli\]'"):
        late.anything  # noqa: B018
    assert LazyModule("json", "cli", "This").dumps({}) == "{}"


def test_what_an_installed_package_lacks_itself_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_there.py").write_text("import no_such_module\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_module'"):
        require("half_there", "cli", "This")
