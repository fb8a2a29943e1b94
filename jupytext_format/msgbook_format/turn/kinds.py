"""The kinds of blocks, a row each: what a file, a model and a reader get of a block.

All that differs by kind and is not a function stands here. The functions stand in tables of the modules
that they belong to, by these rows: Markdown in `markdown/render.py`, a console's text in `msgbook.display`.
The page has the same rows (`turn/kinds.ts`); tests/format/turn/fixtures/kinds.json tests both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from msgbook_format.turn.model import Block


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a block that is an attribute in a file."""

    key: str
    attribute: str
    form: Literal["text", "seconds", "flag"] = "text"


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of blocks. `block in TEXTS` and `TEXTS.among(blocks)` ask for the blocks of one."""

    name: str
    """The `type` of its blocks; empty for kinds that nobody knows."""
    content: str = ""
    """Key of what it says, the body of its output cell; empty if it is JSON in a file."""
    sign: str = ""
    """Stands before what it says where there is nothing but text."""
    is_answer: bool = False
    """Whether a model writes it, piece by piece."""
    is_of_step: bool = True
    """Whether it belongs to a model call; the others are words of msgbook, and never sent."""
    state: str = ""
    """Key whose change a reader sees at once; empty for none."""
    switch: Literal["reasoning", "tools", ""] = ""
    """The switch of an export that leaves it out; empty for none."""
    item: str = ""
    """Type of the output item of the Responses API that it may hold; empty for none."""
    cell: str = ""
    """Type of its output cell; empty if that names the agent."""
    mark: str = ""
    """Attribute, with the value 1, that tells it from a text; empty for none."""
    fields: tuple[Field, ...] = ()
    """Its keys that are attributes, in the order in which they are written."""
    texts: tuple[str, ...] = ()
    """Keys that have to be texts, or else it is JSON in a file."""
    has_parts: bool = False
    """Whether a list may stand in place of the text that it says."""
    is_numbered: bool = False
    """Whether the calls of its step are labelled with its number."""

    def __contains__(self, block: Mapping[str, Any]) -> bool:
        """Return whether a block is of this kind."""
        return bool(block["type"] == self.name)

    def among(self, blocks: Iterable[Block]) -> list[Block]:
        """Return the blocks of this kind."""
        return [block for block in blocks if block["type"] == self.name]


_NAME = Field("name", "name")
_DURATION = Field("duration", "duration", "seconds")

TEXTS = Kind(
    "text",
    content="text",
    is_answer=True,
    item="message",
    fields=(Field("refusal", "refusal", "flag"),),
    is_numbered=True,
)
REASONINGS = Kind(
    "reasoning",
    content="text",
    sign="💭",
    is_answer=True,
    switch="reasoning",
    item="reasoning",
    mark="reasoning",
    fields=(_DURATION,),
    is_numbered=True,
)
TOOL_CALLS = Kind(
    "tool_call",
    content="arguments",
    sign="🔧",
    is_answer=True,
    state="approval",
    switch="tools",
    item="function_call",
    cell="tool",
    fields=(
        _NAME,
        Field("id", "call"),
        Field("approval", "approval"),
        Field("unfinished", "unfinished", "flag"),
    ),
    texts=("name", "id"),
)
TOOL_RESULTS = Kind(
    "tool_result",
    content="content",
    sign="📝",
    state="status",
    switch="tools",
    cell="tool",
    fields=(Field("status", "status"), _DURATION),
    texts=("id",),
    has_parts=True,
)
DISPLAYS = Kind("display", sign="🖼️", switch="tools", item="image_generation_call")
NOTICES = Kind(
    "notice",
    content="text",
    sign="ℹ️",
    is_of_step=False,
    cell="notice",
    fields=(Field("level", "level"),),
)
ERRORS = Kind(
    "error", content="message", sign="❌", is_of_step=False, cell="error", fields=(_NAME,)
)

KINDS = (TEXTS, REASONINGS, TOOL_CALLS, TOOL_RESULTS, DISPLAYS, NOTICES, ERRORS)

UNKNOWN = Kind("", sign="❔")
"""A kind of a newer version, whose blocks are kept and not sent."""

_BY_NAME = {kind.name: kind for kind in KINDS}


def kind_of(block: Mapping[str, Any]) -> Kind:
    return _BY_NAME.get(block["type"], UNKNOWN)
