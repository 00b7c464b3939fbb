"""A link that leads nowhere is found, and so is what would be fetched from elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.blocks import ROOT


@pytest.fixture(scope="module")
def check_site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_site", ROOT / "docs" / "check_site.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ('<a href="b.html#there">', None),
        ('<a href="https://example.org/x">', None),
        ('<link rel="canonical" href="https://example.org/x">', None),
        ('<a href="c.html">', "leads nowhere"),
        ('<a href="b.html#gone">', "does not have"),
        ('<a href="../../etc/passwd">', "out of the site"),
        ('<img src="https://example.org/x.png">', "from elsewhere"),
        ('<script src="//example.org/x.js"></script>', "from elsewhere"),
        ('<link rel="stylesheet" href="https://example.org/x.css">', "from elsewhere"),
    ],
)
def test_links(
    check_site: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    html: str,
    message: str | None,
) -> None:
    (tmp_path / "a.html").write_text(html)
    (tmp_path / "b.html").write_text('<p id="there">')
    code = check_site.main(str(tmp_path))
    assert code == (message is not None)
    assert message is None or message in capsys.readouterr().out


def test_an_empty_site_is_wrong(check_site: ModuleType, tmp_path: Path) -> None:
    assert check_site.main(str(tmp_path))
