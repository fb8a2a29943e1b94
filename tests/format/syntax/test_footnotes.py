"""Footnotes that are not below their markers."""

from __future__ import annotations

import pytest

from msgbook_format.document.reader import reads
from msgbook_format.document.writer import writes


@pytest.mark.parametrize(
    ("end", "closes"),
    [("```", True), ("```` \t", True), ("``` a", False), ("```\u00a0", False), ("```\f", False)],
)
def test_only_a_closed_fence_keeps_a_definition_from_its_marker(end, closes):
    text = f"# %% [^a]\n\nHidden.\n\n# %% [^b]\n\n```\n[^a]: [raw]\n{end}\n"

    first, _ = reads(text)["cells"]

    assert first["cell_type"] == ("code" if closes else "raw")


@pytest.mark.parametrize(
    ("footnote", "counts"),
    [
        ("[Smith 2020] Bees, p. 4.", False),
        ("[RFC] 822", False),
        ("[Jones] https://example.com/?page=7", False),
        ("[survey]", True),
        ('[survey] note="two words" [scale=5]', True),
        ("[tool] unfinished", True),
        ("[tool] unfinished name=read", True),
        ("[tool] unfinished work, and why", False),
        ('[function_call] args="{"path": "a.py"}" timeout=30', True),
        ("[note] history", True),
        ("[Smith 2020] says history=none", True),
        ("[raw] and prose", True),
    ],
)
def test_a_footnote_of_an_author_stays_in_the_text_unless_it_hides_a_cell(footnote, counts):
    text = f"# %% [^1]\n\nSee[^2].\n\n[^2]: {footnote}\n\n# %% [^2]\n\nHi\n"

    first, _ = reads(text)["cells"]

    assert (footnote in first["source"]) != counts


GATHERED = """# %% [^1]

One

# %% [^2]

Two

<!-- Footnotes -->
[^1]: [markdown] topic=a
[^2]: [markdown]
"""


def test_the_heading_of_footnotes_stays_while_one_of_them_does():
    notebook = reads(GATHERED)
    notebook["cells"][0]["metadata"]["msgbook"]["attrs"] = [["topic", "b"]]
    notebook["cells"][1]["source"] = "Three"

    written = writes(notebook)

    assert written == (
        '# %% [^1]\n\n[^1]: [markdown] topic="b"\n\nOne\n\n# %% [^2]\n\nThree\n\n<!-- Footnotes -->\n[^2]: [markdown]\n'
    )
    assert reads(written)["cells"][1]["source"] == "Three"


def test_the_heading_of_footnotes_goes_with_the_last_of_them():
    notebook = reads(GATHERED)
    for cell in notebook["cells"]:
        cell["metadata"]["msgbook"]["attrs"] = [["topic", "b"]]

    assert "Footnotes" not in writes(notebook)


def test_a_message_that_ends_like_a_heading_of_footnotes_keeps_that_line():
    notebook = reads(GATHERED.replace("<!-- Footnotes -->\n", ""))
    notebook["cells"][1]["source"] = "Three\n\n<!-- Footnotes -->"

    assert reads(writes(notebook))["cells"][1]["source"] == "Three\n\n<!-- Footnotes -->"


def test_a_text_above_the_first_marker_that_has_to_go_below_one_holds_no_footnote_of_another_cell():
    top = "---\n[^b]: [raw] topic=b\njupyter:\n  nbformat_minor: 4\n---"
    notebook = reads(f"[^a]: [raw] topic=a\n{top}\n\n# %% [^a]\n\nA\n\n# %% [^b]\n\nB\n")
    notebook["cells"][1]["metadata"]["msgbook"]["attrs"] = [["topic", "new"]]

    _, first, second = reads(writes(notebook))["cells"]

    assert (first["cell_type"], first["source"]) == ("raw", "A")
    assert (second["cell_type"], second["source"]) == ("raw", "B")
