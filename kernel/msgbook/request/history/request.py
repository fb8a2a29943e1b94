"""The messages of a request, added one by one. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from msgbook.messages import Message, encode, joined
from msgbook.request.history.summary import MissingSummary


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
        request = self._from(0)
        request.add(prompt, encode(prompt), owner)
        return request

    def last_message(self) -> History:
        """Return a history of the last message alone. Not in place."""
        return self._from(-1)

    def _from(self, start: int) -> History:
        return replace(
            self,
            messages=self.messages[start:],
            owners=self.owners[start:],
            encoded=self.encoded[start:],
        )
