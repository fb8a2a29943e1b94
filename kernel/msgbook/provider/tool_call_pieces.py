"""Pieces of streamed tool calls, assigned to their calls by index, id and name as far as a server sends them; and ids made unique."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgbook.errors import ProviderError
from msgbook.events import ToolCallDelta
from msgbook.messages import ECHOED, Message
from msgbook.provider.answer_quirks import ECHOED_KEYS, repair_json
from msgbook.provider.pieces import RestartedArguments, SurrogateJoiner, WholeDeltas
from msgbook.text import repair_surrogates
from msgbook_format.typed import as_items, as_text

MAX_CALLS = 1000
"""Most calls in one answer; OpenAI allows 128."""

_COMPARED = 100_000
"""Characters of arguments that are read again to see whether they are complete."""

LEGACY = "function_call"
"""Index of a call that comes under the key `function_call`."""

_ARGUMENTS = ("arguments", "parameters", "input", "args")
"""Keys of the arguments, the usual one first."""

_EMPTY = "{}"

_CALL_KEYS = ("function", "id", "name", *_ARGUMENTS)
"""Keys of which a piece of a call has one."""


class CallAssembler:
    """The tool calls of one answer.

    Args:
        new_id: Makes an id for a call that came without a usable one.
        are_told_apart: Whether the index of a piece is surely that of its call.
    """

    def __init__(self, new_id: Callable[[], str], *, are_told_apart: bool = False) -> None:
        self._new_id, self._are_told_apart = new_id, are_told_apart
        self._calls: list[_Call] = []
        self._doubts: list[_Doubt] = []

    def feed(self, piece: dict[str, Any]) -> ToolCallDelta:
        """Return an entry of `tool_calls` as a piece of the call that it belongs to.

        Raises:
            ProviderError: There are more than `MAX_CALLS` calls.
        """
        name, arguments = _function(piece)
        doubt = self._doubt_about(piece, name, arguments)
        if doubt is None:
            call = self._call_of(piece.get("index"), piece.get("id"), name, arguments)
        else:
            call, arguments = doubt.call, doubt.decide(arguments)
            if doubt.is_open:
                return ToolCallDelta(call.position, call.id, "", "", None)
            self._doubts.remove(doubt)
            if doubt.is_same:
                call.index, name = doubt.index, None
            else:
                call, name = self._begin(doubt.index, doubt.id), call.name
        new_name = call.add_name(name)
        is_repeated = name and not new_name and call.is_said_by(arguments)
        arguments = "" if is_repeated else call.add_piece(arguments)
        echoed = {key: repair_json(piece[key]) for key in ECHOED_KEYS if piece.get(key)}
        return ToolCallDelta(call.position, call.id, new_name, arguments, echoed or None)

    def end(self) -> Iterator[ToolCallDelta]:
        """Yield the arguments that are held back, before complete calls or the end."""
        for doubt in self._doubts:
            if not doubt.said:
                call = self._begin(doubt.index, doubt.id)
                yield ToolCallDelta(
                    call.position, call.id, call.add_name(doubt.call.name), "", None
                )
        self._doubts.clear()
        for call in self._calls:
            if held := call.take_held():
                yield ToolCallDelta(call.position, call.id, "", held, None)

    def unsaid(self, pieces: list[dict[str, Any]], *, by_id: bool) -> list[dict[str, Any]]:
        """Return the complete calls that did not come before: another id or other blanks make no other call.

        Args:
            by_id: Whether a known id is enough to know a call.
        """
        left, found = list(self._calls), []
        for piece in pieces:
            (name, arguments), given_id = _function(piece), piece.get("id")
            named = (c for c in left if by_id and given_id and c.server_id == given_id)
            same = next(named, None) or next((c for c in left if c.is_same(name, arguments)), None)
            if same is None:
                found.append(piece)
            else:
                left.remove(same)
        return found

    def split_differing(
        self, pieces: list[dict[str, Any]], unsaid: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the calls of a complete message that are new, and those that say something else of one that came.

        Args:
            pieces: All calls of the message. A call that came stands at its own place there.
            unsaid: Those of them that did not come before.
        """
        new: list[dict[str, Any]] = []
        differing: list[dict[str, Any]] = []
        for place, piece in enumerate(pieces):
            if any(piece is one for one in unsaid):
                names = [call.name for call in self._calls[place : place + 1]]
                (differing if _function(piece)[0] in names else new).append(piece)
        return new, differing

    def is_echo(self, function: dict[str, Any]) -> bool:
        """Return whether a legacy `function_call` is one of the calls that came as `tool_calls`."""
        if any(call.index == LEGACY for call in self._calls):
            return False
        name = function.get("name")
        return any(not name or call.name == name for call in self._calls)

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
            if self._calls and (arguments or not given_id):
                return self._calls[-1]
        for call in self._calls:
            is_same = given_id and call.server_id == given_id and name == call.name
            if is_same and call.is_said_by(arguments):
                return call
        return self._begin(index, given_id)

    def _doubt_about(self, piece: dict[str, Any], name: Any, arguments: str) -> _Doubt | None:
        """Return the doubt about a piece under the id and the name of a call that has arguments already.

        At another index, or once these are complete, it may be that call from the beginning, or the next one.
        """
        index, given_id = piece.get("index"), piece.get("id")
        known = next((doubt for doubt in self._doubts if doubt.index == index), None)
        if known is not None:
            is_its = name in (None, "", known.call.name) and given_id in (None, "", known.id)
            return known if is_its else None
        is_here = any(call.index == index for call in self._calls)
        if (
            self._are_told_apart
            or not (name and given_id)
            or (is_here and not arguments.startswith("{"))
        ):
            return None
        for call in self._calls:
            is_known = call.server_id == given_id and call.name == name and call.said
            if is_known and (not is_here or call.is_complete):
                self._doubts.append(_Doubt(call, index))
                return self._doubts[-1]
        return None

    def _begin(self, index: Any, given_id: Any) -> _Call:
        if len(self._calls) == MAX_CALLS:
            raise ProviderError("TooManyCalls", f"The model made more than {MAX_CALLS} calls.")
        taken = {call.id for call in self._calls}
        usable = isinstance(given_id, str) and given_id and given_id not in taken
        call_id = repair_surrogates(given_id) if usable else self._new_id()
        call = _Call(len(self._calls), index, given_id, call_id)
        self._calls.append(call)
        return call


