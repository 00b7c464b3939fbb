"""`isonomy export`: files for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime
import polars as pl
import pytest

import isonomy as iso
from tests.cli.command import Shell
from tests.export.made_tables import LATER, TABLE, Y, feed

BOTH = ("--labels", "click,buy", "--no-tune")


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    TABLE.with_columns(click=Y[:, 0], buy=Y[:, 1]).write_parquet(path)
    return path


@pytest.mark.parametrize(
    "options",
    [
        ("--method", "mean"),
        ("--method", "funnel"),
        ("--method", "plug-in"),
        ("--method", "worst", "--family", "boosted"),
        ("--method", "blend", "--family", "boosted"),
        ("--method", "plug-in", "--family", "boosted", "--tune"),
        ("--method", "blend", "--family", "linear,boosted"),
    ],
    ids=" ".join,
)
def test_what_fit_saves_serves_in_onnx(
    shell: Shell, labelled: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    model, out = tmp_path / "m.isonomy", tmp_path / "m.onnx"
    assert shell("fit", labelled, *BOTH, *options, "--out", model).code == 0
    done = shell("export", model, "--out", out)
    assert (done.code, done.out) == (0, ""), done.err
    assert "m.onnx" in done.err
    session = onnxruntime.InferenceSession(out)
    (found,) = session.run(["score"], feed(session, LATER))
    wanted = iso.load(model).predict(LATER)
    assert np.ptp(wanted) > 0
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_sql_is_printed_or_written(shell: Shell, labelled: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.isonomy"
    assert shell("fit", labelled, *BOTH, "--method", "blend", "--out", model).code == 0
    done = shell("export", model, "--sql", "--quiet")
    assert (done.code, done.err) == (0, "")
    connection = duckdb.connect()
    connection.register("rows", LATER.to_arrow())
    found = connection.sql(f"SELECT {done.out} AS score FROM rows").fetchnumpy()["score"]
    np.testing.assert_allclose(found, iso.load(model).predict(LATER), rtol=1e-9, atol=1e-9)
    assert shell("export", model, "--sql", "--out", tmp_path / "score.sql").out == ""
    assert (tmp_path / "score.sql").read_text() == done.out
    assert shell("export", model, "--sql", "--out", "-").out == done.out


def test_blended_scores(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    scores = {"p": rng.random(300), "q": rng.random(300)}
    labels = {name: (rng.random(300) < column).astype(int) for name, column in scores.items()}
    file, model = tmp_path / "t.csv", tmp_path / "m"
    pl.DataFrame({**scores, **{f"y_{k}": v for k, v in labels.items()}}).write_csv(file)
    options = ("--scores", "p,q", "--labels", "y_p,y_q", "--out", model)
    assert shell("blend", file, *options).code == 0
    done = shell("export", model, "--sql")
    assert done.code == 0, done.err
    assert '"p"' in done.out
    assert '"q"' in done.out
    assert shell("export", model, "--out", tmp_path / "m.onnx").code == 0


def test_mistakes(shell: Shell, labelled: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.isonomy"
    assert shell("fit", labelled, *BOTH, "--method", "mean", "--out", model).code == 0
    before = model.read_bytes()
    trees = tmp_path / "trees"
    fit = shell("fit", labelled, *BOTH, "--method", "mean", "--family", "boosted", "--out", trees)
    assert fit.code == 0
    for arguments, said in [
        ((model,), "--out model.onnx, or ask for a SQL"),
        ((model, "--out", model), "is the model itself"),
        ((model, "--out", "-"), "--out should name a file"),
        ((model, "--out", tmp_path), "Found a folder"),
        ((model, "--out", tmp_path / "no" / "m.onnx"), "make the folder first"),
        ((tmp_path / "none", "--out", tmp_path / "m.onnx"), "No such file"),
        ((labelled, "--out", tmp_path / "m.onnx"), "no model file"),
        ((trees, "--sql"), "--out model.onnx"),
    ]:
        done = shell("export", *arguments)
        assert done.code == 2, (arguments, done)
        assert said in done.err
        assert done.out == ""
    assert model.read_bytes() == before
    assert not (tmp_path / "m.onnx").exists()


def test_a_missing_extra_is_told(
    shell: Shell, labelled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m.isonomy"
    assert shell("fit", labelled, *BOTH, "--method", "mean", "--out", model).code == 0
    monkeypatch.setitem(sys.modules, "onnx", None)
    done = shell("export", model, "--out", tmp_path / "m.onnx")
    assert done.code == 2
    assert "pip install 'isonomy[onnx]'" in done.err
