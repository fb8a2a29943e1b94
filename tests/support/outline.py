"""What a reader sees of an answer's HTML, as one line: blocks, links, formulas, code and texts.

The page's tests make the same line of the page's HTML (`labextension/src/__tests__/outline.ts`).
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from urllib.parse import unquote

BLOCKS = [
    "p",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "th",
    "td",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "pre",
    "details",
    "summary",
    "br",
]
INLINE = ["em", "strong", "del", "sub", "sup", "kbd", "code"]
_VOID = frozenset(("br", "hr", "img", "input"))
_AROUND_BLOCK = re.compile(rf"\s*(</?(?:{'|'.join(BLOCKS)})(?: [^<>]*)?>)\s*")


def outline(html: str) -> str:
    """Return the outline of the HTML of one answer in an export."""
    parser = _Outline()
    parser.feed(html)
    parser.close()
    line = re.sub(r"\s+", " ", "".join(parser.out))
    return _AROUND_BLOCK.sub(r"\1", line).strip()


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._ends: list[tuple[str, str]] = []
        """Open elements: their names, and what is written at their end."""
        self._hidden = ""
        """Name of the element whose content is not looked at."""
        self._formula: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            return
        at = dict(attrs)
        end = ""
        match tag:
            case "math":
                self.out.append("<$$>" if at.get("display") == "block" else "<$>")
                self._hidden = tag
                return
            case "div" if at.get("class") == "msg-Diagram-label":
                self._hidden = tag
                return
            case "code" if at.get("class") == "msg-TeX":
                self._formula, self._hidden = "", tag
                return
            case "code" if self._ends and self._ends[-1][0] == "pre":
                around = self._ends[-2][0] if len(self._ends) > 1 else ""
                named = "mermaid" if around == "diagram" else at.get("class") or ""
                language = named.removeprefix("language-")
                self.out.append(f"[{language}]" if language else "")
            case "div" if at.get("class") == "msg-Diagram":
                tag = "diagram"
            case "span" | "div":
                pass
            case "a":
                if href := at.get("href"):
                    self.out.append(f"<a {escape(unquote(href))}>")
                    end = "</a>"
            case "input":
                self.out.append("<x>" if "checked" in at else "<o>")
            case "img":
                self.out.append("<img>")
            case "td" | "th":
                aligned = f" {at['align']}" if at.get("align") else ""
                self.out.append(f"<{tag}{aligned}>")
                end = f"</{tag}>"
            case _:
                name = "del" if tag == "s" else tag
                if name in BLOCKS or name in INLINE:
                    self.out.append(f"<{name}>")
                    end = "" if tag in _VOID else f"</{name}>"
        if tag not in _VOID:
            self._ends.append((tag, end))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden:
                if self._formula is not None:
                    self.out.append("<$$>" if self._formula.startswith("$$") else "<$>")
                self._hidden, self._formula = "", None
            return
        if tag not in _VOID:
            name, end = self._ends.pop()
            assert name in (tag, "diagram"), (name, tag)
            self.out.append(end)

    def handle_data(self, data: str) -> None:
        if self._formula is not None:
            self._formula += data
        elif not self._hidden:
            self.out.append(escape(data, quote=False))
