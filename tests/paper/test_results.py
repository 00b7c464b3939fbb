"""Results are kept, compared and resumed as they should be."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from paper._results import Result, differences, load, save
from paper._trials import spent, tried, unfinished


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    result = Result(
        "made_up",
        {"tau": math.inf, "grid": (1, 2)},
        [{"a": np.float64(0.12345678951), "b": np.int64(3), "c": None}],
        [{"a": 0.1}],
        [0],
        [{"seed": 0, "auc": 0.1234567}, {"seed": 1, "auc": 0.2}],
        {"python": "3"},
        {"isonomy": "1.0", "commit": None, "seconds": 2.5},
    )
    save(result, tmp_path)
    found = load("made_up", tmp_path)
    assert found is not None
    assert found.rows == [{"a": 0.12345679, "b": 3, "c": None}]
    assert found.trials == [{"seed": 0, "auc": 0.123457}, {"seed": 1, "auc": 0.2}]
    assert found.settings == {"tau": "inf", "grid": [1, 2]}
    assert [path.name for path in tmp_path.iterdir()] == ["made_up.json"]
    assert list(json.loads((tmp_path / "made_up.json").read_text())) == [
        "name",
        "settings",
        "rows",
        "paper",
        "seeds",
        "trials",
        "versions",
        "made",
    ]
    assert found.made == {"isonomy": "1.0", "commit": None, "seconds": 2.5}


def test_trials_may_lack_columns(tmp_path: Path) -> None:
    save(Result("made_up", {}, [], [], [], [{"a": 1}, {"a": 2, "b": 3}]), tmp_path)
    found = load("made_up", tmp_path)
    assert found is not None
    assert found.trials == [{"a": 1, "b": None}, {"a": 2, "b": 3}]


def test_there_may_be_no_result(tmp_path: Path) -> None:
    assert load("made_up", tmp_path) is None


OLD = [{"name": "a", "auc": 0.5, "holds": True}, {"name": "b", "auc": [0.1, 0.2]}]


@pytest.mark.parametrize(
    ("fresh", "found"),
    [
        ({"name": "a", "auc": 0.5009, "holds": True}, []),
        ({"name": "a", "auc": 0.502, "holds": True}, ["('a',): auc was 0.5, is 0.502"]),
        ({"name": "a", "auc": 0.5, "holds": False}, ["('a',): holds was True, is False"]),
        ({"name": "a", "auc": None}, ["('a',): auc was 0.5, is None"]),
        ({"name": "a", "new": 1}, ["('a',): new was None, is 1"]),
        ({"name": "c"}, ["('c',): not among the committed rows"]),
        ({"name": "b", "auc": [0.1, 0.2005]}, []),
        ({"name": "b", "auc": [0.1, 0.21]}, ["('b',): auc was [0.1, 0.2], is [0.1, 0.21]"]),
        ({"name": "b", "auc": [0.1]}, ["('b',): auc was [0.1, 0.2], is [0.1]"]),
    ],
)
def test_differences_are_named(fresh: dict, found: list[str]) -> None:
    assert differences(OLD, [fresh], ("name",), 1e-3) == found


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    steps, seen = [("a", 0), ("a", 1), ("b", 0)], []

    def trial(kind: str, seed: int) -> list[dict]:
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append((kind, seed))
        return [{"kind": kind, "seed": seed}]

    with pytest.raises(KeyboardInterrupt):
        tried("made_up", steps, trial, tmp_path)
    assert unfinished("made_up", tmp_path).is_file()
    assert 0 <= spent("made_up", tmp_path) < 1
    lines = unfinished("made_up", tmp_path).read_text().splitlines()
    assert spent("made_up", tmp_path) == sum(json.loads(line)[-1] for line in lines)
    rows = tried("made_up", steps, lambda kind, seed: [{"kind": kind, "seed": seed}], tmp_path)
    assert rows == [{"kind": kind, "seed": seed} for kind, seed in steps]
    assert seen == steps[:2]
