"""A comparison as JSON."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

import isonomy as iso
from tests.compare.made_data import made
from tests.render.hostile import HOSTILE

NAMES = list(HOSTILE[:2])


def refuse(constant: str) -> None:
    raise AssertionError(constant)


def test_json_is_strict() -> None:
    X, Y = made(0)
    found = iso.compare(
        X, pd.DataFrame(Y, columns=NAMES), family="linear", tune=False, repeats=1, random_state=0
    )
    document = found.to_dict()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text, parse_constant=refuse) == document
    assert (document["schema"], document["schema_version"]) == ("isonomy.comparison", 2)
    assert document["names"] == NAMES
    assert document["methods"][0]["conflicts"]["mean"][0][0] is None
    assert np.shape(document["tradeoffs"][0]["conflicts"]) == (41, 2, 2)
    assert not {key for key in document if key.startswith("_")}


def test_a_method_that_failed_has_no_numbers() -> None:
    X, Y = made(1, K=2)
    Y[:, 1] = 1 - Y[:, 0]
    found = iso.compare(
        X, Y, methods=["mean", "loss"], family="linear", repeats=1, tradeoffs=False, random_state=0
    )
    document = found.to_dict()
    assert json.dumps(document, allow_nan=False)
    assert document["methods"][-1]["aucs"]["mean"] == [None, None]
    assert document["goal"]["kind"] == "min"
    assert document["summary"] == found.summary()
