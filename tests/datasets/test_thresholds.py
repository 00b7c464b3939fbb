"""Signs of two correlated numbers."""

from __future__ import annotations

import numpy as np
import pytest

from isonomy.datasets import make_threshold_gaussians


def test_labels_are_the_signs() -> None:
    made = make_threshold_gaussians(200, random_state=1)
    assert ((made.X > 0) == made.Y).all()
    assert (made.eta == made.Y).all()
    assert made.X.std(axis=0) == pytest.approx([1, 1], abs=0.15)


def test_correlations_take_all_values() -> None:
    found = [
        np.corrcoef(make_threshold_gaussians(500, random_state=seed).X.T)[0, 1]
        for seed in range(60)
    ]
    assert min(found) < -0.7
    assert max(found) > 0.7
    assert abs(np.mean(found)) < 0.3


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="`n_samples`"):
        make_threshold_gaussians(0)
