"""What a browser makes of an output's HTML once it is sanitized."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from msgbook_format.exporters.sanitize import ATTRIBUTES, TAGS, sanitize_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PIECES = (
    "<svg>", "</svg>", "<math>", "</math>", "<mtext>", "<mglyph>", "<desc>", "<foreignObject>",
    "<annotation-xml encoding='text/html'>", "<malignmark>", "<svg/onload=x()>", "<use href=#a>",
    "<style>", "</style>", "<script>x()</script>", "<script>", "</script >", "<title>", "</title>",
    "<noscript>", "</noscript>", "<template>", "</template>", "<plaintext>", "<textarea>",
    "</textarea>", "<xmp>", "</xmp>", "<iframe>", "</iframe>", "<noembed>", "<select>", "<option>",
    "<!--", "-->", "--!>", "<!-->", "<![CDATA[", "]]>", "<!DOCTYPE a>", "<?a ", "?>", "<!", "</",
    "<img src=x onerror=x()>", "<image>", "<body onload=x()>", "<base href=//e>", "<form>", "<meta>",
    "<table>", "</table>", "<tr>", "<td colspan=2>", "</td>", "<caption>", "<colgroup>", "<col span=2>",
    "<p>", "</p>", "<b>", "</b>", "<i>", "<li>", "<ul>", "</ul>", "<dd>", "<h1>", "<pre>\n", "<br>",
    "<div style=a:b>", "</div>", "<details open ontoggle=x()>", "<summary>", "</details>",
    "<a ", "<a href=", "<a href='javascript:x()'>", '<a href="java&#10;script:x()">', "</a>",
    '<a title="', "<a title='", 'href="data:text/html,x"', "<td onclick=x() ", "<ol start='1'>",
    "&lt;", "&amp;lt;", "&#60;", "&#x3c", "&lt", "&quot;", "&#34;", "&", "&NotEqualTilde;",
    '"', "'", "`", "=", ">", "<", "/", " ", "\n", "\r", "\f", "\0", "\ufeff", "\u2028", "x", "onload=x()",
)  # fmt: skip

READ = """texts => {
    const page = new DOMParser().parseFromString(
        texts.map(text => `<div class="mark">${text}</div>`).join(''), 'text/html'
    );
    const inside = [...page.querySelectorAll('.mark > object *')];
    return {
        roots: page.querySelectorAll('body > .mark > object:only-child').length,
        others: page.querySelectorAll('head > *, body > :not(.mark)').length,
        html: inside.filter(e => e.namespaceURI !== 'http://www.w3.org/1999/xhtml').length,
        elements: inside.map(e => e.localName),
        attributes: inside.flatMap(e => [...e.attributes].map(a => [e.localName, a.name])),
        protocols: inside.filter(e => e.hasAttribute('href')).map(e => e.protocol),
    };
}"""


def generated(seed: int, count: int) -> list[str]:
    chosen = random.Random(seed)
    return ["".join(chosen.choices(PIECES, k=chosen.randint(1, 25))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(4))
def test_a_browser_finds_nothing_in_it_but_what_is_allowed(browser: Browser, seed: int) -> None:
    safe = [text for text in map(sanitize_html, generated(seed, 2500)) if text]
    page = browser.new_page()
    found: dict[str, Any] = page.evaluate(READ, safe)
    page.close()

    assert (found["roots"], found["others"], found["html"]) == (len(safe), 0, 0)
    assert set(found["elements"]) <= TAGS
    allowed = {(name, key) for name, keys in ATTRIBUTES.items() for key in keys}
    assert {tuple(pair) for pair in found["attributes"]} <= allowed
    assert set(found["protocols"]) <= {"http:", "https:", "mailto:", "about:", ":"}
    # It would be no test of links, tables and text without any.
    assert {"a", "td", "b", "pre"} <= set(found["elements"])


@pytest.mark.parametrize(
    "html",
    [
        "x<table><div><table></div></table></div>",
        "x<h3><div><h1><h2></h2></h1></div></h3>",
        "x<div><li><div><li></li></div></li></div>",
        "x<table><a href=//e.example><table></a></table>",
        "x<b><i><p></b>",
    ],
)
def test_an_output_stays_in_its_place_and_is_seen(browser: Browser, html: str) -> None:
    page = browser.new_page()
    page.set_content(
        f"<!DOCTYPE html><p id=above><div id=here>{sanitize_html(html)}</div><u>below</u>"
    )
    below = page.locator("u")
    assert page.locator("#here").get_by_text("x").is_visible()
    assert below.evaluate("e => [e.parentElement.localName, e.previousElementSibling.id]") == [
        "body",
        "here",
    ]
    page.close()
