"""Streams numbered and named as other servers do it. What they say stays the same.

Each function changes the events of a stream, which it may change in place: they are copies.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

Event = dict[str, Any]
Renumber = Callable[[list[Event]], None]

_PIECE = re.compile(r"\.(delta|done)$")


def read_events(body: bytes) -> list[Event | str]:
    """The objects of a stream in order; what is no object stays text."""
    found: list[Event | str] = []
    for block in re.split(r"\r?\n\r?\n", body.decode()):
        if "data: {" in block:
            found.append(json.loads(block.partition("data: ")[2]))
        elif block.strip():
            found.append(block)
    return found


def write_events(events: list[Event | str]) -> bytes:
    framed = (e if isinstance(e, str) else f"data: {json.dumps(e)}" for e in events)
    return "".join(f"{one}\n\n" for one in framed).encode()


def renumbered(body: bytes, *changes: Renumber) -> bytes:
    """The stream with its numbers and names changed."""
    events = read_events(body)
    for change in changes:
        change([event for event in events if isinstance(event, dict)])
    return write_events(events)


def _set(key: str, value: Callable[[int, Event], Any], where: str = "") -> Renumber:
    def change(events: list[Event]) -> None:
        for number, event in enumerate(events):
            if key in event and event.get("type", "").endswith(where):
                event[key] = value(number, event)

    return change


def _without(key: str) -> Renumber:
    def change(events: list[Event]) -> None:
        for event in events:
            event.pop(key, None)

    return change


def _items(events: list[Event]) -> Iterator[tuple[Event, Event]]:
    """Each item with the event that it stands in."""
    for event in events:
        if isinstance(event.get("item"), dict):
            yield event, event["item"]
        for item in (event.get("response") or {}).get("output") or ():
            yield event, item


def _count_parts(events: list[Event]) -> None:
    """As vLLM does it: each delta has the next index, and so have the events that end the part."""
    place: Any = None
    for event in events:
        if event["type"].endswith(".added") or "item" in event:
            place = None
        elif "content_index" in event and _PIECE.search(event["type"]):
            place = event["content_index"] + 1 if place is None else place + 1
            event["content_index"] = place


def _count_announced_summaries(events: list[Event]) -> None:
    """Each delta of a summary has the next index, where the parts are announced."""
    announced, place = False, 0
    for event in events:
        if event["type"] == "response.reasoning_summary_part.added":
            announced = True
            place += 1
            event["summary_index"] = place
        elif announced and "summary_index" in event:
            place += event["type"].endswith(".delta")
            event["summary_index"] = place


def _count_summaries(events: list[Event]) -> None:
    """Each delta of a summary has the next index, and nobody announces the parts."""
    place = -1
    for event in events:
        if event["type"] == "response.reasoning_summary_part.added":
            event["type"] = "response.in_progress"
        elif "summary_index" in event:
            place += event["type"].endswith("text.delta")
            event["summary_index"] = place


def _end_at_the_next_index(events: list[Event]) -> None:
    """As vLLM does it: what ends an item has the index of the next one."""
    for event in events:
        if "output_index" in event and event["type"].endswith(".done"):
            event["output_index"] += 1


def _other_ids_at_the_end(events: list[Event]) -> None:
    numbers = itertools.count()
    for event, item in _items(events):
        if "response" in event:
            for key in item.keys() & {"id", "call_id"}:
                item[key] = f"other_{next(numbers)}"


def _other_call_ids(events: list[Event]) -> None:
    numbers = itertools.count()
    for event, item in _items(events):
        if "call_id" in item and not event["type"].endswith(".added"):
            item["call_id"] = f"call_{next(numbers):x}"


def _harmony_items(events: list[Event]) -> None:
    """As vLLM does it for gpt-oss: a completed call has an `item_id`, and another call id."""
    for event, item in _items(events):
        if event["type"].endswith("item.done") and item.get("type") == "function_call":
            item["item_id"] = item.pop("id", None) or item["call_id"]
            item["call_id"] = f"{item['call_id']}_c"


def _ids_of_each_event(events: list[Event]) -> None:
    """As GitHub Copilot's gateway does it: an item has another id in each event."""
    for number, event in enumerate(events):
        if "item_id" in event:
            event["item_id"] = f"id_{number}"
    for number, (_, item) in enumerate(_items(events)):
        if "id" in item:
            item["id"] = f"item_{number}"


