"""Requests that do not fit the context window, and warnings about long ones."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
import scripted_server as scripted
from engine_turns import run_turn
from history_cells import turn_cell

from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook.transcript import Transcript
from msgbook.request.context_window import describe_length, find_overflow
from msgbook.request.history import Reader, View
from msgbook.request.token_estimates import estimate_cell_tokens


def weigh(message):
    return len(message["content"])


def judged(window, *pairs, fixed=0):
    """Pairs of owner and tokens."""
    messages = [{"content": "x" * tokens} for _, tokens in pairs]
    return find_overflow(messages, [owner for owner, _ in pairs], window, weigh, tool_tokens=fixed)


PAIRS = [(None, 10), (0, 5), (0, 20), (1, 30), (2, 4), (3, 50)]


def test_what_fits_is_not_find_overflow():
    assert judged(119, *PAIRS) is None
    assert judged(119, *PAIRS, fixed=1).tokens == 120


@pytest.mark.parametrize(
    ("window", "cells", "is_enough"),
    [
        (118, (1,), True),
        (89, (1,), True),
        (88, (0, 1), True),
        (64, (0, 1), True),
        (63, (0, 1, 2), True),
        (59, (0, 1, 2), False),
    ],
)
def test_the_fewest_cells_are_named_and_never_the_running_one(window, cells, is_enough):
    found = judged(window, *PAIRS)

    assert (found.cells, found.is_enough) == (cells, is_enough)


def test_a_long_request_is_warned_of_with_its_largest_cells():
    cells = [
        turn_cell("Summarise " + "a log " * 2000),
        {"cell_type": "markdown", "source": "short", "metadata": {}},
        {"cell_type": "markdown", "source": "# Data\n" + "1 2 " * 5000, "metadata": {}},
        {
            "cell_type": "markdown",
            "source": "big " * 9000,
            "metadata": {"msgbook": {"history": "exclude"}},
        },
    ]

    request = Reader().read(cells, View("assistant", ""))

    words = describe_length(9000, 5000, estimate_cell_tokens(request), cells)

    assert "about 9,000 tokens" in words
    assert words.index("cell 3 (# Data 1 2") < words.index("cell 1 (Summarise a log")
    assert "cell 4" not in words
    assert "history=exclude" in words


def test_a_request_within_the_limit_is_not_warned_of():
    assert describe_length(5000, 5000, {}, []) is None


def test_the_turn_warns_before_a_long_request_is_sent(server, tmp_path):
    server.answers = [scripted.text("Yes.")]
    path = tmp_path / "msgbook.toml"
    path.write_text("[limits]\nwarn_tokens = 20000")
    env = {"MSGBOOK_CONFIG": str(path), "OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}

    async def turn(*cells):
        engine = Conversation(Services(load_settings(env)), tmp_path)
        turn = await run_turn(engine, "hi", Transcript("memory", cells))
        await engine.services.close()
        return turn["blocks"]

    warned = asyncio.run(turn(turn_cell("word " * 20_000)))
    assert (warned[0]["type"], warned[0]["level"]) == ("notice", "warning")
    assert "cell 1 (word word" in warned[0]["text"]
    assert [block["type"] for block in asyncio.run(turn(turn_cell("a word")))] == ["text"]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (1000, "warn_tokens is 1,000"),
        (200_000, "warn_tokens=200000 is ignored: your own limit is 100000."),
        ("x" * 10_000, "is ignored: expected a positive number."),
    ],
)
def test_a_project_may_have_the_turn_warn_earlier_but_not_later(server, tmp_path, wanted, words):
    server.answers = [scripted.text("Yes.")]
    settings = load_settings({"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"})
    settings = replace(settings, project_limits={"warn_tokens": wanted})

    async def turn():
        engine = Conversation(Services(settings), tmp_path)
        turn = await run_turn(engine, "word " * 2000, Transcript("memory", []))
        await engine.services.close()
        return turn["blocks"]

    (notice, answer) = asyncio.run(turn())
    assert answer["type"] == "text"
    assert words in notice["text"]
    assert len(notice["text"]) < 500
