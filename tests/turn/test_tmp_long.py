from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from renderers import Page

from msgbook_format.turn import safe_markdown

if TYPE_CHECKING:
    from conftest import Renderers

FIXTURES = Path(__file__).parent / "fixtures"
SEPARATOR = "\n=====\n"


def fixtures(name: str) -> list[str]:
    return (FIXTURES / name).read_text(encoding="utf-8").strip("\n").split(SEPARATOR)


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
    "javascript&colon;", "[^1]", "[^1]: x", "\u2028", "\u00a0", "word", "a", "1",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


def violations(markdown: str, renderers: Renderers) -> dict[str, list[str]]:
    found = {name: Page(render(markdown)).violations for name, render in renderers.items()}
    return {name: what for name, what in found.items() if what}


@pytest.mark.parametrize("text", fixtures("hostile.md"), ids=lambda text: repr(text[:40]))
def test_hostile_text_does_nothing_in_any_renderer(text: str, renderers: Renderers) -> None:
    assert violations(safe_markdown(text), renderers) == {}


@pytest.mark.parametrize("text", fixtures("hostile.md"), ids=lambda text: repr(text[:40]))
def test_each_hostile_fixture_would_do_something_unless_made_safe(
    text: str, renderers: Renderers
) -> None:
    assert violations(text, renderers)


@settings(
    max_examples=8000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=HOSTILE)
def test_any_text_does_nothing_in_any_renderer(text: str, renderers: Renderers) -> None:
    assert violations(safe_markdown(text), renderers) == {}
