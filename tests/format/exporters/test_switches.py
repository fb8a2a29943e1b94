"""What an export shows: the same switches for all exporters, and a word about what is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from exported_notebooks import answer, notebook, turn
from nbformat import v4

from msgbook_format.exporters import (
    MsgHTMLExporter,
    MsgMarkdownExporter,
    MsgNotebookExporter,
    MsgSlidesExporter,
)

EXPORTERS = [MsgHTMLExporter, MsgMarkdownExporter, MsgNotebookExporter, MsgSlidesExporter]
WORDS = {
    "reasoning": "Let me think.",
    "tools": "found in a file",
    "excluded": "An aside.",
    "system": "Speak like a pirate.",
}


def chat() -> Any:
    said = turn(
        {"type": "reasoning", "text": WORDS["reasoning"]},
        {"type": "tool_call", "id": "c", "name": "read", "arguments": "{}"},
        {"type": "tool_result", "id": "c", "status": "success", "content": WORDS["tools"]},
        {"type": "text", "text": "The answer."},
    )
    return notebook(
        v4.new_markdown_cell("A rule.", metadata={"msgbook": {"role": "system"}}),
        v4.new_code_cell("The question?", outputs=[answer(said)]),
        v4.new_code_cell(WORDS["excluded"], metadata={"msgbook": {"history": "exclude"}}),
        v4.new_code_cell("%%msg history=none\nA second one."),
        v4.new_markdown_cell("For readers.", metadata={"msgbook": {"history": "exclude"}}),
        msgbook={"frontmatter": f"agents:\n  pirate:\n    system_prompt: {WORDS['system']}\n"},
    )


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("switch", WORDS)
def test_each_switch_shows_or_leaves_out_its_part_alone(
    exporter: Any, switch: str, shown: bool
) -> None:
    switches = {**dict.fromkeys(WORDS, True), switch: shown}
    text, _ = exporter(**switches).from_notebook_node(chat())
    missing = {name for name, word in WORDS.items() if word not in text}
    assert missing == (set() if shown else {switch})
    assert all(kept in text for kept in ("The question?", "The answer.", "For readers."))


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_without_switches_reasoning_and_tools_are_shown_and_the_rest_is_not(exporter: Any) -> None:
    text, _ = exporter().from_notebook_node(chat())
    assert [name for name, word in WORDS.items() if word in text] == ["reasoning", "tools"]
    assert ("A rule." in text, "A second one." in text) == (False, False)


@pytest.mark.parametrize("exporter", [MsgHTMLExporter, MsgMarkdownExporter, MsgSlidesExporter])
def test_an_export_says_what_it_leaves_out(exporter: Any) -> None:
    text, _ = exporter(reasoning=False, tools=False).from_notebook_node(chat())
    assert (
        "Not in this export: reasoning of 1 answer, 1 tool call, 2 excluded cells, 2 system prompts."
    ) in text


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_an_export_that_leaves_out_nothing_does_not_say_so(exporter: Any) -> None:
    text, _ = exporter(excluded=True, system=True).from_notebook_node(chat())
    assert "Not in this export" not in text


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_a_hidden_part_is_nowhere_in_the_notebook_that_is_exported(exporter: Any) -> None:
    book = chat()
    before = json.dumps(book)
    exporter(reasoning=False).from_notebook_node(book)
    assert json.dumps(book) == before


def test_the_text_around_code_is_reasoning() -> None:
    ours = {"before": "Before it.", "after": "After it."}
    book = notebook(v4.new_code_cell("%%python\n1", metadata={"msgbook": ours}))
    for exporter in EXPORTERS:
        text, _ = exporter(reasoning=False).from_notebook_node(book)
        assert ("Before it." in text, "After it." in text) == (False, False)
