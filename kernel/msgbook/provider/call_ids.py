"""Ids of tool calls that repeat, told apart in a request. Pure.

Servers number the calls of each answer anew (`call_0`, Kimi K3's `read:0`), cells are copied with their answers,
and many servers refuse a request with two calls of one id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgbook.messages import OUTPUT_ITEMS, Message


def with_unique_ids(messages: Iterable[Message]) -> list[Message]:
    """Return messages in which no two calls have the same id. The first call with an id keeps it.

    A message depends on those before it alone: what was sent once is the beginning of what is sent next.
    """
    ids = _Ids()
    return [ids.tell_apart(message) for message in messages]


class _Ids:
    """The ids of the messages so far."""

    def __init__(self) -> None:
        self._sent: set[str] = set()
        self._latest: dict[str, list[str]] = {}
        """Ids that are sent for the calls of the latest message with an id; the results follow in their order."""
        self._counts: dict[str, int] = {}

    def tell_apart(self, message: Message) -> Message:
        """Return a message with calls, or the result of the latest call with its id, with the ids that are sent."""
        if message.get("role") == "tool":
            return self._with_calls_id(message)
        calls = message.get("tool_calls")
        if not calls:
            return message
        given = [call["id"] for call in calls]
        sent = [*map(self._new, given)]
        self._latest |= {
            one: [to for of, to in zip(given, sent, strict=True) if of == one] for one in given
        }
        if given == sent:
            return message
        renamed = [{**call, "id": to} for call, to in zip(calls, sent, strict=True)]
        changed = {**message, "tool_calls": renamed}
        if OUTPUT_ITEMS in message:
            new = dict(zip(given, sent, strict=True))
            changed[OUTPUT_ITEMS] = [_renamed(item, new) for item in message[OUTPUT_ITEMS]]
        return changed

    def _with_calls_id(self, result: Message) -> Message:
        given = result["tool_call_id"]
        latest = self._latest.get(given, [given])
        sent = latest.pop(0) if len(latest) > 1 else latest[0]
        return result if sent == given else {**result, "tool_call_id": sent}

    def _new(self, call_id: str) -> str:
        sent = call_id
        while sent in self._sent:
            self._counts[call_id] = number = self._counts.get(call_id, 1) + 1
            sent = f"{call_id}-{number}"
        self._sent.add(sent)
        return sent


def _renamed(item: dict[str, Any], new: dict[str, str]) -> dict[str, Any]:
    """Return an output item with the id of the call that it stands for."""
    known = new.get(str(item.get("call_id")))
    return item if known is None else {**item, "call_id": known}
