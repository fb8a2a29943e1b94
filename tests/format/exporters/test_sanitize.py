"""What a browser makes of an output's HTML once it is sanitized."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from msgbook_format.exporters.sanitize import sanitize_html

if TYPE_CHECKING:
    pass


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
