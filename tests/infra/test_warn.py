"""Warnings at the user's own line."""

from __future__ import annotations

import warnings

import pytest

from isonomy._infra import warn


def test_the_innermost_line_outside_the_package() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn.warn_user("careful", DeprecationWarning)
    assert [(w.filename, w.category, str(w.message)) for w in caught] == [
        (__file__, DeprecationWarning, "careful")
    ]


def test_a_user_warning_by_default() -> None:
    with pytest.warns(UserWarning, match="careful"):
        warn.warn_user("careful")
