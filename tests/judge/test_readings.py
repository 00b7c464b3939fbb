"""Only an answer in the form that was asked for is one."""

from __future__ import annotations

import pytest

from isonomy._judge import Scale, read_answer

FORM = "not in the form that was asked for"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"label": 1}', 1),
        (' {"label":0}\n', 0),
        ("1", 1),
        ("0", 0),
        ('```json\n{"label": 1}\n```', 1),
        ("```\n0\n```", 0),
        ('<think>It says {"label": 1}, but no.</think>\n{"label": 0}', 0),
        ('{"label": 1.0}', 1),
    ],
)
def test_labels(text: str, label: int) -> None:
    assert read_answer(text, "stop", None).value == label


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", FORM),
        ("yes", FORM),
        ("Label: 1", FORM),
        ("1\n0", FORM),
        ('{"label": 1} because the document says so', FORM),
        ('{"label": 0, "label": 1}', FORM),
        ('{"label": 1, "note": "x"}', FORM),
        ('{"score": 1}', FORM),
        ('[{"label": 1}]', FORM),
        ('{"label": "1"}', FORM),
        ('{"label": true}', FORM),
        ('{"label": [1]}', FORM),
        ('{"label": {"label": 1}}', FORM),
        ("true", FORM),
        ("null", FORM),
        ("NaN", FORM),
        ("[" * 100_000, FORM),
        ("<think>1</think>", FORM),
        ("<think>never ends 1", FORM),
        ('```json\n{"label": 1}\n```\nor {"label": 0}', FORM),
        ('{"label": 2}', "a number outside of the scale"),
        ('{"label": 0.5}', "a number outside of the scale"),
        ("-1", "a number outside of the scale"),
        ('{"label": null}', "the model could not tell"),
    ],
)
def test_what_is_no_label(text: str, why: str) -> None:
    found = read_answer(text, "stop", None)
    assert (found.value, found.why_none) == (None, why)


@pytest.mark.parametrize("text", ["5", "-0.1", "1e999", "Infinity", '{"score": 4.01}'])
def test_scores_outside_of_the_scale(text: str) -> None:
    assert read_answer(text, "stop", Scale(0, 4)).value is None


@pytest.mark.parametrize(("text", "score"), [("4", 4), ('{"score": 0}', 0), ("2.5", 2.5)])
def test_scores(text: str, score: float) -> None:
    assert read_answer(text, "stop", Scale(0, 4)).value == score


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_is_none(finish: str) -> None:
    assert read_answer('{"label": 1}', finish, None).value is None
