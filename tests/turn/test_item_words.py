"""A notice says what the server's own tools did, and names an item that it cannot describe."""

from __future__ import annotations

from typing import Any

import pytest

from msgbook.turn.server_data import item_words

HOSTILE: list[Any] = [None, 7, [], {}, [None, {}, ["a"]], {"type": [], "url": 1, "query": {}}]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"type": "web_search_call"}, "The server searched the web."),
        (
            {
                "type": "web_search_call",
                "action": {"type": "search", "query": "capital\nof France"},
            },
            'The server searched the web for "capital of France".',
        ),
        (
            {
                "type": "web_search_call",
                "action": {"type": "search", "query": "a", "queries": ["a", "b", "c", "d"]},
            },
            'The server searched the web for "a", "b", "c" and 1 more.',
        ),
        (
            {
                "type": "web_search_call",
                "action": {"type": "open_page", "url": "https://a.example"},
            },
            'The server opened the page "https://a.example".',
        ),
        (
            {
                "type": "web_search_call",
                "action": {"type": "find_in_page", "url": "https://a.example", "pattern": "Paris"},
            },
            'The server searched the page "https://a.example" for "Paris".',
        ),
        (
            {"type": "web_search_call", "status": "failed", "action": {"query": "a"}},
            'The server searched the web for "a". It failed.',
        ),
        (
            {"type": "file_search_call", "queries": ["quines"], "status": "completed"},
            'The server searched files for "quines".',
        ),
        ({"type": "code_interpreter_call", "code": "1 + 1"}, "The server ran code."),
        (
            {"type": "image_generation_call", "result": "iVBO"},
            "The server made an image, which it did not send.",
        ),
        (
            {"type": "mcp_call", "name": "roll", "server_label": "dice", "error": None},
            'The server called the tool "roll" of the MCP server "dice".',
        ),
        (
            {"type": "mcp_call", "error": {"code": 404}},
            "The server called a tool of an MCP server. It failed.",
        ),
        (
            {"type": "compaction"},
            "The server sent an item that msgbook cannot display: `compaction`.",
        ),
        (
            {"type": "a`b\u202e"},
            "The server sent an item that msgbook cannot display: `a'b\\u202e`.",
        ),
    ],
)
def test_the_words_of_an_item(item: dict[str, Any], words: str) -> None:
    assert item_words(item) == words


@pytest.mark.parametrize("value", HOSTILE)
def test_values_of_any_type_are_left_out(value: Any) -> None:
    search = {"type": "web_search_call", "action": value, "status": value}
    assert item_words(search) == "The server searched the web."
    assert item_words({"type": "file_search_call", "queries": value}).startswith("The server sea")
    call = {"type": "mcp_call", "name": value, "server_label": value}
    assert item_words(call) == "The server called a tool of an MCP server."


def test_a_long_query_is_cut_and_stays_on_one_line() -> None:
    words = item_words({"type": "web_search_call", "action": {"query": "why \n" * 1000}})

    assert words.endswith('why…".')
    assert "\n" not in words
    assert len(words) < 250
