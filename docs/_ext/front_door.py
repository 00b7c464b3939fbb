"""What lies at the root of the site: a way to the start page, and `llms.txt`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

REDIRECT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Isonomy</title>
<meta http-equiv="refresh" content="0; url=docs/index.html">
<a href="docs/index.html">Isonomy</a></html>
"""
# Where other pages go, in the guide.
OTHERS = "...and-others"
# What a machine should read first; the rest follows in the order of the table of contents.
INTRODUCTION = """# Isonomy

> One ranking from several binary labels, and a check that no label dictates it. A Python package
> (`pip install isonomy`, `import isonomy as iso`) and a command (`isonomy compare data.parquet
> --labels click,relevance`).

Objectives (`LossAggregation`, `LabelAggregation`, `SoftLabel`, `WorstLabel`, `OneLabel`) say what a
good ranking is; exact metrics and intervals measure one; rankers, LightGBM, XGBoost and torch learn
one; `compare` recommends a method; `audit` says whether a label dictates. Labels are (n, K) tables
of 0, 1 and NaN; higher scores rank first.

"""


def llms_text(app: Any) -> str:
    """Every page with its title and first sentence, as https://llmstxt.org has it."""
    lines = [INTRODUCTION, "## Pages", ""]
    for name in _in_order(app.env):
        if "/reference/" in name or "/gallery/sg_" in name:
            continue
        lines.append(f"- [{app.env.titles[name].astext()}]({name}.html){_about(app.env, name)}")
    lines += ["", "## Reference", ""]
    for name in sorted(each for each in app.env.found_docs if "/reference/" in each):
        lines.append(f"- [{name.rpartition('/')[2]}]({name}.html){_about(app.env, name)}")
    return "\n".join(lines) + "\n"


def _in_order(env: Any) -> list[str]:
    """Pages as the table of contents has them."""
    found: list[str] = []

    def visit(name: str) -> None:
        if name not in found and name in env.titles:
            found.append(name)
            for child in env.toctree_includes.get(name, []):
                visit(child)

    visit(env.config.root_doc)
    return found


def _about(env: Any, name: str) -> str:
    """The first sentence of a page."""
    for node in env.get_doctree(name).findall(lambda each: each.tagname == "paragraph"):
        text = " ".join(node.astext().split())
        if len(text) > 30 and not text.startswith("Go to the end"):
            return f": {re.split(r'(?<=[.:?]) ', text)[0][:200].rstrip(':')}"
    return ""


def other_pages(app: Any, name: str, source: list[str]) -> None:
    """The guide ends with the pages that no table of contents names, so that none is forgotten."""
    if name != "docs/guide":
        return
    folder = Path(app.srcdir) / "docs"
    pages = {path.stem: path.read_text() for path in sorted(folder.glob("*.md"))}
    lists = re.findall(r"```{toctree}\n(.*?)```", "\n".join(pages.values()), flags=re.S)
    named = set("\n".join(lists).split())
    others = [page for page in pages if page not in named and page != "index"]
    source[0] = source[0].replace(OTHERS, "\n".join(others))


def write(app: Any, error: Exception | None) -> None:
    """When the pages are there."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "index.html").write_text(REDIRECT)
        (Path(app.outdir) / "llms.txt").write_text(llms_text(app))


def setup(app: Any) -> dict[str, Any]:
    """Register."""
    app.connect("source-read", other_pages)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
