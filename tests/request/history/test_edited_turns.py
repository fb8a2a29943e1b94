"""A turn over Anthropic's API that was edited by hand gives a request that the API takes, in the next turn and in its own."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from history_cells import prompt
from messages_refused import RefusedError
from messages_requests import check_messages
from messages_sealed import sealed, signature_of
from mutated import ODD

from msgbook.messages import user
from msgbook.provider import Request, request_body, turn_options
from msgbook.request.history import Reader, View
from msgbook.text import text_digest
from msgbook_format.syntax import CHAT_CELLS
from msgbook_format.turn import TURN_MIME

MODEL = "claude-opus-4-5"
TOOL = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}


def thought(text: str, step: int = 1) -> dict[str, Any]:
    item = {"type": "thinking", "signature": signature_of(MODEL, text), "model": MODEL}
    item["digest"] = text_digest(text)
    return {"type": "reasoning", "step": step, "text": text, "extra": {"item": item}}


def hidden(step: int = 1) -> dict[str, Any]:
    item = {"type": "redacted_thinking", "data": sealed(MODEL, "hidden"), "model": MODEL}
    return {"type": "reasoning", "step": step, "text": "", "extra": {"item": item}}


def said(text: str, step: int = 1) -> dict[str, Any]:
    return {"type": "text", "step": step, "text": text}


def called(call_id: str, step: int = 1) -> list[dict[str, Any]]:
    return [
        {"type": "tool_call", "step": step, "id": call_id, "name": "read", "arguments": "{}"},
        {"type": "tool_result", "step": step, "id": call_id, "status": "success", "content": "ok"},
    ]


def searched(number: int) -> list[dict[str, Any]]:
    call_id = f"srvtoolu_{number}"
    page = {"type": "web_search_result", "url": "http://a.invalid", "title": "A"}
    page |= {"encrypted_content": sealed("", "text"), "page_age": None}
    items: list[dict[str, Any]] = [
        {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": call_id, "content": [page]},
    ]
    note = {"type": "notice", "step": 1, "level": "info", "text": "It searched."}
    return [{**note, "extra": {"item": item}} for item in items]


TURNS = [
    [thought("I look."), *called("a"), thought("So.", 2), said("Done.", 2)],
    [thought("I search."), *searched(1), said("Found."), *called("a"), said("Done.", 2)],
    [said("I search."), *searched(1), thought("Hm."), *called("a"), *called("b"), hidden(2), said("x", 2)],
    [hidden(), *called("a"), thought("Again.", 2), *called("b", 2), said("Done.", 3)],
    [*searched(1), *searched(2), said("Done.")],
]  # fmt: skip


def edited(random: Random, blocks: list[Any]) -> list[Any]:
    blocks = copy.deepcopy(blocks)
    for _ in range(random.randint(1, 3)):
        change = random.randrange(6)
        if change == 0 and blocks:
            del blocks[random.randrange(len(blocks))]
        elif change == 1 and blocks:
            blocks.insert(random.randrange(len(blocks)), copy.deepcopy(random.choice(blocks)))
        elif change == 2:
            random.shuffle(blocks)
        elif places := [*values(blocks)]:
            holder, key = random.choice(places)
            if change == 3 and isinstance(holder, dict):
                del holder[key]
            elif change == 4 and isinstance(holder[key], str):
                holder[key] = holder[key][: len(holder[key]) // 2]
            else:
                holder[key] = copy.deepcopy(random.choice(ODD))
    return blocks


def values(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where each value within a value stands: its holder, and its key there."""
    keys: Any = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from values(value[key])


@pytest.mark.parametrize("keeps_reasoning", [False, True])
@pytest.mark.parametrize("effort", [None, "high"])
def test_an_edited_turn_gives_a_request_that_anthropic_takes_but_for_seals_that_were_broken(
    keeps_reasoning, effort
):
    view = View("assistant", "s", reasoning_of="p" if keeps_reasoning else None)
    options = {**turn_options("anthropic"), "reasoning_effort": effort}
    refusals = []
    for seed in range(800):
        random = Random(seed)
        cell = prompt("Q", {})
        turn = cell["outputs"][0]["data"][TURN_MIME]
        turn |= {"blocks": edited(random, random.choice(TURNS)), "provider": "p", "model": MODEL}
        turn |= {"agent": "assistant", "status": random.choice(["done", "interrupted"])}

        sent = Reader(cell_rule=CHAT_CELLS).read([cell], view, {}).messages
        body = request_body(Request(MODEL, [*sent, user("And?")], [TOOL], options), "anthropic")

        try:
            check_messages(body)
        except RefusedError as refused:
            refusals.append((seed, str(refused)))
    # The turn is sent again without its thinking.
    assert [words for words in refusals if "thinking` block" not in words[1]] == []
    assert bool(refusals) == keeps_reasoning