def _no_item_ids(events: list[Event]) -> None:
    for event in events:
        event.pop("item_id", None)
    for _, item in _items(events):
        item.pop("id", None)


def _no_list_at_the_end(events: list[Event]) -> None:
    for event in events:
        if event["type"] == "response.completed":
            event["response"]["output"] = []


INDEXES = ("output_index", "content_index", "summary_index")

RESPONSES: dict[str, Renumber] = {
    "parts counted": _count_parts,
    "announced summaries counted": _count_announced_summaries,
    "summaries counted": _count_summaries,
    "ends at the next index": _end_at_the_next_index,
    "other ids at the end": _other_ids_at_the_end,
    "other call ids": _other_call_ids,
    "harmony": _harmony_items,
    "nothing at the end": _no_list_at_the_end,
    "one number": _set("sequence_number", lambda *_: -1),
    "number 0": _set("sequence_number", lambda *_: 0),
    "no numbers": _without("sequence_number"),
    "numbers from the end": _set("sequence_number", lambda number, _: 1000 - number),
    **{f"{key} from 1": _set(key, lambda _, e, key=key: e[key] + 1) for key in INDEXES},  # type: ignore[misc]
    "no content_index": _without("content_index"),
}
"""Changes that leave an item its ids, or its place."""

NAMES: dict[str, Renumber] = {
    "ids of each event": _ids_of_each_event,
    "no item ids": _no_item_ids,
    "no output_index": _without("output_index"),
    "output_index 0": _set("output_index", lambda *_: 0),
}
"""Changes of which no server makes more than one: nothing else names an item."""


def _calls(events: list[Event]) -> Iterator[tuple[int, Event]]:
    """Each piece of a call, with the number of its chunk."""
    for number, event in enumerate(events):
        for choice in event.get("choices", ()):
            for piece in (choice.get("delta") or {}).get("tool_calls") or ():
                yield number, piece


def _each_call(change: Callable[[int, Event], None]) -> Renumber:
    def change_all(events: list[Event]) -> None:
        for number, piece in _calls(events):
            change(number, piece)

    return change_all


def _each_choice(change: Callable[[Event], None]) -> Renumber:
    def change_all(events: list[Event]) -> None:
        for event in events:
            for choice in event.get("choices", ()):
                change(choice)

    return change_all


def _repeat_heads(*keys: str) -> Renumber:
    """Each piece of a call has its id, its name or both."""

    def change(events: list[Event]) -> None:
        known: dict[Any, Event] = {}
        for _, piece in _calls(events):
            if piece.get("id") is not None:
                known[piece.get("index")] = piece
            first = known.get(piece.get("index"), piece)
            if "id" in keys and "id" in first:
                piece["id"] = first["id"]
            if "name" in keys and "name" in first["function"]:
                piece["function"]["name"] = first["function"]["name"]

    return change


def _count_pieces(events: list[Event]) -> None:
    for place, (_, piece) in enumerate(_calls(events)):
        piece["index"] = place


def _repeat_the_message(events: list[Event]) -> None:
    """The last chunk has the complete message, as some gateways do it."""
    content, calls = [], dict[Any, Event]()
    last: Event | None = None
    for event in events:
        for choice in event.get("choices", ()):
            delta = choice.get("delta") or {}
            if isinstance(delta.get("content"), str):
                content.append(delta["content"])
            for piece in delta.get("tool_calls") or ():
                key = piece.get("index", piece.get("id"))
                call = calls.setdefault(key, {"id": piece.get("id"), "function": {"arguments": ""}})
                call["function"]["name"] = call["function"].get("name") or piece["function"].get(
                    "name"
                )
                call["function"]["arguments"] += piece["function"]["arguments"]
            last = choice
    if last is not None and not last.get("delta"):
        last.pop("delta", None)
        last["message"] = {"content": "".join(content), "tool_calls": list(calls.values())}


