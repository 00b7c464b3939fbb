"""Pages of the API reference, from `isonomy/__init__.pyi`: a public name cannot be forgotten."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import isonomy

# Headings for the packages that public names come from, in the order of the page.
TITLES = {
    "_metrics": "Metrics, intervals, tests",
    "_core": "Objectives, and what they are made of",
    "_compare": "Which method for my data?",
    "_audit": "Does one label dictate?",
    "_rankers": "Rankers",
    "_models": "Model files",
    "_pairsums": "The training loss",
    "_partial": "Sketches",
}
STUB = Path(isonomy.__file__).with_suffix(".pyi")


def homes() -> dict[str, list[str]]:
    """Public names by the package that they come from; '' has the public modules."""
    found: dict[str, list[str]] = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            home = (node.module or "").partition(".")[0]
            found.setdefault(home, []).extend(alias.name for alias in node.names)
    return found


def page() -> str:
    """The index of the reference, with a stub page for every name."""
    by_home = homes()
    modules = by_home.pop("")
    order = sorted(by_home, key=lambda home: list(TITLES).index(home) if home in TITLES else 99)
    lines = ["API reference", "=============", ""]
    lines += ["Every public name of ``import isonomy as iso``, each with an example that runs.", ""]
    for home in order:
        title = TITLES.get(home, home.strip("_").capitalize())
        lines += _listed(title, [f"isonomy.{name}" for name in sorted(by_home[home])])
    for module in modules:
        name = f"isonomy.{module}"
        lines += [*_heading(f"``{name}``"), f".. automodule:: {name}", "   :no-members:", ""]
        lines += [f".. currentmodule:: {name}", "", *_table(import_module(name).__all__)]
    return "\n".join(lines)


def _heading(title: str) -> list[str]:
    return [title, "-" * len(title), ""]


def _listed(title: str, names: list[str]) -> list[str]:
    return [*_heading(title), *_table(names)]


def _table(names: list[str]) -> list[str]:
    rows = [f"   ~{name}" for name in names]
    return [".. autosummary::", "   :toctree: reference", "   :nosignatures:", "", *rows, ""]


def skip(_app: Any, _what: str, name: str, *_: Any) -> bool | None:
    """scikit-learn puts methods onto every estimator that are not ours to explain."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def write(app: Any, _config: Any) -> None:
    """Write the index, before Sphinx looks which pages there are."""
    target = Path(app.srcdir) / "docs" / "api" / "index.rst"
    target.parent.mkdir(exist_ok=True)
    text = page()
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def setup(app: Any) -> dict[str, Any]:
    """Register."""
    app.connect("config-inited", write)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
