"""What a browser makes of an output's HTML once it is sanitized."""

from __future__ import annotations

import pytest

from msgbook_format.exporters.sanitize import sanitize_html


@pytest.mark.parametrize(
    ("html", "safe"),
    [
        ("&lt;b&gt; &amp;lt;b&amp;gt;", "&lt;b&gt; &amp;lt;b&amp;gt;"),
        ("<svg><style><a title='</style><img onerror=x()>'>t", "'&gt;t"),
        ("a<b>c", "a<b>c</b>"),
        ("1 < 2 > 0", "1 &lt; 2 &gt; 0"),
        ("<td title='a' colspan=\"2\">x", '<td colspan="2">x</td>'),
        ("""<a data-a='href="//other.example"' href="//e.example">x</a>""",
         '<a href="//e.example">x</a>'),
    ],
)  # fmt: skip
def test_text_and_attributes_are_what_a_browser_would_read(html: str, safe: str) -> None:
    assert sanitize_html(html) == f"<object>{safe}</object>"


@pytest.mark.parametrize(
    "html",
    [
        "<p>" + "".join(f"<b x={number}>" for number in range(190)) + "</p><p>x" * 2000,
        "<i><u>x</p><p>" * 90,
        "<b><p></b>" * 1000,
    ],
)
def test_what_a_browser_would_write_again_and_again_is_written_once(html: str) -> None:
    assert len(sanitize_html(html) or "") < 2 * len(html)