class _Doubt:
    """Pieces that are held back until it is clear whether they say a call again or begin the next one."""

    def __init__(self, call: _Call, index: Any) -> None:
        self.call, self.index, self.id = call, index, call.server_id
        self.said = ""
        self.is_open = self.is_same = True
        self._known = call.said

    def decide(self, arguments: str) -> str:
        """Add a piece, and return what is new; all of it if it is another call's."""
        self.said += arguments
        if self._known.startswith(self.said):
            return ""
        self.is_open = False
        # What begins with no object is not a call, but goes on with one: some servers count up the index.
        self.is_same = self.said.startswith(self._known) or not self.said.startswith("{")
        return self.said.removeprefix(self._known) if self.is_same else self.said


class _Call:
    __slots__ = (
        "arguments",
        "deltas",
        "has_empty",
        "id",
        "index",
        "name",
        "pieces",
        "position",
        "restarted",
        "server_id",
        "size",
    )

    def __init__(self, position: int, index: Any, server_id: Any, call_id: str) -> None:
        self.position, self.index, self.server_id, self.id = position, index, server_id, call_id
        self.name = ""
        self.arguments, self.deltas = SurrogateJoiner(), WholeDeltas()
        self.restarted = RestartedArguments()
        self.pieces: list[str] = []
        self.size = 0
        self.has_empty = False
        """True while the arguments are `{}`: gateways to Anthropic send it before the true ones."""

    def read_said(self) -> str:
        """Return the arguments so far."""
        return self.said

    @property
    def said(self) -> str:
        """The arguments so far."""
        return _EMPTY if self.has_empty else "".join(self.pieces)

    def add_name(self, name: Any) -> str:
        """Return what is new in the name that a piece brings; a few servers cut names, too."""
        if not as_text(name) or name == self.name:
            return ""
        new = name.removeprefix(self.name) if self.name else name
        new = repair_surrogates(new)
        self.name += new
        return new

    def add_piece(self, arguments: str) -> str:
        """Add a piece as it came, and return what of it is certain and complete."""
        if arguments == _EMPTY and not self.size and not self.deltas.is_begun:
            self.has_empty = True
            return ""
        held = ""
        if self.has_empty:
            if not arguments.strip():
                return ""
            self.has_empty = False
            held = "" if arguments.lstrip().startswith("{") else self.add(_EMPTY)
        return held + self.add(self.deltas.feed(self.restarted.feed(arguments, self.read_said)))

    def take_held(self) -> str:
        """Return what is held back, as nothing follows."""
        held = _EMPTY if self.has_empty else self.deltas.end(is_complete=is_json)
        self.has_empty = False
        return self.add(held)

    def add(self, arguments: str) -> str:
        """Add a piece of the arguments, and return what of it is complete."""
        if arguments := self.arguments.feed(arguments):
            self.pieces.append(arguments)
            self.size += len(arguments)
        return arguments

    def continues(self, index: Any, given_id: Any, name: Any) -> bool:
        """Return whether a piece belongs to this call by its index, id and name."""
        is_same_id = given_id in (None, "", self.server_id)
        is_same_name = name == self.name
        if self.index == index and self.server_id and not given_id and not self.said:
            return True  # the rest of its name
        if index is None:
            return is_same_id and (not name or bool(given_id and is_same_name))
        if self.index != index:
            return False
        if not name or (is_same_id and (given_id or is_same_name)):
            return not name or is_same_name or not self.name
        # Some servers give each piece another id.
        return is_same_name and bool(given_id) and not self.is_complete

    def is_same(self, name: Any, arguments: str) -> bool:
        """Return whether a complete call is this one again."""
        return name == self.name and same_json(self.said, arguments)

    @property
    def is_complete(self) -> bool:
        """True if the arguments so far are JSON, or too long to find out."""
        return self.size > _COMPARED or is_json(self.said)

    def is_said_by(self, arguments: str) -> bool:
        """Return whether a piece says all arguments again: an object cannot go on with itself."""
        is_same = (self.has_empty or self.size == len(arguments)) and self.said == arguments
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


