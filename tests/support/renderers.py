"""The renderers that a turn's Markdown meets, and what their HTML does to a page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from nbconvert.filters import markdown2html

Renderers = dict[str, Callable[[str], str]]
"""Name -> a function from Markdown to HTML."""

NODE_MODULES = Path(__file__).parents[2] / "labextension" / "node_modules"

ALLOWED = frozenset(
    [
        "a",
        "blockquote",
        "br",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "input",
        "kbd",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_ATTRIBUTES = frozenset(["alt", "class", "id", "start", "align", "type", "checked", "disabled"])
_VOID = frozenset({"br", "hr", "img", "input"})


def nbconvert(text: str) -> str:
    return str(markdown2html(text))


def commonmark(text: str, *, html: bool = True) -> str:
    return str(MarkdownIt("gfm-like", {"html": html, "linkify": False}).render(text))


class Lab:
    """JupyterLab's Markdown renderer, in a Node process that ends with its input."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("lab_markdown.mjs")
        self._process = subprocess.Popen(
            ["node", str(script), str(NODE_MODULES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    @staticmethod
    def available() -> bool:
        return shutil.which("node") is not None and (NODE_MODULES / "marked").is_dir()

    def __call__(self, text: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        return str(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate(timeout=300)


class Page(HTMLParser):
    """What a reader sees of some HTML, and what it does that it must not."""

    def __init__(self, html: str, *, also: frozenset[str] = frozenset()) -> None:
        """`also`: further elements and attributes that the page may have."""
        super().__init__(convert_charrefs=True)
        self.violations: list[str] = []
        self._also = also
        self.code: list[str] = []
        """Contents of code spans and blocks, without line ends at their end."""
        self.links: list[str] = []
        self.images: list[str] = []
        self._text: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        self.code = [code.rstrip("\n") for code in self.code]

    @property
    def text(self) -> str:
        return " ".join("".join(self._text).replace("¶", "").split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ALLOWED | self._also:
            self.violations.append(f"element {tag}")
        for name, value in attrs:
            self._attribute(tag, name, value or "")
        if tag not in _VOID:
            self._open.append(tag)
        if tag in ("code", "pre") and not self._inside_code(1):
            self.code.append("")
        if tag in ("p", "li", "br", "td", "th", "div", "h1", "h2", "h3", "pre", "blockquote"):
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self._text.append(data)
        if self._inside_code():
            self.code[-1] += data

    def handle_comment(self, data: str) -> None:
        self.violations.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.violations.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.violations.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.violations.append(f"section {data}")

    def _inside_code(self, but: int = 0) -> bool:
        return any(tag in ("code", "pre") for tag in self._open[: len(self._open) - but])

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name == "href":
            self.links.append(value)
            if not _is_safe_link(value):
                self.violations.append(f"link {value!r}")
        elif name == "src":
            self.images.append(value)
            if not re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+", value):
                self.violations.append(f"source {value!r}")
        elif name == "class" and "mermaid" in value.lower():
            self.violations.append(f"diagram in {tag}")
        elif name == "style" and re.fullmatch(r"text-align: ?(left|right|center)", value):
            return
        elif name not in _ATTRIBUTES | self._also:
            self.violations.append(f"attribute {name}={value!r} of {tag}")


def _is_safe_link(value: str) -> bool:
    plain = re.sub(r"[\x00-\x20\x7f-\xa0]", "", unquote(value))
    scheme, colon, _ = re.split(r"[/?#]", plain, maxsplit=1)[0].partition(":")
    return not colon or scheme.lower() in ("http", "https", "mailto")
