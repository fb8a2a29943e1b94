"""What JupyterLab without the extension shows of a turn's Markdown: the formulas that MathJax finds."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SKIPPED = frozenset(("code", "pre", "script", "style", "textarea"))
_FORMULA = re.compile(
    r"\\\\|\\\$"
    r"|(?P<display>\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{(?P<name>[A-Za-z]+\*?)\}.+?\\end\{(?P=name)\})"
    r"|(?P<inline>\$(?:\\.|[^$\\])+\$|\\\(.+?\\\))",
    re.DOTALL,
)


class StockPage(HTMLParser):
    """Counts in some HTML; MathJax looks for a formula in each text between two tags."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.counts: dict[str, int] = {}
        self._inside: list[str] = []
        self._text = ""
        self.feed(html)
        self.close()
        self._end_text()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._text += "\n"
            self._count("br")
            return
        self._end_text()
        if tag not in ("input", "img", "hr"):
            self._inside.append(tag)
        if tag != "code" or "pre" not in self._inside:
            self._count(tag)

    def handle_endtag(self, tag: str) -> None:
        self._end_text()
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not _SKIPPED.intersection(self._inside):
            self._text += data

    def _end_text(self) -> None:
        for found in _FORMULA.finditer(self._text):
            if found["display"]:
                self._count("$$")
            elif found["inline"]:
                self._count("$")
        self._text = ""

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1