def _function(piece: dict[str, Any]) -> tuple[Any, str]:
    """Return the name and the arguments of an entry of `tool_calls`; a few servers send them without `function`."""
    function = piece.get("function")
    if isinstance(function, str) and any(key in piece for key in _ARGUMENTS):
        function = {**piece, "name": function}
    elif not isinstance(function, dict):
        function = piece
    found = (function.get(key) for key in _ARGUMENTS)
    return function.get("name"), json_text(next((v for v in found if v is not None), None))


def same_json(one: str, other: str) -> bool:
    """Return whether two texts are the same, or the same JSON, perhaps with other blanks."""
    if one == other:
        return True
    try:
        return bool(json.loads(one) == json.loads(other))
    except (ValueError, RecursionError):
        return False


def call_pieces(calls: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the entries of `tool_calls` that are pieces of calls of functions, and the others."""
    if isinstance(calls, dict):
        is_one = any(key in calls for key in _CALL_KEYS)
        calls = [calls] if is_one or not calls else list(calls.values())
    entries = as_items(calls)
    pieces = [entry for entry in entries if isinstance(entry, dict) and _is_piece(entry)]
    return pieces, [entry for entry in entries if entry and entry not in pieces]


def _is_piece(entry: dict[str, Any]) -> bool:
    function = entry.get("function")
    if entry.get("type") not in (None, "", "function", "tool_call", "function_call"):
        return isinstance(function, dict) and bool(function)
    return any(key in entry for key in _CALL_KEYS)


def json_text(arguments: Any) -> str:
    """Return the arguments as text: nearly all servers send text, some an object."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


# Ids of tool calls that repeat, told apart in a request. Pure.
#
# Servers number the calls of each answer anew (`call_0`, Kimi K3's `read:0`), cells are copied with their answers,
# and many servers refuse a request with two calls of one id.


def with_unique_ids(messages: Iterable[Message]) -> list[Message]:
    """Return messages in which no two calls have the same id. The first call with an id keeps it.

    A message depends on those before it alone: what was sent once is the beginning of what is sent next.
    """
    ids = _Ids()
    return [
        ids.tell_apart(message)
        if "tool_calls" in message or message.get("role") == "tool"
        else message
        for message in messages
    ]


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
        new = dict(zip(given, sent, strict=True))
        for key in (key for key in ECHOED if key in message):
            changed[key] = [_renamed(item, new) for item in message[key]]
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
    """Return an output item, or a content block, with the id of the call that it stands for."""
    known = new.get(str(item.get("call_id")))
    return item if known is None else {**item, "call_id": known}
