"""What the demonstration shows, beyond the fact that it runs."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy.cli.demo import Demo, run_demo


@pytest.fixture(scope="module")
def demo() -> Demo:
    return run_demo()


def test_the_rare_label_dictates_under_loss_aggregation(demo: Demo) -> None:
    _, _, loss, label = demo.rankings
    assert np.asarray(loss.conflict.high)[0, 1] < 0.1
    assert np.asarray(label.conflict.low)[0, 1] > np.asarray(loss.conflict.high)[0, 1]


def test_each_label_alone_serves_itself_best(demo: Demo) -> None:
    aucs = np.array([np.asarray(ranked.aucs.estimate) for ranked in demo.rankings])
    assert aucs[:, 0].argmax() == 0
    assert aucs[:, 1].argmax() == 1


def test_it_measures_on_held_out_rows(demo: Demo) -> None:
    assert demo.n_train + demo.n_test == 20_000
    assert demo.priors == pytest.approx([0.4, 0.01], abs=0.01)
