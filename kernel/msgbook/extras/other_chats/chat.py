"""A chat that was read from a file of another program, with its branches and its images."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from msgbook.extras.other_chats.fields import BadChatError
from msgbook.images import IMAGE_LIMIT, image_type
from msgbook_format.turn import REASONINGS, TEXTS, TOOL_CALLS, TOOL_RESULTS
from msgbook_format.typed import as_list

MOST_KEPT = 50_000
"""Values that one chat keeps of what has no place in its cells. They are written into its file and read with it."""

Role = Literal["system", "user", "assistant"]


@dataclass(slots=True)
class ChatMessage:
    """One message. The result of a tool belongs to the assistant, as in a turn."""

    role: Role
    text: str = ""
    """Text of a message of system or user."""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    """Blocks of a message of the assistant, without steps."""
    model: str | None = None
    time: str | None = None
    """UTC, with `Z`."""
    usage: dict[str, int] = field(default_factory=dict)
    duration: float | None = None
    """Seconds."""
    images: dict[str, bytes] = field(default_factory=dict)
    """Files that `text` shows, by their path from the conversation's folder."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What has no place in a cell."""


@dataclass(slots=True)
class OtherChat:
    """A chat of another program."""

    form: str
    """Name of the form that it was read from."""
    title: str = ""
    messages: list[ChatMessage] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    """What has no place in the cells."""
    findings: list[str] = field(default_factory=list)
    """What a reader of the notebook will miss, a sentence without end for each."""
    forks: Sequence[OtherChat] = ()
    """Other branches, from the first message on."""

    def bound_kept(self) -> None:
        """Leave out what is too much to keep, and say so."""
        left = MOST_KEPT
        holders: list[OtherChat | ChatMessage] = [self, *self.messages]
        for holder in holders:
            count = _count(holder.kept, left + 1)
            if count > left:
                holder.kept = {}
                self.findings.append(
                    f"metadata of more than {MOST_KEPT:,} values is left out; the messages are complete"
                )
            else:
                left -= count


def text_block(text: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": TEXTS.name, "text": text}


def reasoning_block(text: str) -> dict[str, Any]:
    """Return a block of reasoning."""
    return {"type": REASONINGS.name, "text": text}


def call_block(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """Return a block of a tool call; `arguments` is JSON text."""
    return {"type": TOOL_CALLS.name, "id": call_id, "name": name, "arguments": arguments}


def result_block(
    call_id: str, content: str | list[dict[str, Any]], *, is_error: bool = False
) -> dict[str, Any]:
    """Return a block of a result."""
    status = "error" if is_error else "success"
    return {"type": TOOL_RESULTS.name, "id": call_id, "status": status, "content": content}


def _count(value: Any, most: int) -> int:
    """Return the number of values in a JSON value; counting ends at `most`."""
    count, level = 0, [value]
    while level and count < most:
        one = level.pop()
        inner = one.values() if isinstance(one, dict) else as_list(one)
        count += len(inner)
        if count < most:
            level += inner
    return count


# Branches of a chat whose messages form a tree, as in programs that let a person edit a message. Pure.


_MOST_FACTOR, _MOST_START = 20, 10_000
"""All branches together may weigh so much: a start, and this many times what the tree weighs."""
_WEIGHT = 1000
"""Characters of a message that weigh as much as one more message."""


class Branches(NamedTuple):
    """Paths from the first message to a last one."""

    shown: list[str]
    others: list[list[str]]
    left_out: int
    """Number of branches that are too many."""


def find_branches(
    parents: Mapping[str, str | None],
    shown: str | None,
    where: str,
    content: Callable[[str], Any] = bool,
) -> Branches:
    """Return the branches of a tree, in the order of their last messages.

    Args:
        parents: The message above each message; one that is not there counts as none.
        shown: Last message of the branch that is shown; None for the one that was added last.
        where: Name of the tree, for an error.
        content: Returns what a message holds.

    Raises:
        BadChatError: The messages form a circle.
    """
    _require_tree(parents, where)
    inner = set(parents.values())
    leaves = [name for name in parents if name not in inner]
    if shown not in parents:
        shown = leaves[-1] if leaves else None
    main = _path(parents, shown)
    weights: dict[str, int] = {}
    if len(leaves) > 1:
        weights = {name: 1 + len(repr(content(name))) // _WEIGHT for name in parents}
    most = _MOST_START + _MOST_FACTOR * sum(weights.values())
    others: list[list[str]] = []
    left_out = 0
    for leaf in leaves:
        if leaf == shown:
            continue
        path = _path(parents, leaf) if most > 0 else []
        most -= sum(weights[name] for name in path)
        if path and most >= 0:
            others.append(path)
        else:
            left_out += 1
    return Branches(main, others, left_out)


def _path(parents: Mapping[str, str | None], last: str | None) -> list[str]:
    path = []
    while last is not None and last in parents:
        path.append(last)
        last = parents[last]
    return path[::-1]


def _require_tree(parents: Mapping[str, str | None], where: str) -> None:
    sound: set[str] = set()
    for name in parents:
        path: dict[str, None] = {}
        above: str | None = name
        while above is not None and above in parents and above not in sound:
            if above in path:
                raise BadChatError(
                    f"{where}[{above[:60]!r}].parent", "a message above it", "a circle"
                )
            path[above] = None
            above = parents[above]
        sound.update(path)


# Images of other chats as files beside a conversation, as those that are pasted into a prompt. Pure.


FOLDER = "attachments"
"""Folder of the files, beside the conversation."""

_DATA = re.compile(r"data:image/[a-z+.-]{1,20};base64,", re.IGNORECASE)
_LINK = re.compile(r"[^\s()<>]{1,2000}")


class Images:
    """The images of one message.

    Attributes:
        files: Contents by path. The name follows from the content, so equal images are one file.
    """

    def __init__(self, findings: list[str]) -> None:
        self.files: dict[str, bytes] = {}
        self._findings = findings

    def markdown(self, url: str) -> str:
        """Return the image of a URL as Markdown; data becomes a file, and nothing is fetched."""
        found = _DATA.match(url)
        if found is None:
            self._findings.append("an image stays a link to where it was")
            return f"[image]({url})" if _LINK.fullmatch(url) else "[image]"
        try:
            data = base64.b64decode(url[found.end() :], validate=True)
        except ValueError:
            data = b""
        return self.attach(data)

    def attach(self, data: bytes) -> str:
        """Return an image as Markdown that shows its file."""
        mime = image_type(data)
        if mime is None or len(data) > IMAGE_LIMIT:
            self._findings.append(
                "an image is left out: it is too large, or of no type that models take"
            )
            return "[image]"
        name = f"{FOLDER}/{sha256(data).hexdigest()[:16]}.{mime.removeprefix('image/')}"
        self.files[name] = data
        return f"![image]({name})"
