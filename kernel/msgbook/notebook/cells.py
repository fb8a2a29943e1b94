"""What a cell of the notebook is to the conversation. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgbook.config.limits import LIMIT_KEYS
from msgbook_format.syntax.magic_lines import MSG_MAGIC, parse_msg_line

Cell = Mapping[str, Any]
"""A cell as in nbformat 4.5; comes from a page or a file, so any key may be missing or odd."""

IsMagic = Callable[[str], bool]
"""Whether a name with its percent signs (`%time`, `%%bash`) is a magic that would run."""

NOTEBOOK_SUFFIX = ".ipynb"

OWN_MAGICS = frozenset(
    {
        "%agent",
        "%approvals",
        "%cache",
        "%compact",
        "%context",
        "%display",
        "%help",
        "%macros",
        "%model",
        "%models",
        "%prune",
        "%rules",
        "%skills",
        "%stale",
        "%tool",
        "%tools",
        "%usage",
    }
)
"""Line magics that steer the conversation; their cells are no part of it."""

SENT_TEXTS = ("text/markdown", "text/plain", "text/latex")
"""Of these the first that an output has is sent. Objects that are shown as Markdown have a
`text/plain` that says nothing."""

MAGIC_NAME = re.compile(r"%{1,2}[A-Za-z_][\w.]*")
_EXCLUDED = {"exclude", "none", "0", "false"}
HISTORY_VALUES = frozenset({*_EXCLUDED, "include", "1", "true", "summary"})
"""All spellings of `history` (seed 004)."""

PROMPT_ATTRIBUTES = frozenset({"agent", "history", "model", *LIMIT_KEYS})
"""Attributes that a `%%msg` line can set."""


_MOST = 2**53 - 1
"""Whole numbers up to here are the same to all readers of JSON. Python neither writes one of more than
4,300 digits nor takes it times a price."""


def is_count(value: Any) -> bool:
    """Whether a value of a notebook is a whole number from 0 on that can be counted with."""
    return type(value) is int and 0 <= value <= _MOST


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt cell, taken apart."""

    text: str
    """What the user says to the model, as written."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Of the `%%msg` line: `agent`, `model`, `history`, ..."""
    line: int = field(default=1, compare=False)
    """Line of the cell in which the text begins, from 1."""
    problem: str | None = None
    """Description of the first word of the `%%msg` line that cannot be read."""


def source_of(cell: Cell) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def metadata_of(cell: Cell) -> Mapping[str, Any]:
    """The cell's `metadata.msgbook`; empty when there is none."""
    # JSON: to look for any `Mapping` takes several times as long.
    metadata = cell.get("metadata")
    ours = metadata.get("msgbook") if isinstance(metadata, dict) else None
    return ours if isinstance(ours, dict) else {}


def any_magic(name: str) -> bool:
    """The rule of the file format, which knows no registry: all names but `%%msg` are magics."""
    return name != MSG_MAGIC


def is_prompt(source: str, is_magic: IsMagic = any_magic) -> bool:
    """Whether a code cell on the msgbook kernel is a message.

    A cell is code iff its first non-blank line starts with `!` or with a registered `%name` or
    `%%name` other than `%%msg`.
    """
    text = source.lstrip()
    if text.startswith("!"):
        return False
    magic = MAGIC_NAME.match(text)
    return magic is None or magic[0] == MSG_MAGIC or not is_magic(magic[0])


def parse_prompt(source: str) -> Prompt:
    """Take a prompt cell apart: its `%%msg` line, and a leading backslash that forces a prompt."""
    stripped = source.lstrip()
    if stripped.startswith(MSG_MAGIC):
        msg = parse_msg_line(source)
        if msg:
            line = source.count("\n", 0, len(source) - len(stripped)) + 2
            return Prompt(source[msg.end :], msg.attributes, line, msg.problem)
    if stripped.startswith("\\"):
        lead = len(source) - len(stripped)
        return Prompt(source[:lead] + stripped[1:])
    return Prompt(source)


def model_magic(source: str) -> str | None:
    """The NAME of a cell that is just `%model NAME`; None for any other cell."""
    words = source.split()
    if len(words) == 2 and words[0] == "%model" and "\n" not in source.strip():
        return words[1]
    return None


def is_own_magic(source: str) -> bool:
    """Whether the cell begins with one of msgbook's line magics."""
    words = source.split(maxsplit=1)
    return bool(words) and words[0] in OWN_MAGICS


def is_excluded(history: Any) -> bool:
    """Whether a `history` value keeps its cell from the model."""
    return history is False or str(history).strip().lower() in _EXCLUDED


def outputs_of(cell: Cell) -> list[Any]:
    """The outputs of a cell that are objects."""
    outputs = cell.get("outputs")
    if not outputs:
        return []
    return [o for o in outputs if isinstance(o, dict)] if isinstance(outputs, list) else []
