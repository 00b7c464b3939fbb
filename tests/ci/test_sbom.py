"""The bill of materials names what is installed, and what needs what."""

from __future__ import annotations

import json
import subprocess
import sys
from email.message import Message
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.ci.script import CI, script

sbom = script("sbom")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = sbom.document("isonomy")
    return found


def test_what_isonomy_needs_is_in_it_with_its_version(document: dict[str, Any]) -> None:
    found = {each["name"]: each for each in document["components"]}
    for name in ("numpy", "numba", "scipy", "scikit-learn", "threadpoolctl"):
        assert found[name]["version"] == version(name)
        assert found[name]["purl"] == f"pkg:pypi/{name}@{version(name)}"
    # What it needs through others, and through an extra of its own.
    assert {"joblib", "llvmlite", "polars"} <= set(found)
    # What only works on it is not shipped.
    assert not {"pytest", "ruff", "mypy"} & set(found)
    assert document["metadata"]["component"]["name"] == "isonomy"
    assert "isonomy" not in found


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    components = [document["metadata"]["component"], *document["components"]]
    known = [each["bom-ref"] for each in components]
    assert len(set(known)) == len(known)
    needs = {each["ref"]: each["dependsOn"] for each in document["dependencies"]}
    assert set(needs) == set(known)
    assert {each for some in needs.values() for each in some} <= set(known)
    assert f"pkg:pypi/llvmlite@{version('llvmlite')}" in needs[f"pkg:pypi/numba@{version('numba')}"]


def test_every_licence_is_told(document: dict[str, Any]) -> None:
    licences = {
        each["name"]: each["licenses"][0]["license"]["name"] for each in document["components"]
    }
    assert "BSD" in licences["numpy"]
    assert all(licences.values())


@pytest.mark.parametrize(
    ("requirement", "name"),
    [
        ("numpy>=2.0", "numpy"),
        ("Scikit_Learn", "scikit-learn"),
        ("dask[dataframe]>=2026.8", "dask"),
        ("zope.interface (>=5)", "zope-interface"),
        ("a!=1; python_version < '3.12'", "a"),
        ("b ~=1.0", "b"),
    ],
)
def test_names_are_spelt_as_indexes_do(requirement: str, name: str) -> None:
    assert sbom.name_of(requirement) == name


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ([("License-Expression", "MIT"), ("License", "other")], "MIT"),
        (
            [("Classifier", "License :: OSI Approved :: BSD License"), ("License", "x")],
            "BSD License",
        ),
        ([("Classifier", "Topic :: x"), ("License", "Apache\nand its text")], "Apache"),
        ([], "not said"),
    ],
)
def test_licences_of_newer_and_older_metadata(fields: list[tuple[str, str]], told: str) -> None:
    metadata = Message()
    for name, value in fields:
        metadata[name] = value
    assert sbom.licence(SimpleNamespace(metadata=metadata)) == told


def test_the_command_writes_json(tmp_path: Path) -> None:
    out = tmp_path / "sbom.json"
    done = subprocess.run(
        [sys.executable, CI / "sbom.py", out], check=True, capture_output=True, text=True
    )
    found = json.loads(out.read_text())
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.5")
    assert done.stdout == f"{out}: {len(found['components'])} packages\n"
