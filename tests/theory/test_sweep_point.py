import math

import numpy as np
import pytest
from scipy.special import expit

from isonomy import LossAggregation
from isonomy.theory import bayes_scores, population_aucs, sweep_point

TABLE = [
    (1, 0.4, 0.438235, 0.643561, 0.647405, 0.644048, 0.646908),
    (5, 0.4, 0.203201, 0.886785, 0.906645, 0.888096, 0.905307),
    (5, 0.1, 0.891710, 0.894583, 0.895284, 0.909914, 0.869335),
    (10, 0.4, 0.200033, 0.937562, 0.955018, 0.939302, 0.953242),
    (50, 0.1, 0.800001, 0.989053, 0.995870, 0.993474, 0.987194),
    (200, 0.3, 0.4, 0.957459, 0.997742, 0.974066, 0.978166),
    (math.inf, 0.4, 0.2, 0.9424, 1.0, 0.9712, 0.97),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"tau={row[0]},pi={row[1]}")
def test_the_table(row):
    tau, prior, rho, *aucs = row
    point = sweep_point(tau, prior)
    assert point.rho == pytest.approx(rho, abs=1e-6)
    found = point.loss_aggregation + point.label_aggregation
    assert found == pytest.approx(aucs, abs=1e-6)


@pytest.mark.parametrize(
    ("tau", "crossover"),
    [(1, 0.2504), (5, 0.1964), (10, 0.1738), (50, 0.0965), (math.inf, 0.0918)],
)
def test_label_aggregation_has_the_larger_gap_below_a_crossover(tau, crossover):
    def excess(prior):
        point = sweep_point(tau, prior)
        gaps = [abs(a - b) for a, b in (point.loss_aggregation, point.label_aggregation)]
        return gaps[1] - gaps[0]

    assert excess(crossover - 2e-4) > 0 > excess(crossover + 2e-4)


def test_a_grid_comes_close():
    """The same population as a finite space of 40,000 points."""
    tau, prior = 5.0, 0.3
    point = sweep_point(tau, prior)
    side = (np.arange(200) + 0.5) / 100 - 1
    x1, x2 = (axis.ravel() for axis in np.meshgrid(side, side))
    eta = np.column_stack([expit(tau * (x1 + x2) / math.sqrt(2)), expit(tau * (x2 - point.rho))])
    aucs = population_aucs(eta, bayes_scores(eta, LossAggregation()))
    assert aucs == pytest.approx(point.loss_aggregation, abs=2e-5)


def test_equal_priors_have_no_dictator():
    point = sweep_point(math.inf, 0.5)
    assert point.loss_aggregation == point.label_aggregation


def test_large_tau_is_refused_with_its_range():
    sweep_point(300, 0.3)
    with pytest.raises(ValueError, match=r"at most 300, or infinite\. Found 301"):
        sweep_point(301, 0.3)


@pytest.mark.parametrize(("tau", "prior"), [(0, 0.4), (-1, 0.4), (math.nan, 0.4), (1, 0), (1, 0.6)])
def test_bad_input_is_named(tau, prior):
    with pytest.raises(ValueError, match=r"Parameter `(tau|prior)`"):
        sweep_point(tau, prior)
