"""The generated data are what they say they are."""

from __future__ import annotations

import numpy as np
import pytest

import isonomy as iso
from isonomy.datasets import make_search_log


def test_search_log_has_the_priors_it_promises() -> None:
    log = make_search_log(50_000, random_state=1)
    assert log.X.shape == (50_000, 4)
    assert log.eta.mean(axis=0) == pytest.approx([0.4, 0.01], abs=1e-9)
    error = np.sqrt(log.eta.var(axis=0) + (log.eta * (1 - log.eta)).mean(axis=0)) / np.sqrt(50_000)
    assert (np.abs(log.Y.mean(axis=0) - [0.4, 0.01]) < 4 * error).all()


def test_the_truth_ranks_each_label_best() -> None:
    log = make_search_log(20_000)
    best = iso.label_aucs(log.Y, log.eta[:, 0])[0], iso.label_aucs(log.Y, log.eta[:, 1])[1]
    for column in log.X.T:
        for sign in (1, -1):
            assert (iso.label_aucs(log.Y, sign * column) <= np.array(best) + 0.002).all()


def test_same_seed_same_data() -> None:
    a, b, c = (make_search_log(100, random_state=seed) for seed in (3, 3, 4))
    assert (a.X == b.X).all()
    assert (a.Y == b.Y).all()
    assert (a.X != c.X).any()


def test_other_priors() -> None:
    log = make_search_log(5_000, priors=(0.2, 0.7))
    assert log.eta.mean(axis=0) == pytest.approx([0.2, 0.7])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "`n_samples` should be a whole number >= 1. Found 0"),
        ({"priors": (0.4, 1.0)}, "`priors` should lie between 0 and 1. Found 1.0"),
        ({"priors": 0.5}, "`priors` should hold two numbers.*Found 0.5"),
        ({"priors": (0.0, 0.5)}, "`priors` should lie between 0 and 1. Found 0.0"),
        (
            {"priors": (0.1, 0.2, 0.3)},
            r"`priors` should hold two numbers.*Found \(0.1",
        ),
    ],
)
def test_bad_input(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_search_log(**arguments)
