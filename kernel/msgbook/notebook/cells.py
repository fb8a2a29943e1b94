"""The cells of a notebook: their parts and their names. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from hashlib import sha256
from itertools import pairwise, takewhile
from typing import Any, TypeVar

from msgbook.errors import MsgbookError
from msgbook.text import one_line, repair_surrogates, visible
from msgbook_format.syntax import MSG_MAGIC
from msgbook_format.typed import as_dict, as_dicts, as_text, joined_text, text_or_none

Cell = Mapping[str, Any]
"""A cell as in nbformat 4.5. From a page or a file, so any key may be missing or have a wrong type."""

T = TypeVar("T")


class KeptCell(dict[str, Any]):
    """A cell that is never changed in place: what was found out about it once holds as long as it exists."""

    __slots__ = ("found",)

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self.found: dict[Any, Any] = {}
        """What functions have returned for it, by the function."""


def once(find: Callable[[Cell], T]) -> Callable[[Cell], T]:
    """Let a pure function of a cell work only once for each `KeptCell`, and each time for any other."""

    @wraps(find)
    def found(cell: Cell) -> T:
        if cell.__class__ is not KeptCell:
            return find(cell)
        known: dict[Any, T] = cell.found
        if find not in known:
            known[find] = find(cell)
        return known[find]

    return found


NOTEBOOK_SUFFIX = ".ipynb"

SENT_TEXTS = ("text/markdown", "text/plain", "text/latex")
"""Types of the texts of an output, the preferred one first; one is sent. Of an object with
`text/markdown`, `text/plain` shows only a `repr`."""

MAGIC_NAME = re.compile(r"%{1,2}[A-Za-z_][\w.]*")
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


UNREAD = "unread"
"""Stands for the `history` of a cell whose footnote cannot be read: a value that nobody knows."""


def saved_history(cell: Cell) -> Any:
    """Return the `history` value of a cell, of any type, whatever its `%%msg` line says."""
    ours = metadata_of(cell)
    if not ours:
        return "include"
    # Imported here: the kernel starts without the format.
    from msgbook_format.syntax import unread_footnote

    return UNREAD if unread_footnote(ours) else ours.get("history", "include")


def id_of(cell: Cell) -> str:
    """Return the id of a cell; an empty text if it has none."""
    cell_id = cell.get("id")
    return as_text(cell_id)


def source_of(cell: Cell) -> str:
    return joined_text(cell.get("source"))


def metadata_of(cell: Cell) -> Mapping[str, Any]:
    """Return the cell's `metadata.msgbook`, or an empty mapping."""
    # The metadata is JSON. A test for any `Mapping` takes several times as long.
    metadata = cell.get("metadata")
    ours = as_dict(metadata).get("msgbook")
    return as_dict(ours)


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
    return bool(as_dict(cell.get("metadata")).get("execution"))


def outputs_of(cell: Cell) -> list[Any]:
    """Return the outputs of a cell that are objects."""
    return as_dicts(cell.get("outputs"))


# The names of cells: how a person names a cell, and how messages name it. Pure.


_MIN_PREFIX = 4
"""Characters that the beginning of an id needs at least: fewer would often name another cell by chance."""
_SHOWN_ID = 8
"""Characters of an id that are shown, unless several cells begin with them. Labels in a text file
have the same length (docs/format.md, section 5)."""
_LISTED = 10
"""Cells that an error lists."""
_TITLE_LENGTH = 40
"""Characters of a title in notices and lists, beside which other words stand on the line."""


class NoSuchCellError(MsgbookError):
    """A name that fits no cell, or more than one. The details list the cells that may be meant."""

    def __init__(self, message: str, details: Sequence[str]) -> None:
        super().__init__(message)
        self.details = details


def title_of(cell: Cell, limit: int = _TITLE_LENGTH) -> str:
    """Return the title of a cell, or else its first words, on one line of `limit` characters."""
    text = as_text(metadata_of(cell).get("title"))
    if not text.strip():
        source = source_of(cell)
        text = parse_prompt(source).text if cell.get("cell_type") == "code" else source
    line = one_line(text, limit + 1)
    if not line.isprintable():
        line = "".join(char for char in line if char.isprintable())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def describe_cell(cells: Sequence[Cell], position: int) -> str:
    """Return a name of a cell for a message, counted from 1: `cell 3 (Summarise a log)`."""
    return f"cell {position + 1} ({title_of(cells[position])})"


