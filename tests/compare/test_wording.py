"""A comparison in words."""

from __future__ import annotations

import isonomy as iso
from tests.compare.made_data import made


def test_the_summary_says_what_to_take_and_why() -> None:
    X, Y = made(0)
    found = iso.compare(X, Y, repeats=1, tradeoffs=False, random_state=0)
    lines = found.summary().splitlines()
    assert lines[:2] == [f"Take {found.recommended!r}.", found.reason]
    best = max(method.aucs.mean[0] for method in found.methods)
    assert f"'0' {found[found.recommended].aucs.mean[0]:.3f} of {best:.3f}" in lines[2]
    assert "Where '0' and '1' disagree, it sides with" in lines[3]
    assert "5 splits, each row held out once" in lines[-1]


def test_the_summary_names_what_failed() -> None:
    X, Y = made(1, K=2)
    Y[:, 1] = 1 - Y[:, 0]
    found = iso.compare(X, Y, methods=["mean", "loss"], repeats=1, tradeoffs=False, random_state=0)
    assert "'label aggregation' could not be compared." in found.summary()
    assert "all are on one level" in found.summary()
