"""The numbers that pROC publishes, to all their digits, with method="delong"."""

from __future__ import annotations

import math

import pytest

import isonomy as iso
from tests.metrics.asah import NDKA, POOR, S100B, WFNS

SCORES = {"wfns": WFNS, "ndka": NDKA, "s100b": S100B}


@pytest.mark.parametrize(
    ("marker", "auc", "variance"),
    [
        ("wfns", 0.823678861788618, 0.00146991470882363),
        ("ndka", 0.611957994579946, 0.0031908105493913),
        ("s100b", 0.731368563685637, 0.00266868245717244),
    ],
)
def test_auc_and_variance(marker: str, auc: float, variance: float) -> None:
    found = iso.auc_intervals(POOR, SCORES[marker], method="delong")
    assert found.estimate[0] == pytest.approx(auc, rel=1e-14)
    assert found.covariance[0, 0] == pytest.approx(variance, rel=1e-13)


def test_interval() -> None:
    found = iso.auc_intervals(POOR, NDKA, method="delong")
    expected = (0.501244999271703, 0.611957994579946, 0.722670989888189)
    assert (found.low[0], found.estimate[0], found.high[0]) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("first", "second", "covariance"),
    [
        ("wfns", "ndka", -0.000532967856762438),
        ("ndka", "s100b", -0.000756164938056579),
        ("s100b", "wfns", 0.00119615567376754),
    ],
)
def test_covariance_of_two_scores(first: str, second: str, covariance: float) -> None:
    a, b = SCORES[first], SCORES[second]
    var_a, var_b = (iso.auc_intervals(POOR, s).covariance[0, 0] for s in (a, b))
    found = iso.compare_scores(POOR, a, b, method="delong").covariance[0, 0]
    assert (var_a + var_b - found) / 2 == pytest.approx(covariance, rel=1e-11)


@pytest.mark.parametrize(
    ("first", "second", "z", "p_value", "interval"),
    [
        (
            "wfns",
            "s100b",
            2.20898359144091,
            0.0271757822291882,
            (0.0104061769564846, 0.174214419249478),
        ),
        (
            "wfns",
            "ndka",
            2.79777591868904,
            0.00514557970691098,
            (0.0634011709339876, 0.3600405634833566),
        ),
        (
            "ndka",
            "s100b",
            -1.39077002573558,
            0.164295175223054,
            (-0.2876917446341914, 0.0488706064228094),
        ),
    ],
)
def test_paired_test(
    first: str, second: str, z: float, p_value: float, interval: tuple[float, float]
) -> None:
    found = iso.compare_scores(POOR, SCORES[first], SCORES[second], method="delong")
    assert found.difference[0] / math.sqrt(found.covariance[0, 0]) == pytest.approx(z, rel=1e-12)
    assert found.p_value[0] == pytest.approx(p_value, rel=1e-11)
    assert (found.low[0], found.high[0]) == pytest.approx(interval, rel=1e-11)


@pytest.mark.parametrize(
    ("first", "second", "t", "p_value"),
    [
        ("wfns", "s100b", 1.43490640926908, 0.152825378808796),
        ("wfns", "ndka", 3.10125096778969, 0.00220950791756457),
        ("ndka", "s100b", -1.55995743389685, 0.120192832430845),
    ],
)
def test_unpaired_test(first: str, second: str, t: float, p_value: float) -> None:
    a, b = (iso.auc_intervals(POOR, SCORES[s], method="delong") for s in (first, second))
    found = a.versus(b)
    assert found.difference[0] / math.sqrt(found.covariance[0, 0]) == pytest.approx(t, rel=1e-12)
    assert found.p_value[0] == pytest.approx(p_value, rel=1e-11)
