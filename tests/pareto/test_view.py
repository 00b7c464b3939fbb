"""A front on a screen of text and in a notebook."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from isonomy import pareto
from tests.pareto.made_data import made


def test_two_labels_from_the_one_to_the_other() -> None:
    X, Y = made(0)
    labels = pd.DataFrame(Y, columns=["click", "relevance"])
    front = pareto.trace(X, labels, n_points=31, random_state=0)
    lines = str(front).splitlines()
    rows = [line for line in lines if re.match(r"[* ] *[01]\.\d{3}", line)]
    shown = np.unique(np.linspace(0, 30, 15).round().astype(int))
    assert [float(line[1:].split()[0]) for line in rows] == [
        round(float(weight), 3) for weight in front.weights[shown, 0]
    ]
    assert [line.startswith("*") for line in rows] == front.on_front[shown].tolist()
    assert [float(line.split()[-1]) for line in rows] == [
        round(float(least), 3) for least in front.aucs[shown].min(axis=1)
    ]
    assert "click" in lines[1]
    assert "... and 16 more points: see `to_frame()`." in lines
    # A notebook has room for all.
    assert front._repr_html_().count("<tr") == 32


@pytest.mark.parametrize("n_labels", [3, 9])
def test_more_labels_the_best_first(n_labels: int) -> None:
    X, Y = made(1, 600, n_labels, 4)
    front = pareto.trace(X, Y, n_points=n_labels + 1, random_state=0)
    lines = str(front).splitlines()
    assert max(map(len, lines)) <= 100
    smallest = [float(line.split()[-1]) for line in lines if re.match(r"[* ] *[01]\.", line)]
    assert smallest == sorted(np.nanmin(front.aucs, axis=1).round(3).tolist(), reverse=True)
    assert ("more labels: see `to_frame()`" in str(front)) == (n_labels == 9)
