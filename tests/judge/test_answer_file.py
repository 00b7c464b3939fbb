"""Answers outlive whatever ends the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from isonomy._judge import Answer, AnswerFile, AnswerFileError

ONE = Answer("k1", "http://a", "m", "relevance", 'the "answer"\n\u2028', "stop", 10, 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


def test_what_is_kept_is_found_again(path: Path) -> None:
    with AnswerFile(path) as kept:
        kept.add(ONE)
        assert kept.find("k1", "http://a") == ONE
    with AnswerFile(path) as kept:
        assert kept.find("k1", "http://a") == ONE
        assert kept.find("k1", "http://b") is None
        kept.add(replace(ONE, text="later"))
    with AnswerFile(path) as kept:
        assert kept.find("k1", "http://a").text == "later"
        assert len(kept) == 1
        assert kept.tokens == (10, 1)


def test_a_torn_end_is_cut_off_wherever_it_tore(path: Path) -> None:
    with AnswerFile(path) as kept:
        kept.add(ONE)
        kept.add(replace(ONE, key="k2"))
    whole = path.read_bytes()
    ends = [i for i, byte in enumerate(whole) if byte == ord("\n")]
    around = {end + step for end in ends for step in (-1, 0, 1)}
    for cut in sorted({*around, *range(0, len(whole), 20)}):
        path.write_bytes(whole[:cut])
        with AnswerFile(path) as kept:
            assert len(kept) == max(sum(end < cut for end in ends) - 1, 0)
            kept.add(replace(ONE, key="k3"))
        with AnswerFile(path) as kept:
            assert kept.find("k3", "http://a") is not None


def test_an_answer_is_there_before_the_file_is_closed(path: Path) -> None:
    with AnswerFile(path) as kept:
        kept.add(ONE)
        assert path.read_bytes().count(b"\n") == 2


def test_two_runs_do_not_share_a_file(path: Path) -> None:
    with AnswerFile(path), pytest.raises(AnswerFileError, match="Another run"):
        AnswerFile(path)
    AnswerFile(path).__exit__(None, None, None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "is no file of answers"),
        ('{"schema": "isonomy.judge.answers", "schema_version": 2}\n', "of this version"),
        ('{"schema": "isonomy.judge.answers", "schema_version": 1}\n{"key": 1}\n', "line 2 is no"),
        ('{"schema": "isonomy.judge.answers", "schema_version": 1}\nrubbish\n', "line 2 is no"),
    ],
)
def test_other_files_are_left_alone(path: Path, content: str, message: str) -> None:
    path.write_text(content)
    with pytest.raises(AnswerFileError, match=message):
        AnswerFile(path)
    assert path.read_text() == content


def test_answers_are_for_their_owner(path: Path) -> None:
    AnswerFile(path).__exit__(None, None, None)
    assert path.stat().st_mode & 0o077 == 0
