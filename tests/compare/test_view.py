"""A comparison as a frame, JSON, text and HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import isonomy as iso
from tests.compare.made_data import made

NASTY = ["</script><script>alert(1)</script>", "a.b[0]" + "x" * 200]


@pytest.fixture(scope="module")
def found() -> iso.Comparison:
    X, Y = made(0)
    return iso.compare(X, pd.DataFrame(Y, columns=NASTY), repeats=1, random_state=0)


def refuse(constant: str) -> None:
    raise AssertionError(constant)


def test_json_is_strict(found: iso.Comparison) -> None:
    document = found.to_dict()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text, parse_constant=refuse) == document
    assert (document["schema"], document["schema_version"]) == ("isonomy.comparison", 1)
    assert document["names"] == NASTY
    assert document["methods"][0]["conflicts"]["mean"][0][0] is None
    assert np.shape(document["tradeoffs"][0]["conflicts"]) == (41, 2, 2)
    assert not {key for key in document if key.startswith("_")}


def test_frame(found: iso.Comparison) -> None:
    frame = found.to_frame()
    assert frame["method"].to_list() == [method.name for method in found.methods]
    assert frame["recommended"].sum() == 1
    first = found.methods[0]
    assert frame[f"auc {NASTY[0]}"][0] == first.aucs.mean[0]
    assert frame["min low"][0] == first.min.low
    assert frame[f"conflict {NASTY[0]} over {NASTY[1]}"][0] == first.conflicts.mean[0, 1]
    assert frame["failed"].null_count() == len(frame)


def test_text(found: iso.Comparison) -> None:
    text = str(found)
    assert f"Take {found.recommended!r}." in text
    table = text.split("\n\n")[0]
    assert max(map(len, table.splitlines())) < 130
    starred = [line for line in table.splitlines() if line.startswith("*")]
    assert len(starred) == 1
    assert found.reason in found.summary()


class Tags(HTMLParser):
    """Notes the tags and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_holds_names_as_text(found: iso.Comparison) -> None:
    page = Tags()
    page.feed(found._repr_html_())
    assert "script" not in page.tags
    assert page.tags.count("tr") == len(found.methods) + 1
    assert all(name in page.text for name in NASTY)


def test_failed_methods_and_many_labels_fit_in() -> None:
    X, Y = made(1, K=5)
    Y[:, 1] = 1 - Y[:, 0]
    pair = iso.compare(
        X, Y[:, :2], methods=["mean", "loss"], repeats=1, tradeoffs=False, random_state=0
    )
    assert "label aggregation: not compared." in str(pair)
    page = Tags()
    page.feed(pair._repr_html_())
    assert "all are on one level" in page.text
    assert json.dumps(pair.to_dict(), allow_nan=False)
    many = iso.compare(X, Y, methods=["loss", "worst"], repeats=1, tradeoffs=False, random_state=0)
    assert "AUC 4" not in str(many)
    assert "Min" in str(many)
