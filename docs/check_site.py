"""Follow every link inside the site, and see that nothing is fetched from elsewhere.

`python docs/check_site.py docs/_build/html`
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Where a browser fetches what it finds there by itself.
FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
}
# Links that say something without being fetched.
SAID = {"canonical", "author", "license", "next", "prev", "search", "index"}


class Page(HTMLParser):
    """The ids of a page, and where it points."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Look at a tag."""
        found = dict(attributes)
        self.ids |= {value for name in ("id", "name") if (value := found.get(name))}
        for name in ("href", "src"):
            target = found.get(name)
            if target is not None:
                fetched = (tag, name) in FETCHED and not SAID & set(
                    (found.get("rel") or "").split()
                )
                self.links.append((target, fetched))


@cache
def parsed(path: Path) -> Page:
    """A page, read once."""
    return Page(path.read_text(encoding="utf-8"))


def wrong(path: Path, target: str, fetched: bool, root: Path) -> str | None:
    """What is wrong with a link; None where it is right."""
    parts = urlsplit(target)
    if parts.scheme in ("data", "mailto", "javascript"):
        return None
    if parts.scheme or parts.netloc:
        return "is fetched from elsewhere" if fetched else None
    to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not to.is_relative_to(root):
        return "leads out of the site"
    if not to.is_file():
        return "leads nowhere"
    if parts.fragment and to.suffix == ".html":
        wanted = unquote(parts.fragment)
        if wanted not in parsed(to).ids and not wanted.startswith(":~:"):
            return "leads to a place that the page does not have"
    return None


def main(folder: str) -> int:
    """Print what is wrong; the exit code."""
    root = Path(folder).resolve()
    # What the theme keeps there is no page.
    pages = sorted(path for path in root.rglob("*.html") if "_static" not in path.parts)
    n_links, found = 0, []
    for path in pages:
        for target, fetched in parsed(path).links:
            n_links += 1
            why = wrong(path, target, fetched, root)
            if why is not None:
                found.append(f"{path.relative_to(root)}: {target} {why}")
    for line in dict.fromkeys(found):
        print(line)
    print(f"{len(pages):,} pages, {n_links:,} links, {len(found):,} wrong")
    return bool(found) or not pages


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
