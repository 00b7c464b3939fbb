"""Wrong lines: what is passed over is there, and a change is the one that it says."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from fuzz.mutation.modules import SUBJECTS
from fuzz.mutation.mutants import mutants

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/isonomy"
EQUIVALENT = json.loads((ROOT / "fuzz/mutation/equivalent.json").read_text())


@pytest.mark.parametrize("path", EQUIVALENT)
def test_every_change_that_is_passed_over_is_there(path: str) -> None:
    """A line that was rewritten takes its reasons with it, or they would hide another change."""
    assert path in {module for subject in SUBJECTS.values() for module in subject.modules}
    there = {mutant.key for mutant in mutants((SOURCE / path).read_text())}
    assert not set(EQUIVALENT[path]) - there
    assert all(reason.endswith(".") for reason in EQUIVALENT[path].values())


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_module_and_test_of_a_subject_is_there(name: str) -> None:
    assert all((SOURCE / module).is_file() for module in SUBJECTS[name].modules)
    for test in SUBJECTS[name].tests:
        file, _, function = test.partition("::")
        path = ROOT / "tests" / file
        assert path.is_dir() or f"def {function}" in path.read_text()


def test_each_change_is_one_and_the_source_stays_apart() -> None:
    source = "def f(a, b):\n    if not a < b:\n        return a + 1\n    return True\n"
    changed = {each.key: ast.unparse(each.tree) for each in mutants(source)}
    plain = ast.unparse(ast.parse(source))
    assert plain not in changed.values()
    assert len(set(changed.values())) == len(changed)
    assert "a <= b" in changed["if not a < b:  # Lt to LtE"]
    assert "if False:" in changed["if not a < b:  # never"]
    assert "a - 1" in changed["return a + 1  # Add to Sub"]
    assert "a + 2" in changed["return a + 1  # 1 to 2"]
    assert "return None" in changed["return a + 1  # returns None"]
    assert "return False" in changed["return True  # True to False"]
    assert {each.line for each in mutants(source)} == {2, 3, 4}


def test_changes_of_one_text_are_numbered() -> None:
    found = [each.key for each in mutants("def f(a):\n    return a + a + a\n")]
    assert "return a + a + a  # Add to Sub" in found
    assert "return a + a + a  # Add to Sub (2)" in found
