"""The messages of a request, added one by one, and which cells give any. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from msgbook.messages import Message, encode, joined
from msgbook.notebook import (
    Cell,
    is_own_magic,
    once,
    outputs_of,
    parse_prompt,
    saved_history,
    source_of,
)
from msgbook.request.history.summary import MissingSummary
from msgbook.turn import turn_messages
from msgbook_format.syntax import MSG_MAGIC, CellRule, is_continue, is_excluded
from msgbook_format.turn import turn_of


@dataclass(frozen=True, slots=True)
class View:
    """The reader of a conversation: all that its requests depend on except the notebook."""

    agent: str
    """Name of the agent. Turns of other agents become user messages that begin `[name] `."""
    system_prompt: str
    vision: bool = False
    """Whether the model takes images. Otherwise they are named."""
    documents: bool = False
    """Whether the model takes PDFs as documents. Otherwise their text is sent."""
    reasoning_of: str | None = None
    """Provider that wants the reasoning of its earlier turns back; None if it does not."""
    alternate: bool = False
    """Merge neighbouring messages of one role, for servers that insist on alternating roles. A
    message that was sent already may then still grow, so a server's prefix cache fits less often."""


@dataclass(slots=True)
class History:
    """A request, or the beginning of one."""

    messages: list[Message] = field(default_factory=list)
    owners: list[int | None] = field(default_factory=list)
    """Position of the cell of each message; None for the system message."""
    encoded: list[bytes] = field(default_factory=list)
    """Bytes of each message, from `messages.encode`."""
    cells: int = 0
    """Number of earlier cells with messages."""
    missing: list[MissingSummary] = field(default_factory=list)
    """Summaries that do not exist yet; the full texts are in the messages."""
    alternate: bool = False

    def add(self, message: Message, encoded: bytes, owner: int | None) -> None:
        """Append a message."""
        merges = self.alternate and self.messages
        merged = joined(self.messages[-1], message) if merges else None
        if merged is None:
            self.messages.append(message)
            self.owners.append(owner)
            self.encoded.append(encoded)
        else:
            self.messages[-1] = merged
            self.encoded[-1] = encode(merged)

    def with_prompt(self, prompt: Message, owner: int) -> History:
        """Return the request: this history and the message of the running cell. Not in place."""
        request = self.copy()
        request.add(prompt, encode(prompt), owner)
        return request

    def last_message(self) -> History:
        """Return a history of the last message alone. Not in place."""
        return self._from(-1)

    def copy(self) -> History:
        """Return a history that grows on its own."""
        return self._from(0)

    def _from(self, start: int) -> History:
        return replace(
            self,
            messages=self.messages[start:],
            owners=self.owners[start:],
            encoded=self.encoded[start:],
            missing=list(self.missing),
        )


# The common beginning of two requests, which a server can cache. Pure.


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The first request of a turn."""

    request: History
    cells: Sequence[Cell]
    """The cells above, and the prompt as the last one."""
    model: str = ""
    agent: str = ""
    tools: Sequence[Mapping[str, Any]] = ()
    """Schemas. Servers put them before the messages."""


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """The common beginning of two requests."""

    messages: int
    """Number of messages that both requests have in common."""
    bytes: int
    """Bytes of these messages and of the common beginning of the next ones, as `encode` returns them."""
    total: int
    """Bytes of the later request."""
    is_broken: bool
    """Whether the requests differ before one of them ends."""
    before: int | None = None
    """Position of the cell whose message in the earlier request differs first; None for the system
    message."""
    after: int | None = None
    """The same position for the later request."""

    @property
    def share(self) -> float:
        """Fraction of the later request that is shared, 0 to 1."""
        return self.bytes / self.total if self.total else 1.0


def shared_prefix(previous: History, request: History) -> SharedPrefix:
    """Return the common beginning of a request and the one before it."""
    same = 0
    for earlier, later in zip(previous.encoded, request.encoded, strict=False):
        if earlier != later:
            break
        same += 1
    size = sum(map(len, request.encoded[:same]))
    total = sum(map(len, request.encoded))
    if same in (len(previous.encoded), len(request.encoded)):
        return SharedPrefix(same, size, total, is_broken=False)
    size += _common_length(previous.encoded[same], request.encoded[same])
    before, after = previous.owners[same], request.owners[same]
    return SharedPrefix(same, size, total, True, before, after)


def _common_length(first: bytes, second: bytes) -> int:
    """Return the number of bytes with which both texts begin."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


# The kind of a cell and its `history` value: whether the cell is sent, and in which form. Pure.


CellKind = Literal["prompt", "code", "note", "none"]


def kind_of(cell: Cell, cell_rule: CellRule) -> CellKind:
    """Return the kind of a cell on the msgbook kernel; a cell of kind `none` is never sent."""
    if cell.get("cell_type") == "markdown":
        return "note"
    if cell.get("cell_type") != "code":
        return "none"
    source = source_of(cell)
    if cell_rule.is_message(source):
        return "prompt"
    return "none" if is_own_magic(source) else "code"


@once
def history_of(cell: Cell) -> Any:
    """Return the `history` value of a cell, of any type: from its `%%msg` line, or from its metadata.

    A cell whose footnote cannot be read has a value that nobody knows, and so is not sent.
    """
    value = saved_history(cell)
    if cell.get("cell_type") != "code":
        return value
    source = source_of(cell)
    # Most prompts have no such line, and parsing takes longer.
    return parse_prompt(source).read_history(value) if MSG_MAGIC in source else value


# The answer that `%continue` continues. Pure.


def has_incomplete_answer(cells: Sequence[Cell]) -> bool:
    """Return whether the last answer is incomplete: cut off, stopped, failed or interrupted."""
    for cell in reversed(cells):
        if is_excluded(history_of(cell)):
            continue
        for turn in filter(None, map(turn_of, reversed(outputs_of(cell)))):
            if not is_continue(source_of(cell)) or turn_messages(turn["blocks"]):
                return turn["status"] != "done"
    return False
