"""Markdown that wants to run something, and what renderers make of it."""

from __future__ import annotations

from hypothesis import strategies as st
from renderers import Page, Renderers

PIXEL = "data:image/png;base64,iVBORw0KGgo="

# Pieces that begin, end or confuse code, formulas, containers and links in some parser.
PIECES = [
    *"`$<>\"'[]()!\\:{}|~-*_#=&;/@ \t\n",
    "``", "```", "````", "~~~", "$$", "\\\\(", "\\\\)", "\\\\[", "\\\\]", "\\(", "\\)", "\\[", "\\]",
    "\\begin{a}", "\\end{a}", "\n\n", "\n```\n", "\n```html\n", "\n~~~\n", "\n    ", "\n- ", "\n1. ",
    "\n> ", "\n>", "\n  ", "\n   ", "\n\t", "\n: ", "\n|-|-|\n", "|", "---", "===", "\n# ",
    "<script>alert(1)</script>", "</script>", "<img src=x onerror=alert(1)>", "<!--", "-->", "<![CDATA[",
    "]]>", "<?", "<details>", "</details>", "<pre>", "</pre>", "<style>", "<a href=\"", "<div",
    "](javascript:alert(1))", "[x](javascript:alert(1))", "![x](http://e.example/p.png)", "![", "](",
    "[a]: javascript:alert(1)\n", "[a]: http://e.example\n", "[a]", "[a][a]", "[b]:", "![a]", f"![x]({PIXEL})",
    "<javascript:alert(1)>", "<http://a.example/>", "http://a.example/", "https://a.example/$",
    "\" onmouseover=alert(1) x=\"", "@@0@@", "@\\@0@@", "mermaid", "&lt;", "&#60;", "&quot;", "\\<",
    "javascript&colon;", "ftp://e.example/", "www.e.example", "!", "[^1]", "[^1]: x", "~~", "**", "__",
    "\n$$\n", "\n\n$$\n", "\\begin{", "\\end{", "](:)~~", "](javascript:alert(1))~~", "\n#", "\n7. ", "\n***\n",
    "\u2028", "\u00a0", "word", "a", "1",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


def violations(markdown: str, renderers: Renderers) -> dict[str, list[str]]:
    found = {name: Page(render(markdown)).violations for name, render in renderers.items()}
    return {name: what for name, what in found.items() if what}
