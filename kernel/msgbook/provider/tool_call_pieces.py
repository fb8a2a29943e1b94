"""Pieces of streamed tool calls, assigned to their calls by index, id and name as far as a server sends them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgbook.errors import ProviderError
from msgbook.events import ToolCallDelta
from msgbook.provider.answer_quirks import ECHOED_KEYS, repair_json
from msgbook.provider.pieces import SurrogateJoiner
from msgbook.text import repair_surrogates

MAX_CALLS = 1000
"""Most calls in one answer; OpenAI allows 128."""

_COMPARED = 100_000
"""Characters of arguments that are read again to see whether they are complete."""


class CallAssembler:
    """The tool calls of one answer.

    Args:
        new_id: Makes an id for a call that came without a usable one.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._calls: list[_Call] = []

    def feed(self, piece: dict[str, Any]) -> ToolCallDelta:
        """Return an entry of `tool_calls` as a piece of the call that it belongs to.

        Raises:
            ProviderError: There are more than `MAX_CALLS` calls.
        """
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        name = function.get("name")
        arguments = json_text(function.get("arguments"))
        call = self._call_of(piece.get("index"), piece.get("id"), name, arguments)
        new_name = repair_surrogates(name) if isinstance(name, str) and not call.name else ""
        call.name = call.name or new_name
        is_repeated = name and not new_name and call.is_said_by(arguments)
        arguments = "" if is_repeated else call.arguments.feed(arguments)
        if arguments:
            call.pieces.append(arguments)
            call.size += len(arguments)
        echoed = {key: repair_json(piece[key]) for key in ECHOED_KEYS if piece.get(key)}
        return ToolCallDelta(call.position, call.id, new_name, arguments, echoed or None)

    def has(self, piece: dict[str, Any]) -> bool:
        """Return whether a complete call came before: by its id, or with the same name and arguments."""
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name = piece.get("id"), function.get("name")
        arguments = json_text(function.get("arguments"))
        return any(
            (call_id and call.server_id == call_id)
            or (call.name == name and "".join(call.pieces) == arguments)
            for call in self._calls
        )

    def _call_of(self, index: Any, given_id: Any, name: Any, arguments: str) -> _Call:
        """Return the call that a piece belongs to; a new call if the piece begins one.

        A known index with another id and a name begins a new call (Cerebras), and so does a known
        index or id with another name. Without an index, a new id begins a call (Mistral, Ollama).
        """
        for call in reversed(self._calls):
            if call.continues(index, given_id, name) and not (name and call.is_before(arguments)):
                return call
        if not name:
            # It begins no call, whatever its index: some servers count it up.
            same_id = (call for call in reversed(self._calls) if call.server_id == given_id)
            if (known := next(same_id, None)) is not None and given_id:
                return known
            if not given_id and self._calls:
                return self._calls[-1]
        for call in self._calls:
            is_same = given_id and call.server_id == given_id and name == call.name
            if is_same and call.is_said_by(arguments):
                return call
        if len(self._calls) == MAX_CALLS:
            raise ProviderError("TooManyCalls", f"The model made more than {MAX_CALLS} calls.")
        taken = {call.id for call in self._calls}
        usable = isinstance(given_id, str) and given_id and given_id not in taken
        call_id = repair_surrogates(given_id) if usable else self._new_id()
        call = _Call(len(self._calls), index, given_id, call_id)
        self._calls.append(call)
        return call


class _Call:
    __slots__ = ("arguments", "id", "index", "name", "pieces", "position", "server_id", "size")

    def __init__(self, position: int, index: Any, server_id: Any, call_id: str) -> None:
        self.position, self.index, self.server_id, self.id = position, index, server_id, call_id
        self.name = ""
        self.arguments = SurrogateJoiner()
        self.pieces: list[str] = []
        self.size = 0

    def continues(self, index: Any, given_id: Any, name: Any) -> bool:
        """Return whether a piece belongs to this call by its index, id and name."""
        is_same_id = given_id in (None, "", self.server_id)
        is_same_name = name == self.name
        if index is None:
            return is_same_id and (not name or bool(given_id and is_same_name))
        if self.index != index:
            return False
        if not name or (is_same_id and (given_id or is_same_name)):
            return not name or is_same_name or not self.name
        # Some servers give each piece another id.
        return is_same_name and bool(given_id) and not self.is_complete

    @property
    def is_complete(self) -> bool:
        """True if the arguments so far are JSON, or too long to find out."""
        return self.size > _COMPARED or is_json("".join(self.pieces))

    def is_said_by(self, arguments: str) -> bool:
        """Return whether a piece says all arguments again: an object cannot go on with itself."""
        is_same = self.size == len(arguments) and "".join(self.pieces) == arguments
        return is_same and arguments.startswith("{") and self.is_complete

    def is_before(self, arguments: str) -> bool:
        """Return whether arguments begin another call: this one has an object, which cannot go on with one."""
        return arguments.startswith("{") and self.is_complete and not self.is_said_by(arguments)


def is_json(text: str) -> bool:
    """Return whether a text is JSON that can be read."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def json_text(arguments: Any) -> str:
    """Return the arguments as text: nearly all servers send text, some an object."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
