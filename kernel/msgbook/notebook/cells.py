"""The cells of a notebook: their parts, and whether a cell is a prompt. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgbook_format.syntax import MSG_MAGIC, is_shell_command

Cell = Mapping[str, Any]
"""A cell as in nbformat 4.5. From a page or a file, so any key may be missing or have a wrong type."""

IsMagic = Callable[[str], bool]
"""Returns whether a name with its percent signs (`%time`, `%%bash`) is a magic that would run."""

NOTEBOOK_SUFFIX = ".ipynb"

SENT_TEXTS = ("text/markdown", "text/plain", "text/latex")
"""Types of the texts of an output, the preferred one first; one is sent. Of an object with
`text/markdown`, `text/plain` shows only a `repr`."""

MAGIC_NAME = re.compile(r"%{1,2}[A-Za-z_][\w.]*")
_CELL_MAGIC = re.compile(r"((%%[A-Za-z_][\w.]*)\S*)")
"""First word of a cell magic, in two groups: the word, since a language can have any name (`%%c++`),
and the part of it that a magic's name can have."""
_MAX_COUNT = 2**53 - 1
"""Largest integer that all readers of JSON agree on."""


def is_count(value: Any) -> bool:
    """Return whether a value of a notebook is an integer from 0 that can be calculated with."""
    return type(value) is int and 0 <= value <= _MAX_COUNT


@dataclass(frozen=True, slots=True)
class Prompt:
    """The parts of a prompt cell."""

    text: str
    """Text for the model, as written."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Attributes of the `%%msg` line: `agent`, `model`, `history`, ..."""
    line: int = field(default=1, compare=False)
    """Line of the cell in which the text begins, counted from 1."""
    problem: str | None = None
    """Description of the first word of the `%%msg` line that cannot be read."""

    def read_history(self, metadata_value: Any) -> Any:
        """Return the `history` value: from the `%%msg` line, else that of the cell's metadata.

        A prompt whose line cannot be read is excluded: the word may be the one that excludes it.
        """
        return "exclude" if self.problem else self.attributes.get("history", metadata_value)


def id_of(cell: Cell) -> str:
    """Return the id of a cell; an empty text if it has none."""
    cell_id = cell.get("id")
    return cell_id if isinstance(cell_id, str) else ""


def source_of(cell: Cell) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def metadata_of(cell: Cell) -> Mapping[str, Any]:
    """Return the cell's `metadata.msgbook`, or an empty mapping."""
    # The metadata is JSON. A test for any `Mapping` takes several times as long.
    metadata = cell.get("metadata")
    ours = metadata.get("msgbook") if isinstance(metadata, dict) else None
    return ours if isinstance(ours, dict) else {}


def any_magic(name: str) -> bool:
    """Return whether the file format takes a name for a magic: any name but `%%msg`."""
    return name != MSG_MAGIC


def is_prompt(source: str, is_magic: IsMagic = any_magic) -> bool:
    """Return whether a code cell on the msgbook kernel is a prompt.

    A cell is code if and only if its first non-blank line is a shell command, or starts with `%%name`
    other than `%%msg` or with a registered `%name`. After two percent signs code is meant, even if
    nothing here can run it.
    """
    if is_shell_command(source):
        return False
    magic = MAGIC_NAME.match(source.lstrip())
    if magic is None:
        return True
    if missing_magic(source, is_magic) is not None:
        return False
    return magic[0] == MSG_MAGIC or not is_magic(magic[0])


def missing_magic(source: str, is_magic: IsMagic) -> str | None:
    """Return the name (`%%sql`) if a cell begins with a cell magic that is not registered.

    In a message file, code of any language is written like that.
    """
    magic = _CELL_MAGIC.match(source.lstrip())
    if magic is None or magic[1] == MSG_MAGIC or is_magic(magic[2]):
        return None
    return magic[1]


def parse_prompt(source: str) -> Prompt:
    """Return the parts of a prompt cell: the `%%msg` line is split off, and so is a leading backslash."""
    stripped = source.lstrip()
    if stripped.startswith(MSG_MAGIC):
        # Imported here: the kernel starts without it.
        from msgbook_format.syntax import parse_msg_line

        msg = parse_msg_line(source)
        if msg:
            line = source.count("\n", 0, len(source) - len(stripped)) + 2
            return Prompt(source[msg.end :], msg.attributes, line, msg.problem)
    if stripped.startswith("\\"):
        lead = len(source) - len(stripped)
        return Prompt(source[:lead] + stripped[1:])
    return Prompt(source)


def as_prompt(text: str) -> str:
    """Return the source of a prompt with the message `text`, whatever it begins with."""
    is_plain = is_prompt(text) and parse_prompt(text).text == text
    return text if is_plain else f"\\{text}"


def model_magic_name(source: str) -> str | None:
    """Return the NAME if the cell is just `%model NAME`."""
    words = source.split()
    if len(words) == 2 and words[0] == "%model" and "\n" not in source.strip():
        return words[1]
    return None


def is_own_magic(source: str) -> bool:
    """Return whether the cell begins with one of msgbook's line magics."""
    # Imported here: a worker of the file tools reads cells, too, and needs none of the settings.
    from msgbook.notebook.magics_table import OWN_MAGICS

    words = source.split(maxsplit=1)
    return bool(words) and words[0] in OWN_MAGICS


def has_run(cell: Cell) -> bool:
    """Return whether a code cell shows a run: a count, an output or times.

    A cell without the key `execution_count` is not as in a file, so it counts as run.
    """
    if cell.get("execution_count", 0) is not None or cell.get("outputs"):
        return True
    metadata = cell.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("execution"))


def outputs_of(cell: Cell) -> list[Any]:
    """Return the outputs of a cell that are objects."""
    outputs = cell.get("outputs")
    if not outputs:
        return []
    return [o for o in outputs if isinstance(o, dict)] if isinstance(outputs, list) else []