CHAT: dict[str, Renumber] = {
    "ids repeated": _repeat_heads("id"),
    "names repeated": _repeat_heads("name"),
    "ids and names repeated": _repeat_heads("id", "name"),
    "no choice index": _each_choice(lambda choice: choice.pop("index", None)),
    "choice index null": _each_choice(lambda choice: choice.update(index=None)),
    "choice index 1": _each_choice(lambda choice: choice.update(index=1)),
    "other chunk ids": _set("id", lambda number, _: f"chunk_{number}"),
    "the message at the end": _repeat_the_message,
}

CHAT_NAMES: dict[str, Renumber] = {
    "no call index": _each_call(lambda _, piece: piece.pop("index", None) and None),
    "call index 0": _each_call(lambda _, piece: piece.update(index=0)),
    "call index from 1": _each_call(
        lambda _, piece: piece.update(index=(piece.get("index") or 0) + 1)
    ),
    "call index counted": _count_pieces,
    "no call ids": _each_call(lambda _, piece: piece.pop("id", None) and None),
    "call ids of each piece": _each_call(lambda number, piece: piece.update(id=f"call_{number}")),
}
"""Changes of which no server makes more than one: nothing else names a call."""


def _blocks(events: list[Event]) -> Iterator[Event]:
    """Each content block that is announced."""
    for event in events:
        if isinstance(event.get("content_block"), dict):
            yield event["content_block"]


def _other_block_ids(events: list[Event]) -> None:
    """Ids as other servers of this API make them, the same ones wherever they are named."""
    made: dict[str, str] = {}
    for block in _blocks(events):
        for key in block.keys() & {"id", "tool_use_id"}:
            block[key] = made.setdefault(block[key], f"call_{len(made)}_x")


def _bare_message(events: list[Event]) -> None:
    """As small servers do it: the start says nothing but the role."""
    for event in events:
        if event["type"] == "message_start":
            event["message"] = {"role": "assistant", "content": []}


def _no_empty_pieces(events: list[Event]) -> None:
    for event in events:
        if event.get("delta", {}).get("partial_json") == "":
            event.clear()
            event["type"] = "ping"


def _text_at_the_start(events: list[Event]) -> None:
    """The first piece of a text or of thinking stands in the start of its block."""
    opened: Event | None = None
    for event in events:
        opened = event.get("content_block", opened)
        delta = event.get("delta", {})
        key = str(delta.get("type", "")).removesuffix("_delta")
        if opened is not None and key in ("text", "thinking") and opened["type"] == key:
            opened[key] = opened.get(key, "") + delta[key]
            event.clear()
            event["type"] = "ping"
            opened = None
        elif "delta" in event:
            opened = None


MESSAGES: dict[str, Renumber] = {
    "index from 1": _set("index", lambda _, e: type(e["index"])(int(e["index"]) + 1)),
    "index of tens": _set("index", lambda _, e: type(e["index"])(int(e["index"]) * 10)),
    "index as text": _set("index", lambda _, e: str(e["index"])),
    "other ids": _other_block_ids,
    "a start that says nothing": _bare_message,
    "no empty pieces": _no_empty_pieces,
    "text at the start": _text_at_the_start,
}
"""Changes that leave a block its index."""

MESSAGES_NAMES: dict[str, Renumber] = {
    "no index": _without("index"),
    "index null": _set("index", lambda *_: None),
    "index 0": _set("index", lambda *_: 0),
}
"""Changes of which no server makes more than one: nothing else names a block."""
