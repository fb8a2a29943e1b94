"""A message on the exported page reads as it was written, whatever nbconvert's Markdown thinks."""

from __future__ import annotations

import pytest
from exported_notebooks import PIXEL, notebook
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbformat import v4

from msgbook_format.exporters import MsgHTMLExporter
from msgbook_format.exporters.nbconvert_markdown import spell_for_nbconvert
from msgbook_format.turn.markdown.escape import replace_controls

COMMONMARK = MarkdownIt("commonmark", {"html": False})


def page_of(source: str, **attached: str) -> str:
    """What the page shows of a prompt."""
    cell = v4.new_code_cell(source)
    cell.attachments = {name: {"image/png": data} for name, data in attached.items()}
    page: str = MsgHTMLExporter().from_notebook_node(notebook(cell))[0]
    return page.partition("<main>")[2].partition("</main>")[0]


@given(st.text("#ab1 \n>-*.~\\\t[]()"))
def test_for_commonmark_nothing_changes(text: str) -> None:
    assert COMMONMARK.render(spell_for_nbconvert(text)) == COMMONMARK.render(replace_controls(text))


@pytest.mark.parametrize("before", ["", "Hello\n", "- ", "> ", "Hello\n\n", "# Title\n"])
@pytest.mark.parametrize("line", ["#define city Rome", "#1 is first", "###hm"])
def test_only_a_blank_behind_the_signs_makes_a_heading(before: str, line: str) -> None:
    page = page_of(f"{before}{line}")

    assert line in page
    assert page.count("<h1") == before.count("# ")


def test_a_definition_stands_in_a_line_of_its_own() -> None:
    page = page_of("Of\n#define city Rome\n#define x 1\nI know {{city}}.")

    assert "<p>Of<br/>\n#define city Rome<br/>\n#define x 1<br/>\nI know {{city}}.</p>" in page


@pytest.mark.parametrize("code", ["```\n{}\n```", "`{}`", "- ~~~\n  {}\n  ~~~", "    {}"])
@pytest.mark.parametrize("line", ["#define x 1", "![a](my b.png)"])
def test_code_stays_as_it_is(code: str, line: str) -> None:
    message = "See\n\n" + code.format(line)

    assert spell_for_nbconvert(message) == message
    assert line in page_of(message)


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("my picture (1).png", "my%20picture%20%281%29.png"),
        ("a(1).png", "a%281%29.png"),
        ('my b.png "My title"', "my%20b.png"),
        ("<my b.png>", "my%20b.png"),
    ],
)
def test_an_image_whose_path_has_blanks_or_parentheses_is_a_link(written: str, target: str) -> None:
    assert f'See <a href="{target}">my pic</a>.' in page_of(f"See ![my pic]({written}).")


def test_an_attachment_with_blanks_in_its_name_is_shown() -> None:
    page = page_of("See ![it](attachment:a b (1).png)", **{"a b (1).png": PIXEL})

    assert f'src="data:image/png;base64,{PIXEL}"' in page


def test_an_image_that_is_quoted_or_escaped_is_none() -> None:
    assert spell_for_nbconvert(r"\![a](b c)") == r"\![a](b c)"
    assert spell_for_nbconvert("`` `![a](b c) `` ![a](b c)") == "`` `![a](b c) `` ![a](<b c>)"
    assert spell_for_nbconvert("` ![a](b c)") == "` ![a](<b c>)"
