"""The code of docs/export.md runs."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "export.md"


def test_the_page_runs_from_top_to_bottom() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    exec("\n".join(blocks), {"__name__": "page"})
