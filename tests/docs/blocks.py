"""The code blocks of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted((ROOT / "docs" / "howto").glob("*.md"))


@dataclass(frozen=True)
class Block:
    """Code in a page, with the line at which it begins."""

    page: str
    line: int
    language: str
    code: str


def blocks(page: Path) -> list[Block]:
    """All of them, in order."""
    text = page.read_text()
    name = str(page.relative_to(ROOT))
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)
    return [Block(name, text[: m.start()].count("\n") + 2, m[1], m[2]) for m in found]


def block_with(page: str, words: str) -> Block:
    """The block of a page that has these words."""
    (found,) = [each for each in blocks(ROOT / page) if words in each.code]
    return found


def run_python(block: Block, namespace: dict[str, object]) -> None:
    """Run it; a mistake is told with the page and the line."""
    code = "\n" * (block.line - 1) + block.code
    exec(compile(code, block.page, "exec"), namespace)


def commands(block: Block) -> list[str]:
    """Its lines for a shell, without comments, each whole."""
    lines = block.code.replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*$", "", line).strip() for line in lines if line.strip()]
