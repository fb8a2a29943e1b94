r"""A lone surrogate anywhere in a text: a file may hold it as an escape, and nothing may fail over it."""

from __future__ import annotations

import json

import jupytext
import nbformat
import pytest
from nbconvert import HTMLExporter, MarkdownExporter, NotebookExporter
from nbformat.sign import MemorySignatureStore, NotebookNotary

import msgbook_format
from msgbook_format.exporters.html import MsgHTMLExporter

LONE = ("\ud800", "\udfff", "a\udc00b", "\udc00\ud800", "😀\ud83d")


def nb_cell(cell):
    return f"# %% [^a]\n\n[^a]: [nb] encoding=json\n\n{json.dumps(cell)}\n"


def code(output):
    return nb_cell(
        {
            "cell_type": "code",
            "metadata": {},
            "source": "1",
            "execution_count": None,
            "outputs": [output],
        }
    )


def display(**keys):
    return {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}, **keys}


PLACES = {
    "source of a note": lambda x: nb_cell({"cell_type": "markdown", "metadata": {}, "source": x}),
    "source of a raw cell": lambda x: nb_cell({"cell_type": "raw", "metadata": {}, "source": x}),
    "source of code": lambda x: nb_cell(
        {"cell_type": "code", "metadata": {}, "source": x, "execution_count": None, "outputs": []}
    ),
    "metadata": lambda x: nb_cell({"cell_type": "markdown", "metadata": {"k": [x]}, "source": "y"}),
    "key of metadata": lambda x: nb_cell(
        {"cell_type": "markdown", "metadata": {x: 1}, "source": "y"}
    ),
    "attachment": lambda x: nb_cell(
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": "y",
            "attachments": {"a.png": {"text/plain": x}},
        }
    ),
    "stream": lambda x: code({"output_type": "stream", "name": "stdout", "text": x}),
    "data": lambda x: code(display(data={"text/plain": x})),
    "JSON data": lambda x: code(display(data={"text/plain": "y", "application/json": {"a": [x]}})),
    "metadata of an output": lambda x: code(display(metadata={"k": x})),
    "error": lambda x: code({"output_type": "error", "ename": "E", "evalue": x, "traceback": [x]}),
    "turn": lambda x: (
        f"# %% [^a]\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [nb] block=1 encoding=json\n\n"
        f"{json.dumps({'type': 'text', 'step': 1, 'text': x})}\n"
    ),
    "frontmatter": lambda x: f"---\njupyter:\n  title: {json.dumps(x)}\n---\n\n# %% [^a]\n\nHi\n",
    "settings of the conversation": lambda x: (
        f"---\nmacros: {{A: {json.dumps(x)}}}\n---\n\n# %% [^a]\n\nHi\n"
    ),
}

EVERYWHERE = pytest.mark.parametrize(
    "text", [make(lone) for make in PLACES.values() for lone in LONE[:1]], ids=PLACES
)
OTHERS = [make(lone) for make in PLACES.values() for lone in LONE[1:]]


def through_jupytext(text):
    """The notebook that Jupytext makes of a text, and the text that it makes of that."""
    notebook = jupytext.reads(text, fmt=".msg.md:msg")
    written = nbformat.writes(notebook)
    written.encode("utf-8")
    notary = NotebookNotary(store_factory=MemorySignatureStore, secret=b"x")
    notary.sign(notebook)
    assert notary.check_signature(notebook)
    nbformat.validate(notebook)
    return notebook, jupytext.writes(nbformat.reads(written, 4), fmt=".msg.md:msg")


@EVERYWHERE
def test_reads_and_writes_give_the_text_again(text):
    again = msgbook_format.writes(msgbook_format.reads(text))

    assert again.encode("utf-8").decode("utf-8") == text


@EVERYWHERE
def test_jupytext_writes_signs_and_gives_the_text_again(text):
    assert through_jupytext(text)[1] == text


def test_so_it_does_for_every_surrogate_that_has_no_other_half():
    for text in OTHERS:
        assert through_jupytext(text)[1] == text


@EVERYWHERE
@pytest.mark.parametrize(
    "exporter", [HTMLExporter, MarkdownExporter, NotebookExporter, MsgHTMLExporter]
)
def test_exporters_write_what_can_be_encoded(text, exporter):
    notebook, _ = through_jupytext(text)

    page, _ = exporter().from_notebook_node(notebook)

    assert page.encode("utf-8")


def test_what_was_changed_since_counts():
    notebook = jupytext.reads(PLACES["source of a note"]("x \ud800"), fmt=".msg.md:msg")
    notebook.cells[0].source = "new"

    text = jupytext.writes(notebook, fmt=".msg.md:msg")

    assert msgbook_format.reads(text).cells[0].source == "new"
    assert "ud800" not in text
