"""An ordinary Markdown file becomes a conversation: it gets a key and a section, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format import reads, writes
from msgbook_format.files import has_section, with_message_section
from msgbook_format.syntax import FrontmatterError

KEY = "message_section: true"


def with_prompt(text: str) -> str:
    """The text of the file with a message."""
    notebook = reads(text)
    cell = {"cell_type": "code", "id": "one", "source": "Hi", "metadata": {}, "outputs": []}
    notebook.cells.append({**cell, "execution_count": None})
    return writes(notebook)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", f"---\n{KEY}\n---\n"),
        ("# Plan\n", f"---\n{KEY}\n---\n\n# Plan\n"),
        ("\ufeff# Plan\r\n", f"\ufeff---\r\n{KEY}\r\n---\r\n\r\n# Plan\r\n"),
        ("---\ntags: [a,  b] # c\n---\nText", f"---\ntags: [a,  b] # c\n{KEY}\n---\nText"),
        ("---\r\na: 1\r\n---\r\n\r\nText", f"---\r\na: 1\r\n{KEY}\r\n---\r\n\r\nText"),
        ("---\n---\n# Plan\n", f"---\n{KEY}\n---\n# Plan\n"),
        ("# Discussion\n\n# %% [^a]\n\nHi\n", f"---\n{KEY}\n---\n\n# Discussion\n\n# %% [^a]\n\nHi\n"),
        ("Text\n\n## Discussion\n", f"---\n{KEY}\n---\n\nText\n\n## Discussion\n"),
    ],
)  # fmt: skip
def test_the_key_is_one_line_of_the_frontmatter(text, changed):
    assert with_message_section(text) == changed
    assert has_section(changed)


def test_a_section_is_added_behind_all_of_the_text():
    for text in ("# Plan\n\nText", "# Plan\r\n\r\nText\r\n", "```\nopen fence\n"):
        changed = with_message_section(text)
        written = with_prompt(changed)

        assert written.startswith(changed)
        assert "## Discussion" in written[len(changed) :]
        assert [cell.source for cell in reads(written).cells] == ["Hi"]


def test_cells_that_stand_below_the_heading_are_messages():
    text = with_message_section("# Discussion\n\n# %% [^a]\n\nHi\n")

    assert [cell.source for cell in reads(text).cells] == ["Hi"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\na: [\n---\n", "expected `key: value` lines in the frontmatter; line 3"),
        ("---\n- a\n---\n", "it is not a mapping"),
        ("---\na: 1\n", "found a line `---`"),
        ("+++\na = 1\n+++\n", r"found a line `\+\+\+`"),
        ("---\nmessage_section: false\n---\n", "found something else"),
        ("---\nmessage_section: [a]\n---\n", "found something else"),
        ('---\n"message_section": Log\n---\n', "found something else"),
        ("# Discussion\n\nWe disagree.\n", "would become part of the messages"),
        ("---\n{a: 1}\n---\n", "edit the frontmatter by hand|expected `key: value`"),
    ],
)
def test_what_cannot_be_changed_by_a_line_is_refused(text, words):
    with pytest.raises(FrontmatterError, match=words):
        with_message_section(text)


LINES = st.lists(
    st.sampled_from(["---", "+++", "a: 1", "- x", "# Discussion", "# %% [^a]", "```", "text", "", "jupyter:"])
    | st.text(max_size=8)
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_nothing_else_changes_in_any_text(lines, newline, with_bom):
    text = ("\ufeff" if with_bom else "") + newline.join(lines)
    try:
        changed = with_message_section(text)
    except FrontmatterError:
        return

    assert has_section(changed)
    without = changed.replace(f"{KEY}\r\n", "", 1).replace(f"{KEY}\n", "", 1)
    assert without.endswith(text.removeprefix("\ufeff"))
    assert writes(reads(changed)) == changed
