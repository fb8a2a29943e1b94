"""A request, put together message by message. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from msgbook.messages import Message, encode
from msgbook.request.history.summary import MissingSummary


@dataclass(frozen=True, slots=True)
class View:
    """Who reads the conversation: all that a request depends on but the notebook."""

    agent: str
    """Turns of others become user messages that begin `[name] `."""
    system_prompt: str
    vision: bool = False
    """Whether the model takes images; else they are named."""
    keep_reasoning: bool = False
    """Whether the server wants the reasoning of earlier turns back, too."""
    alternate: bool = False
    """Merge neighbours of one role, for servers that insist that roles alternate. It costs the
    prefix law: a message may go on growing when it was sent already."""


@dataclass(slots=True)
class History:
    """A request, or the beginning of one."""

    messages: list[Message] = field(default_factory=list)
    owners: list[int | None] = field(default_factory=list)
    """For each message the position of the cell that gave it; None for the system message, if there
    is one."""
    encoded: list[bytes] = field(default_factory=list)
    """Each message as `messages.encode` gives it."""
    cells: int = 0
    """How many of the earlier cells gave messages."""
    missing: list[MissingSummary] = field(default_factory=list)
    """Summaries that have to be made; what they would sum up stands whole."""
    alternate: bool = False

    def add(self, message: Message, encoded: bytes, owner: int | None) -> None:
        """Put a message behind the others."""
        whole = _joined(self.messages[-1], message) if self.alternate and self.messages else None
        if whole is None:
            self.messages.append(message)
            self.owners.append(owner)
            self.encoded.append(encoded)
        else:
            self.messages[-1] = whole
            self.encoded[-1] = encode(whole)

    def with_prompt(self, prompt: Message, owner: int) -> History:
        """The whole request: this history with the running cell's message. Not in place."""
        whole = self._from(0)
        whole.add(prompt, encode(prompt), owner)
        return whole

    def tail(self) -> History:
        """The last message alone, as something that can be added to. Not in place."""
        return self._from(-1)

    def _from(self, start: int) -> History:
        return replace(
            self,
            messages=self.messages[start:],
            owners=self.owners[start:],
            encoded=self.encoded[start:],
        )


def _joined(first: Message, second: Message) -> Message | None:
    """Two neighbours as one message; None where they have to stay two."""
    role = first["role"]
    if role not in ("user", "assistant") or role != second["role"]:
        return None
    if "tool_calls" in first or "tool_calls" in second:
        return None
    contents = [first["content"], second["content"]]
    if all(isinstance(content, str) for content in contents):
        return {"role": role, "content": "\n\n".join(contents)}
    parts = [
        part
        for content in contents
        for part in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
    ]
    return {"role": role, "content": parts}
