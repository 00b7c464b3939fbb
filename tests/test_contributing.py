"""What CONTRIBUTING says of the tree is so."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_layers import SOURCE, TOWER

ROOT = SOURCE.parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def section(title: str) -> str:
    """The text between a heading and the next of its rank."""
    found = TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    assert found, f"no section {title!r}"
    return found


def test_the_tower_is_the_tests() -> None:
    rows = re.findall(r"^\| (`.+?`) \|", section("The architecture on one screen"), flags=re.M)
    drawn = [re.findall(r"`(.+?)`", row) for row in rows]
    assert [[name.replace("/", ".") for name in names] for names in drawn] == TOWER


def test_files_that_are_named_exist() -> None:
    prose = re.sub(r"^```.*?^```", "", TEXT, flags=re.M | re.S)
    named = {name for name in re.findall(r"`([\w./]+)`", prose) if "/" in name}
    assert len(named) > 30
    places = (ROOT, SOURCE, ROOT / "src")
    missing = {name for name in named if not any((place / name).exists() for place in places)}
    # What a recipe adds.
    assert missing <= {"tests/rankers/one_step/"}


def test_every_recipe_is_followed_by_a_test() -> None:
    titles = re.findall(r"^### (.+)$", section("Recipes"), flags=re.M)
    assert len(titles) == 8
    tests = "".join(path.read_text() for path in (Path(__file__).parent / "recipes").glob("*.py"))
    assert not [title for title in titles if f'"{title}"' not in tests]
