"""Names that try to be more than text, and a reader of HTML that would notice."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = (
    "</script><script>alert(1)</script>",
    'a"onmouseover="alert(1)',
    "a.b[0]\n\x1b[31mred",
    "emoji \N{DIRECT HIT} `code",
    "x" * 200,
    "<b>&amp;",
    "{{ 7 * 7 }}{% raw %}",
    "[bold]markup[/bold]",
    "\N{RIGHT-TO-LEFT OVERRIDE}drawkcab",
)

TAGS = {
    *("div", "style", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "br"),
    *("span", "small", "svg", "line", "circle", "rect", "ul", "li", "b", "code"),
}
ATTRIBUTES = {
    *("class", "style", "title", "scope", "colspan", "aria-hidden"),
    *("width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "r", "fill", "fill-opacity"),
    *("stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-dasharray"),
}


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what matters."""

    def __init__(self, html: str | None) -> None:
        super().__init__()
        assert html is not None
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: dict[str, list[str]] = {}
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    @property
    def whole_text(self) -> str:
        return "".join(self.text)

    @property
    def titles(self) -> set[str]:
        return set(self.attributes.get("title", []))

    def is_static(self) -> bool:
        """Only tags and attributes that do nothing."""
        return set(self.tags) <= TAGS and set(self.attributes) <= ATTRIBUTES

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
