"""The table of claims names functions, tests, pages and errata that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from operator import attrgetter
from pathlib import Path

import pytest
from paper._results import load
from paper.figure_pi2_sweep import rising, tallies

import isonomy as iso

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs/paper.md").read_text()
VERDICTS = ("exact", "confirmed in part", "confirmed", "contradicted", "not testable here")
# What the paper numbers, as LaTeX counts it.
NUMBERED = (
    *(f"Table {n}" for n in range(1, 7)),
    *(f"Figure {n}" for n in range(1, 7)),
    *(f"Definition {n}" for n in ("2.1", "2.3", "4.1", "4.2")),
    *(f"Proposition {n}" for n in ("2.2", "2.4", "5.1", "5.2", "5.3", "5.4", "6.1", "6.2")),
    *("Definitions 3.1, 3.2", "Lemma 6.3", "Theorem C.1", "Corollary C.2"),
    *("Lemmas A.1, A.2", "A.3, A.4", "Lemma A.5", "Lemma A.6"),
)


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [each for each in cells if each[0] != "in the paper" and not set(each[0]) <= set("-|")]


@cache
def functions(path: Path) -> set[str]:
    return {
        node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)
    }


def test_every_claim_is_judged() -> None:
    assert len(rows()) >= 40
    for place, claim, verdict, code, tests in rows():
        assert place, claim
        assert verdict.startswith(VERDICTS), verdict
        assert "`" in code or "](" in code, claim
        assert "::test_" in tests, claim


@pytest.mark.parametrize("number", NUMBERED)
def test_everything_that_the_paper_numbers_has_its_row(number: str) -> None:
    places = [row[0] for row in rows()]
    assert any(re.search(rf"{re.escape(number)}(?!\d)", place) for place in places)


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", PAGE)
    assert len(named) >= 50
    for path, test in named:
        assert test in functions(PROJECT / "tests" / path), f"{path}::{test}"


def test_every_function_that_is_named_exists() -> None:
    named = {name for row in rows() for name in re.findall(r"`([A-Za-z_.]+)`", row[3])}
    assert len(named) >= 15
    for name in named:
        assert attrgetter(name)(iso) is not None, name


def test_every_page_that_is_named_exists() -> None:
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE):
        if not link.startswith("http"):
            assert (PROJECT / "docs" / link).is_file(), link


def test_every_erratum_that_is_named_exists() -> None:
    errata = (PROJECT / "docs/errata.md").read_text()
    for listed in re.findall(r"\[([\d, ]+)\]\(errata\.md\)", PAGE):
        for number in listed.split(", "):
            assert re.search(rf"^{number}\. ", errata, flags=re.MULTILINE), number


def test_the_identity_comes_first() -> None:
    first, *_ = re.findall(r"^## (.*)", PAGE, flags=re.MULTILINE)
    assert "choice of weights" in first
    assert PAGE.index("a_k = pi_k (1 - pi_k)") < PAGE.index("## The claims")


def test_counts_of_the_sweep_are_those_of_the_result() -> None:
    found = load("figure_pi2_sweep").rows
    larger = [row["larger"] for row in tallies(found)]
    assert f"{', '.join(map(str, larger))} of 25 priors" in PAGE
    assert f"{rising(found)[0]} of 25 priors" in PAGE


def test_the_citation_is_up_to_date() -> None:
    cited = (PROJECT / "CITATION.cff").read_text()
    assert f'version: "{iso.__version__}"' in cited
    for text in (cited, PAGE, (PROJECT / "README.md").read_text()):
        assert "2504.11284" in text
