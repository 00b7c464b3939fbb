import numpy as np
import pytest

import isonomy as iso
from isonomy.theory._space import Space

ETA = [[0.9, 0.1], [0.8, 0.3]]

BAD = {
    "probability above 1": (
        {"eta": [[0.5, 1.2]]},
        r"`eta` .*\[0, 1\]. Found 1.2 in row 0, column 1",
    ),
    "probability below 0": ({"eta": [[0.5], [-0.1]]}, "Found -0.1 in row 1"),
    "missing probability": ({"eta": [[0.5], [np.nan]]}, "Found nan"),
    "masses that sum to 2": ({"eta": ETA, "mu": [1, 1]}, "`mu` should sum to 1. Found 2"),
    "negative mass": ({"eta": ETA, "mu": [1.5, -0.5]}, "`mu` .*>= 0. Found -0.5"),
    "NaN mass": ({"eta": ETA, "mu": [np.nan, 1.0]}, "`mu`"),
    "too many masses": (
        {"eta": ETA, "mu": [0.5, 0.25, 0.25]},
        "rows. Found 2 and 3",
    ),
    "masses as a matrix": ({"eta": ETA, "mu": [[0.5, 0.5]]}, "rows. Found 2 and 1"),
    "three columns": ({"eta": None, "patterns": [[0.5, 0.25, 0.25]]}, r"2\^K columns"),
    "patterns that sum to .9": ({"eta": None, "patterns": [[0.5, 0.4]]}, "rows that sum to 1"),
    "patterns of K = 1": ({"eta": ETA, "patterns": [[0.5, 0.5]] * 2}, r"shape \(2, 4\)"),
    "patterns that disagree": (
        {"eta": [[0.5, 0.2]], "patterns": [[0.25, 0.25, 0.25, 0.25]]},
        "should agree. Found 0.2 and 0.5 for label 1 at point 0",
    ),
    "nothing": ({"eta": None}, "`patterns` is given"),
    "no points": ({"eta": np.zeros((0, 2))}, "at least one row"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Space.from_input(**arguments)
    with pytest.raises(ValueError, match=message):
        iso.theory.bayes_scores(objective=iso.LabelAggregation(), **arguments)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_priors_of_0_and_1_are_refused(prior):
    eta = [[0.5, prior], [0.2, prior]]
    message = f"Found the prior {prior:g} for label '1'"
    with pytest.raises(ValueError, match=message):
        iso.theory.population_aucs(eta, [1, 2])
    for objective in (iso.LossAggregation(), iso.OneLabel(1)):
        with pytest.raises(ValueError, match=message):
            iso.theory.bayes_scores(eta, objective)
    for objective in (iso.LossAggregation(), iso.OneLabel(1), iso.WorstLabel()):
        with pytest.raises(ValueError, match="one class only for '1'"):
            iso.theory.population_objective_auc(eta, [1, 2], objective)
    with pytest.raises(ValueError, match="No ranking is better"):
        iso.theory.bayes_scores(eta, iso.WorstLabel())
    np.testing.assert_allclose(
        iso.theory.bayes_scores(eta, iso.LossAggregation([1, 0])) * 0.35 * 0.65, [0.5, 0.2]
    )


def test_rounding_is_forgiven():
    space = Space.from_input([[1 + 1e-12, -1e-12]], mu=[1 - 1e-12])
    assert space.eta.tolist() == [[1.0, 0.0]]
    assert space.mu.tolist() == [1.0]


def test_columns_are_bytes_of_label_bits():
    space = Space.from_input([[0.5, 0.25, 0.125]])
    joint = space.pattern_probabilities()
    assert joint[0, 0b001] == 0.5 * 0.75 * 0.875
    assert joint[0, 0b100] == 0.5 * 0.75 * 0.125
    again = Space.from_input(None, patterns=joint)
    np.testing.assert_allclose(again.eta, space.eta)


def test_names_come_with_a_frame():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"click": [0.9, 0.8], "buy": [0.1, 0.3]})
    assert iso.theory.bayes_scores(frame, iso.OneLabel("buy")).tolist() == [0.1, 0.3]


def test_too_many_patterns_are_refused():
    with pytest.raises(ValueError, match=r"2\^40 label patterns"):
        iso.theory.population_objective_auc(
            np.full((2, 40), 0.5), [1, 2], iso.LabelAggregation(lambda rows: rows[:, 0])
        )


def test_the_rounding_of_float32_is_forgiven():
    dtype = np.float32
    rng = np.random.default_rng(0)
    patterns = rng.dirichlet(np.ones(4), size=100)
    mu = rng.dirichlet(np.ones(100))
    coarse = patterns.astype(dtype)
    space = Space.from_input(None, patterns=coarse, mu=mu.astype(dtype))
    np.testing.assert_allclose(space.joint.sum(axis=1), 1, rtol=1e-14)
    assert space.mu.sum() == pytest.approx(1, rel=1e-14)
    eta = (patterns @ [[0, 0], [1, 0], [0, 1], [1, 1]]).astype(dtype)
    Space.from_input(eta, patterns=coarse)
    with pytest.raises(ValueError, match="sum to 1"):
        Space.from_input(None, patterns=coarse * dtype(0.9))
