"""What an export shows: the same switches for all exporters, and a word about what is missing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from exported_notebooks import answer, notebook, turn
from nbformat import v4

from msgbook.notebook.magics_table import OWN_MAGICS
from msgbook_format.exporters import (
    MsgHTMLExporter,
    MsgMarkdownExporter,
    MsgNotebookExporter,
    MsgSlidesExporter,
)
from msgbook_format.exporters.conversation import CONTROLS

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


def test_the_magics_that_steer_are_those_of_the_kernel() -> None:
    assert set(OWN_MAGICS) == CONTROLS


def controlled() -> Any:
    printed = [v4.new_output("stream", text="critic answers now")]
    rest = turn({"type": "text", "text": "The rest."})
    first = turn({"type": "text", "text": "The answer."})
    return notebook(
        v4.new_code_cell("%agent new critic model=big", outputs=printed),
        v4.new_code_cell("The question?", outputs=[answer(first)]),
        v4.new_code_cell("%continue", outputs=[answer(rest)]),
        v4.new_code_cell("%time 1 + 1"),
        v4.new_code_cell("%50 of users?"),
        v4.new_code_cell("  %usage"),
    )


@pytest.mark.parametrize("exporter", [MsgHTMLExporter, MsgMarkdownExporter, MsgSlidesExporter])
def test_what_the_author_steers_with_is_not_for_readers(exporter: Any) -> None:
    text, _ = exporter().from_notebook_node(controlled())

    assert [word for word in ("%agent", "critic", "%usage", "%continue") if word in text] == []
    for kept in ("The question?", "The answer.", "The rest.", "50 of users?", "time"):
        assert kept in text
    assert "Not in this export: 2 commands to msgbook." in text
    shown, _ = exporter(excluded=True).from_notebook_node(controlled())
    assert "critic answers now" in shown


def test_a_notebook_to_go_on_with_keeps_them() -> None:
    cells = json.loads(MsgNotebookExporter().from_notebook_node(controlled())[0])["cells"]

    sources = ["".join(cell["source"]) for cell in cells]
    assert (sources[0], sources[2]) == ("%agent new critic model=big", "%continue")


@pytest.mark.parametrize(
    ("times", "days"),
    [
        (["2026-11-20T10:00:00Z"], "2026-11-20"),
        (["2026-11-20T10:00:00Z", "2026-11-20T23:00:00Z"], "2026-11-20"),
        (["2026-11-23T10:00:00Z", "2026-11-20T10:00:00Z"], "2026-11-20 – 2026-11-23"),
        (["<b>", None, 7, {}, "", "2026-11-20T10:00:00Z"], "2026-11-20"),
        ([], None),
    ],
)
def test_the_days_of_the_conversation_stand_at_the_top(times: Any, days: str | None) -> None:
    cells = [
        v4.new_code_cell(
            "Hi", outputs=[answer({**turn({"type": "text", "text": "x"}), "started": t})]
        )
        for t in times
    ]
    page, _ = MsgHTMLExporter().from_notebook_node(notebook(*cells))
    text, _ = MsgMarkdownExporter().from_notebook_node(notebook(*cells))

    found = re.search("<time>(.*?)</time>", page)
    assert (found and found[1]) == days
    assert (days or "##") in text.split("\n\n")[0] or not cells


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
