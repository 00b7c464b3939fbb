"""Checkpoints: a fit that was interrupted, or killed, ends with the same bits."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import nn

import isonomy as iso
from isonomy._rankers.neural.checkpoint import Checkpoint, _content, digest
from tests.rankers.explicit import data
from tests.rankers.neural.quick import Noisy, quick, same


@pytest.mark.parametrize("options", [{}, {"module": Noisy}, {"patience": None}], ids=str)
def test_resuming_after_any_epoch_gives_the_same_model(tmp_path: Path, options: Any) -> None:
    X, Y = data(5)
    whole = quick(max_epochs=5, **options).fit(X, Y)
    for stop in (1, 3):
        folder = tmp_path / str(stop)
        quick(max_epochs=stop, checkpoints=folder, **options).fit(X, Y)
        resumed = quick(max_epochs=5, checkpoints=folder, **options).fit(X, Y)
        assert np.array_equal(resumed.predict(X), whole.predict(X))
        assert resumed.history_ == whole.history_
        assert [path.name for path in folder.iterdir()] == ["neural_ranker.pt"]


def test_resuming_without_a_seed_keeps_the_one_drawn(tmp_path: Path) -> None:
    X, Y = data(6)
    first = quick(random_state=None, checkpoints=tmp_path, max_epochs=2).fit(X, Y)
    again = quick(random_state=None, checkpoints=tmp_path, max_epochs=2).fit(X, Y)
    assert same(first, again)
    longer = quick(random_state=None, checkpoints=tmp_path, max_epochs=4).fit(X, Y)
    assert {name: values[:2] for name, values in longer.history_.items()} == first.history_


KILLED = """
import sys
import torch
torch.set_num_threads(1)
from tests.rankers.explicit import data
from tests.rankers.neural.quick import quick
X, Y = data(7, n=1000)
quick(max_epochs=15, patience=None, checkpoints=sys.argv[1]).fit(X, Y)
"""


def test_killed_and_resumed_gives_the_same_bits(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)])
    path = tmp_path / "neural_ranker.pt"
    deadline = time.monotonic() + 120
    while not path.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL, "the fit was over before it could be killed"
    state = Checkpoint(tmp_path, {}).read()
    assert state is not None
    assert 1 <= state["epoch"] < 15
    X, Y = data(7, n=1000)
    resumed = quick(max_epochs=15, patience=None, checkpoints=tmp_path).fit(X, Y)
    assert same(resumed, quick(max_epochs=15, patience=None).fit(X, Y))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"hidden": (9,)}, "`hidden`"),
        ({"objective": iso.LossAggregation([1, 2, 3])}, "`objective`"),
        ({"random_state": 1}, "`random_state`"),
        ({"params": {"optimizer": torch.optim.SGD}}, "`params`"),
        ({"X": 1.0}, "X"),
        ({"y": 1}, "y"),
        ({"sample_weight": 1}, "`sample_weight`"),
        ({"groups": 1}, "`groups`"),
    ],
    ids=lambda change: str(change)[:30],
)
def test_a_checkpoint_of_another_fit_is_refused(tmp_path: Path, change: Any, what: str) -> None:
    X, Y = data(8)
    quick(max_epochs=1, checkpoints=tmp_path).fit(X, Y)
    fit: dict[str, Any] = {}
    if "X" in change:
        X = X + np.eye(*X.shape)
    if "y" in change:
        Y = 1 - Y
    if "sample_weight" in change:
        fit["sample_weight"] = np.arange(len(X)) + 1.0
    if "groups" in change:
        fit["groups"] = np.arange(len(X)) % 9
    options = {k: v for k, v in change.items() if k not in ("X", "y", "sample_weight", "groups")}
    with pytest.raises(ValueError, match=rf"same fit.*differs in: .*{what}"):
        quick(max_epochs=1, checkpoints=tmp_path, **options).fit(X, Y, **fit)


def test_a_broken_checkpoint_and_one_that_went_too_far(tmp_path: Path) -> None:
    X, Y = data(9)
    quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)
    with pytest.raises(ValueError, match=r"`max_epochs` is 1.*2 epochs"):
        quick(max_epochs=1, checkpoints=tmp_path).fit(X, Y)
    path = tmp_path / "neural_ranker.pt"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"`checkpoints`.*cannot be read"):
        quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)


@pytest.mark.parametrize("part", ["module", "optimizer"])
def test_a_checkpoint_with_parts_that_do_not_fit(tmp_path: Path, part: str) -> None:
    X, Y = data(9)
    quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)
    path = tmp_path / "neural_ranker.pt"
    found = torch.load(io.BytesIO(_content(path.read_bytes())), weights_only=True)
    if part == "module":
        found["state"]["module"].popitem()
    else:
        found["state"]["optimizer"]["param_groups"][0]["params"].pop()
    Checkpoint(tmp_path, found["identity"]).write(found["state"])
    with pytest.raises(ValueError, match=r"`checkpoints`.*cannot be read.*Delete it"):
        quick(max_epochs=3, checkpoints=tmp_path).fit(X, Y)


def test_a_failed_write_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: Any) -> None:
    X, Y = data(10)
    quick(max_epochs=1, checkpoints=tmp_path).fit(X, Y)
    before = (tmp_path / "neural_ranker.pt").read_bytes()

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match="no space"):
        quick(max_epochs=2, checkpoints=tmp_path).fit(X, Y)
    assert [path.name for path in tmp_path.iterdir()] == ["neural_ranker.pt"]
    assert (tmp_path / "neural_ranker.pt").read_bytes() == before


class Odd:
    def __init__(self, a: int) -> None:
        self.a = a


@pytest.mark.parametrize(
    "make",
    [
        lambda c: np.full(3, c),
        lambda c: np.array([c, "x"], dtype=object),
        lambda c: np.full((40, 30), float(c))[::2, ::3],
        lambda c: sparse.csr_array([[0.0, c]]),
        lambda c: nn.Linear(1, 1).requires_grad_(False).apply(lambda m: m.weight.fill_(c)),
        lambda c: {"a": [c, None]},
        lambda c: Odd(c),
        lambda c: iso.LossAggregation([1, c]),
        lambda c: [nn.ReLU, nn.GELU][c - 1],
        lambda c: {"a", str(c)},
        lambda c: torch.device("cpu", c),
    ],
)  # fmt: skip
def test_digests_tell_contents_apart_and_know_no_addresses(make: Any) -> None:
    torch.manual_seed(0)
    one = digest(make(1))
    torch.manual_seed(0)
    assert digest(make(1)) == one
    torch.manual_seed(0)
    assert digest(make(2)) != one


def test_checkpoints_and_options_do_not_hinder_saving(tmp_path: Path) -> None:
    X, Y = data(16)
    ranker = quick(checkpoints=tmp_path / "runs").fit(X, Y)
    iso.save(ranker, tmp_path / "model")
    again = iso.load(tmp_path / "model")
    assert again.checkpoints == str(tmp_path / "runs")
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
    np.testing.assert_array_equal(again.fit(X, Y).predict(X), ranker.predict(X))
    for params in ({"optimizer": torch.optim.SGD}, {"device": torch.device("cpu")}):
        ranker = quick(params=params).fit(X, Y)
        with pytest.raises(ValueError, match=r"params\[.*set_params\(params=None\)"):
            iso.save(ranker, tmp_path / "model")
        iso.save(ranker.set_params(params=None), tmp_path / "model")
        np.testing.assert_array_equal(iso.load(tmp_path / "model").predict(X), ranker.predict(X))


@pytest.mark.parametrize("inside", ["", "runs"])
def test_a_file_is_no_folder_for_checkpoints(tmp_path: Path, inside: str) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(NotADirectoryError, match=r"Found a file.*another folder"):
        quick(checkpoints=tmp_path / "file" / inside).fit(np.eye(2), [1, 0])
    assert (tmp_path / "file").read_text() == "kept"