def describe_cell_with_id(cells: Sequence[Cell], position: int) -> str:
    """Return the same with an id that `find_cell` finds: `cell 3 [5fb8acd8] (Summarise a log)`."""
    shown = visible(short_id(cells, position))
    bracketed = f" [{shown}]" if shown else ""
    return f"cell {position + 1}{bracketed} ({title_of(cells[position])})"


def find_cell(cells: Sequence[Cell], name: str, where: str) -> int:
    """Return the position of the cell that a name refers to.

    The name is the id of the cell; the last such cell if several have it. Otherwise it is the
    cell's label in its message file, or the first characters of the only id that begins so.

    Args:
        where: The place that an error names: `above`, `in chat.msg.md`.

    Raises:
        NoSuchCellError: The name fits no cell, or more than one.
    """
    ids = list(map(id_of, cells))
    found = [i for i, cell_id in enumerate(ids) if cell_id and cell_id == name]
    found = found or [i for i, cell in enumerate(cells) if _label_of(cell) == name]
    if not found and len(name) >= _MIN_PREFIX:
        found = [i for i, cell_id in enumerate(ids) if cell_id.startswith(name)]
    if len({ids[i] for i in found}) == 1:
        return found[-1]
    if found:
        raise _error(f"{_quoted(name)} fits {len(found)} cells {where}", cells, found)
    message = f"no cell {where} has the id {_quoted(name)}"
    if not any(ids):
        raise NoSuchCellError(f"{message}, nor any other", [])
    if len(name) < _MIN_PREFIX:
        message += f" (the beginning of an id needs {_MIN_PREFIX} characters)"
    nearest = _nearest(ids, name)
    listed = "the nearest are" if len(nearest) < sum(map(bool, ids)) else "the cells are"
    raise _error(f"{message}; {listed}", cells, nearest)


def _error(message: str, cells: Sequence[Cell], positions: Sequence[int]) -> NoSuchCellError:
    listed = [f"{visible(id_of(cells[i]))} ({title_of(cells[i])})" for i in positions[:_LISTED]]
    if len(positions) > _LISTED:
        listed.append(f"... and {len(positions) - _LISTED} more")
    return NoSuchCellError(f"{message}:", listed)


def _nearest(ids: Sequence[str], name: str) -> list[int]:
    """Return the positions of the ids that share the longest beginning with a name; maybe all."""
    shared = [_shared_length(cell_id, name) for cell_id in ids]
    longest = max(shared, default=0)
    return [i for i, cell_id in enumerate(ids) if cell_id and shared[i] == longest]


def short_id(cells: Sequence[Cell], position: int) -> str:
    """Return the beginning of a cell's id: eight characters, or as many as no other id begins with."""
    return short_ids(cells)[position]


def short_ids(cells: Sequence[Cell]) -> list[str]:
    """Return what `short_id` does for each cell, in one pass."""
    ids = list(map(id_of, cells))
    ordered = sorted(set(ids))  # an id shares most with one beside it
    shared = [0, *(_shared_length(*pair) for pair in pairwise(ordered)), 0]
    shown = {
        cell_id: cell_id[: max(_SHOWN_ID, before + 1, after + 1)]
        for cell_id, before, after in zip(ordered, shared, shared[1:], strict=False)
    }
    return [shown[cell_id] for cell_id in ids]


def _shared_length(first: str, second: str) -> int:
    """Return the number of characters with which both texts begin."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _label_of(cell: Cell) -> str | None:
    """Return the label of the cell in its message file, if its spelling was kept: it is not the id."""
    # Imported here: the kernel starts without the format.
    from msgbook_format.syntax import parse_label

    spelling = text_or_none(as_dict(metadata_of(cell).get("text")).get("cell"))
    return None if spelling is None else parse_label(spelling)


def _quoted(name: str) -> str:
    return repr(one_line(name, 80))


# Messages of other programs, which stay text: what looks like a reference in one is not followed.
#
# Its cell carries the digest of its source. Once its reader has changed the source, it is the reader's own.


IMPORTED_TEXT = "imported_text"
"""Key of `metadata.msgbook` of such a cell."""


def imported_digest(source: str) -> str:
    """Return the value of the key for a source."""
    return sha256(repair_surrogates(source).encode()).hexdigest()[:16]


def is_imported(cell: Cell | None) -> bool:
    """Return whether a cell is a message of another program, unchanged."""
    mark = metadata_of(cell).get(IMPORTED_TEXT) if cell else None
    return mark is not None and cell is not None and mark == imported_digest(source_of(cell))


@once
def may_define(cell: Cell) -> bool:
    """Return False only if a cell neither defines nor removes macros. An imported message does not."""
    source = "" if is_imported(cell) else source_of(cell)
    return "#define" in source or "@{define" in source or "%macros" in source
