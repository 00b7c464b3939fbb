"""Floors of dependencies are what `make test-oldest` installs; extras are what they say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.without_extras import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
SHIPPED = [
    Requirement(text) for text in [*PROJECT["dependencies"], *OPTIONAL["cli"], *OPTIONAL["boost"]]
] + [
    Requirement(text)
    for name in ("judge", "torch", "onnx", "dask", "spark")
    for text in OPTIONAL[name]
    if not text.startswith("isonomy[")
]


def pinned(file: str) -> dict[str, Version]:
    """The versions in a file of constraints, by lower-case name."""
    lines = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / file).read_text(), flags=re.MULTILINE)
    return {name.lower(): Version(version) for name, version in lines}


@pytest.mark.parametrize("requirement", SHIPPED, ids=lambda each: each.name)
def test_every_floor_is_the_oldest_version_that_is_tested(requirement: Requirement) -> None:
    (floor,) = requirement.specifier
    assert floor.operator == ">="
    assert pinned("constraints-oldest.txt")[requirement.name] == Version(floor.version)
    assert pinned("constraints.txt")[requirement.name] >= Version(floor.version)


def test_the_core_is_small() -> None:
    core = {Requirement(text).name for text in PROJECT["dependencies"]}
    assert core == {"numba", "numpy", "scikit-learn", "scipy", "threadpoolctl"}


def test_all_is_every_extra_that_ships() -> None:
    (everything,) = OPTIONAL["all"]
    assert Requirement(everything).extras == {name for name in EXTRAS if name}
    assert set(OPTIONAL) == {"all"} | Requirement(everything).extras


def test_every_tool_has_a_version() -> None:
    """What `make` installs is the same everywhere."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    tools = {
        Requirement(text).name
        for group in groups.values()
        for text in group
        if isinstance(text, str)
    }
    assert {"pytest", "ruff", "sphinx", "twine"} <= tools
    assert {name.lower().replace("_", "-") for name in tools} <= {
        name.replace("_", "-") for name in pinned("constraints.txt")
    }


def test_every_pin_has_the_digests_of_its_files() -> None:
    """torch has a build, and a digest, for each kind of processor."""
    entries = re.findall(
        r"^([\w.-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$",
        (ROOT / "hashes.txt").read_text(),
        flags=re.MULTILINE,
    )
    digests = {name: Version(version) for name, version, _ in entries}
    pins = {re.sub("[-_.]+", "-", name): one for name, one in pinned("constraints.txt").items()}
    assert digests == {name: one for name, one in pins.items() if name != "torch"}, "make hashes"
