"""Loaders of the paper's data: real files where they are here, small made-up ones everywhere."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isonomy.datasets import _bank, _helpsteer, load_bank, load_helpsteer, load_mslr
from tests.data_folder import data_folder

DATA = data_folder()
real = pytest.mark.skipif(DATA is None, reason="the data of others are not here: see paper/README")

BANK = """"age";"balance";"day";"duration";"campaign";"pdays";"previous";"housing";"loan";"y"
58;-100;5;261;1;-1;0;"yes";"no";"no"
33;2143;5;151;1;-1;0;"no";"yes";"yes"
"""
MSLR = """2 qid:1 1:3 5:0.5 134:1 136:7
0 qid:1 1:1 133:2
1 qid:8 2:-1 135:9
"""


@pytest.fixture(autouse=True)
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isonomy.datasets._files._cache", lambda: tmp_path / "cache")
    monkeypatch.delenv("ISONOMY_DATA", raising=False)


@pytest.fixture
def small_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank/bank-full.csv").write_text(BANK)
    checksum = hashlib.sha256(BANK.encode()).hexdigest()
    monkeypatch.setattr(_bank, "FILE", replace(_bank.FILE, sha256=checksum))
    return tmp_path


def test_bank_literal(small_bank: Path) -> None:
    found = load_bank(data_dir=small_bank)
    np.testing.assert_array_equal(
        found.X, [[58, -100, 5, 261, 1, -1, 0], [33, 2143, 5, 151, 1, -1, 0]]
    )
    np.testing.assert_array_equal(found.Y, [[1, 0], [0, 1]])
    assert found.label_names == ("mortgage", "loan")
    assert len(found) == 2


def test_bank_closest(small_bank: Path) -> None:
    found = load_bank(recipe="closest", data_dir=small_bank)
    assert found.feature_names[-1] == "y"
    assert found.X[0, 1] == pytest.approx(-np.log(101))
    assert found.X[:, 7] == pytest.approx([0, np.log(2)])


def test_mslr_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "Fold2").mkdir()
    (tmp_path / "Fold2/vali.txt").write_text(MSLR)
    found = load_mslr("vali", fold=2, data_dir=tmp_path)
    assert found.X.shape == (3, 133)
    assert found.X[0, [0, 4]].tolist() == [3.0, 0.5]
    assert found.X[1, 132] == 2
    np.testing.assert_array_equal(found.Y, [[1, 1], [0, 0], [0, 1]])
    assert found.groups is not None
    assert found.groups.tolist() == [1, 1, 8]
    assert found.origin == "MSLR-WEB30K fold 2, vali, 3 rows"


def test_mslr_that_is_no_mslr(tmp_path: Path) -> None:
    (tmp_path / "Fold1").mkdir()
    (tmp_path / "Fold1/train.txt").write_text("1 qid:1 900:1\n")
    with pytest.raises(ValueError, match="should hold lines of a judgement, a query and 136"):
        load_mslr(data_dir=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"which": "WEB3K"}, "`which` should be one of.*Did you mean"),
        ({"part": "vali", "which": "sample"}, "`part` should be one of 'train', 'test'"),
        ({"fold": 6}, "`fold` should be one of 1, 2, 3, 4, 5. Found 6"),
        ({"fold": True}, "`fold` should be one of"),
    ],
)
def test_mslr_bad_input(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_mslr(**arguments)


def test_other_bad_input() -> None:
    with pytest.raises(ValueError, match="`recipe` should be one of 'literal', 'closest'"):
        load_bank(recipe="close")
    with pytest.raises(ValueError, match="`part` should be one of"):
        load_helpsteer("test")


def test_what_cannot_be_downloaded_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"msn1.fold1.test.5k.txt.*microsoft.com"):
        load_mslr("test", which="sample", data_dir=tmp_path)
    with pytest.raises(FileNotFoundError, match=r"helpsteer2_features.csv.*HelpSteer2"):
        load_helpsteer("statistics", data_dir=tmp_path)
    with pytest.raises(FileNotFoundError, match=r"MSLR-WEB30K/Fold1/train.txt.*not to be downl"):
        load_mslr(data_dir=tmp_path, download=False)


def answer(**ratings: int) -> dict:
    return {"prompt": "Q?", "response": "A."} | dict.fromkeys(_helpsteer.ATTRIBUTES, 0) | ratings


def put_answers(folder: Path, answers: list) -> None:
    (folder / "helpsteer").mkdir(exist_ok=True)
    lines = "\n".join(json.dumps(row) for row in answers)
    (folder / "helpsteer/train.jsonl.gz").write_bytes(gzip.compress(lines.encode()))


def test_helpsteer_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_answers(tmp_path, [answer(coherence=4, verbosity=3), answer(verbosity=4)])
    monkeypatch.setitem(_helpsteer.ROWS, "train", 2)
    found = load_helpsteer(data_dir=tmp_path)
    assert found.X == ("Q?\nA.",) * 2
    np.testing.assert_array_equal(found.Y, [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
    assert found.label_names[0] == "coherence"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([answer()], "should hold 35331 answers. Found 1"),
        ([{"prompt": "Q?"}], "should hold one JSON object a line"),
        (["text"], "should hold one JSON object a line"),
    ],
)
def test_helpsteer_that_is_another(tmp_path: Path, answers: list, message: str) -> None:
    put_answers(tmp_path, answers)
    with pytest.raises(ValueError, match=message):
        load_helpsteer(data_dir=tmp_path)


def test_helpsteer_with_other_ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_answers(tmp_path, [answer(coherence=5)])
    monkeypatch.setitem(_helpsteer.ROWS, "train", 1)
    with pytest.raises(ValueError, match=r"ratings 0 to 4\. Found others"):
        load_helpsteer(data_dir=tmp_path)


def test_helpsteer_that_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "helpsteer").mkdir()
    (tmp_path / "helpsteer/train.jsonl.gz").write_text("plain")
    with pytest.raises(ValueError, match="should hold one JSON object a line"):
        load_helpsteer(data_dir=tmp_path)


@real
def test_real_bank() -> None:
    found = load_bank(data_dir=DATA)
    assert found.X.shape == (45_211, 7)
    assert found.Y.sum(axis=0).tolist() == [25_130, 7_244]


@real
@pytest.mark.parametrize(("part", "clicks"), [("train", 130), ("test", 158)])
def test_real_mslr(part: str, clicks: int) -> None:
    found = load_mslr(part, which="sample", data_dir=DATA)
    assert found.X.shape == (5000, 133)
    assert found.Y[:, 0].sum() == clicks
    assert len(set(found.groups.tolist())) == 43


@real
def test_real_helpsteer_statistics() -> None:
    found = load_helpsteer("statistics", data_dir=DATA)
    assert found.X.shape == (3005, 23)
    assert not any(name.endswith("score") for name in found.feature_names)
    assert found.Y.mean(axis=0).round(3).tolist() == [0.715, 0.407, 0.467, 0.004, 0.031]
