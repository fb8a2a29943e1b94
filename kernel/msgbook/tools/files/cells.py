"""The cells of a notebook as tools find, show and change them. Pure; accepts malformed cells.

A tool changes code cells and notes: never a message, an answer, a setting of the conversation, or the cell that runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from msgbook.errors import ToolError
from msgbook.notebook import (
    Cell,
    NoSuchCellError,
    find_cell,
    has_run,
    id_of,
    is_own_magic,
    metadata_of,
    outputs_images,
    outputs_of,
    outputs_text,
    parse_prompt,
    saved_history,
    short_id,
    source_of,
    title_of,
)
from msgbook.text import counted, repair_surrogates, visible
from msgbook.tools.files.writing import preview, replace_only, unified_diff
from msgbook_format.outputs import history_of_outputs
from msgbook_format.syntax import OTHER_CELLS, PYTHON_LINE, CellRule, is_excluded
from msgbook_format.turn import turn_of
from msgbook_format.typed import as_dict

SOURCE_LIMIT = 500_000
"""Characters of a cell that a tool shows, changes or makes: a person has to see all of the change."""
_DIFF_LIMIT = 18_000
"""Characters of a diff that a model gets."""
_TITLE = 60
"""Characters of a cell's title in the list of cells, one line each."""

Kind = Literal["code", "note", "message", "setting", "raw"]

NewKind = Literal["code", "note"]
"""Kinds of cells that a tool makes."""

_REFUSED: Mapping[Kind, str] = {
    "message": "it is a message of the conversation",
    "setting": "it is a setting of the conversation",
    "raw": "it is a raw cell",
}
_RUNNING = "it is the message that you are answering"
_EXCLUDED = "its author has excluded it from what a model gets"


@dataclass(frozen=True, slots=True)
class CellEdit:
    """A change of one cell: it is made only while the cell has the source that it was made from."""

    position: int
    """Position of the cell, from 0."""
    cell_id: str
    before: str
    after: str
    label: str
    """Name of the cell in words: `cell 5fb8acd8`."""
    name: str
    """Short name of the cell: `5fb8acd8`."""

    @property
    def preview(self) -> str:
        """The diff that a person is shown."""
        return preview(*_as_lines(self.before, self.after), self.label)

    @property
    def result(self) -> str:
        """The diff that the model gets."""
        shown = unified_diff(*_as_lines(self.before, self.after), self.label)
        return shown if len(shown) <= _DIFF_LIMIT else f"{shown[:_DIFF_LIMIT]}\n[the diff goes on]"


@dataclass(frozen=True, slots=True)
class CellInsertion:
    """A new cell."""

    position: int
    """That it gets, from 0."""
    after_id: str
    """Id of the cell above; empty for the top."""
    cell_type: Literal["code", "markdown"]
    source: str
    label: str
    """Name of the place in words: `below cell 5fb8acd8`."""
    above: str
    """Short name of the cell above; empty for the top."""

    @property
    def what(self) -> str:
        """What a person is told that the cell is."""
        return "code cell" if self.cell_type == "code" else "note"

    @property
    def preview(self) -> str:
        """The diff that a person is shown."""
        return preview(*_as_lines("", self.source), f"new {self.what} {self.label}")

    def cell(self, cell_id: str | None) -> dict[str, Any]:
        """Return the cell as in nbformat.

        Args:
            cell_id: None in a notebook whose cells have none.
        """
        is_code = self.cell_type == "code"
        code: dict[str, Any] = {"execution_count": None, "outputs": []} if is_code else {}
        named = {} if cell_id is None else {"id": cell_id}
        return {**named, "cell_type": self.cell_type, "metadata": {}, "source": self.source, **code}


@dataclass(frozen=True, slots=True)
class NotebookCells:
    """All cells of a notebook."""

    cells: Sequence[Cell]
    rule: CellRule
    """Tells the messages among its code cells."""
    name: str = ""
    """Path of another notebook than the one that shows the conversation."""
    running: int | None = None
    """Position of the cell that runs."""

    def find(self, name: str) -> int:
        """Return the position of a cell, given its id, or `#` and its number from 1.

        Raises:
            ToolError: There is no such cell, or more than one.
        """
        number = name.removeprefix("#")
        if name != number and number.isdecimal() and 0 < int(number[:9]) <= len(self.cells):
            return int(number[:9]) - 1
        where = f"in {self.name}" if self.name else "in this notebook"
        try:
            return find_cell(self.cells, name, where)
        except NoSuchCellError as error:
            raise ToolError("\n".join([str(error), *error.details])) from None

    def kind(self, position: int) -> Kind:
        """Return what a cell is."""
        cell = self.cells[position]
        if cell.get("cell_type") == "code":
            has_turn = any(turn_of(output) for output in outputs_of(cell))
            return "message" if has_turn else self._kind_of_code(source_of(cell))
        if cell.get("cell_type") != "markdown":
            return "raw"
        return "message" if metadata_of(cell).get("role") is not None else "note"

    def id_of(self, position: int) -> str:
        """Return the id of a cell; empty if it has none."""
        return id_of(self.cells[position])

    def label(self, position: int) -> str:
        """Return the name of a cell for a person: `cell 5fb8acd8`."""
        return f"{self.name} cell {self.short(position)}".lstrip()

    def short(self, position: int) -> str:
        """Return the beginning of a cell's id, by which it is found, or else its number."""
        return visible(short_id(self.cells, position)) or f"#{position + 1}"

    def edit(self, name: str, old: str, new: str) -> CellEdit:
        """Return the change of a cell in which `new` takes the place of `old`.

        Raises:
            ToolError: It cannot be made.
        """
        position = self._changeable(name)
        label, before = self.label(position), source_of(self.cells[position])
        _check_size(label, before, new)
        after = replace_only(before, repair_surrogates(old), repair_surrogates(new), label)
        _check_size(label, after)
        is_code = self.cells[position].get("cell_type") == "code"
        if is_code and self._kind_of_code(after) != "code":
            raise ToolError(f"{label} would no longer be code: its first line decides what it is.")
        cell_id, short = id_of(self.cells[position]), self.short(position)
        return CellEdit(position, cell_id, before, after, label, short)

    def insert(self, after: str, kind: NewKind, source: str) -> CellInsertion:
        """Return a new cell below another one.

        Args:
            after: Name of the cell above; empty for the top.

        Raises:
            ToolError: It cannot be made.
        """
        above = -1 if not after else self.find(after)
        source = repair_surrogates(source)
        _check_size("The new cell", source)
        if kind == "code" and self.rule.is_message(source):
            source = self._marked(source)
        if kind == "code" and self._kind_of_code(source) != "code":
            raise ToolError("The new cell would not be code: its first line decides what it is.")
        after_id = "" if above < 0 else id_of(self.cells[above])
        if above >= 0 and after_id:
            self._check_unique(above)
        label = f"below {self.label(above)}" if above >= 0 else f"at the top {self.name}".rstrip()
        cell_type: Literal["code", "markdown"] = "code" if kind == "code" else "markdown"
        short = self.short(above) if above >= 0 else ""
        return CellInsertion(above + 1, after_id, cell_type, source, label, short)

    def code_to_run(self, name: str) -> tuple[int, str]:
        """Return the position and the source of a code cell.

        Raises:
            ToolError: It is none that may run.
        """
        position = self._changeable(name)
        label, source = self.label(position), source_of(self.cells[position])
        if self.kind(position) != "code":
            raise ToolError(f"{label} cannot be run: it is a note.")
        if not source.strip():
            raise ToolError(f"{label} cannot be run: it is empty.")
        _check_size(label, source)
        return position, source

    def listing(self) -> str:
        """Return a line for each cell: its number, its id, what it is, and how it begins."""
        lines = [
            f"#{number + 1} {visible(id_of(cell)) or '-'} {self.kind(number)}: {self._title(number)}"
            for number, cell in enumerate(self.cells)
        ]
        return "\n".join(lines) or "(the notebook has no cells)"

    def show(self, position: int) -> str | list[dict[str, Any]]:
        """Return a cell with its outputs.

        Raises:
            ToolError: Its author has excluded it.
        """
        cell, kind = self.cells[position], self.kind(position)
        if self._is_excluded(position):
            raise ToolError(f"{self.label(position)} cannot be read: {_EXCLUDED}.")
        run = ", not run" if kind == "code" and not has_run(cell) else ""
        named = f", id {visible(id_of(cell))}" if id_of(cell) else ""
        parts = [f"[cell #{position + 1}: {kind}{run}{named}]\n{source_of(cell)}"]
        outputs = _sent_outputs(cell)
        for turn in filter(None, map(turn_of, outputs)):
            # Imported here: most cells have none.
            from msgbook.tools.files.notebooks import turn_text

            parts.append(f"[answer]\n{turn_text(turn)}")
        others = [output for output in outputs if not turn_of(output)]
        if (shown := outputs_text(others)).strip():
            parts.append(f"[output]\n{shown}")
        text = "\n\n".join(part.rstrip("\n") for part in parts)
        images = outputs_images(others)
        return [{"type": "text", "text": text}, *images] if images else text

    def _kind_of_code(self, source: str) -> Literal["code", "message", "setting"]:
        if self.rule.is_message(source):
            return "message"
        return "setting" if self.rule is not OTHER_CELLS and is_own_magic(source) else "code"

    def _marked(self, source: str) -> str:
        """Return the source of code, marked as such where a cell without a mark is a message."""
        marked = f"{PYTHON_LINE}{source}"
        return marked if self.rule.is_message("") and not self.rule.is_message(marked) else source

    def _changeable(self, name: str) -> int:
        """Return the position of a code cell or a note.

        Raises:
            ToolError: It is something else.
        """
        position = self.find(name)
        why = _REFUSED.get(self.kind(position), "")
        if position == self.running:
            why = _RUNNING
        elif self._is_excluded(position):
            why = _EXCLUDED
        if why:
            raise ToolError(
                f"{self.label(position)} is left as it is: {why}. Only code cells and notes are "
                "changed or run."
            )
        self._check_unique(position)
        return position

    def _check_unique(self, position: int) -> None:
        cell_id = id_of(self.cells[position])
        same = sum(1 for cell in self.cells if cell_id and id_of(cell) == cell_id)
        if same > 1:
            raise ToolError(f"{same} cells have the id of {self.label(position)}.")

    def _is_excluded(self, position: int) -> bool:
        cell = self.cells[position]
        history = saved_history(cell)
        if self.kind(position) == "message" and cell.get("cell_type") == "code":
            history = parse_prompt(source_of(cell)).read_history(history)
        return is_excluded(history)

    def _title(self, position: int) -> str:
        return (
            "(excluded)" if self._is_excluded(position) else title_of(self.cells[position], _TITLE)
        )


def with_source(cell: dict[str, Any], source: str) -> dict[str, Any]:
    """Return a cell with another source, as a new object. A code cell loses its outputs and the traces of its run."""
    changed = type(cell)({**cell, "source": source})
    if changed["cell_type"] == "code":
        metadata = {key: value for key, value in cell["metadata"].items() if key != "execution"}
        changed.update(outputs=[], execution_count=None, metadata=type(cell)(metadata))
    return changed


def _sent_outputs(cell: Cell) -> list[Mapping[str, Any]]:
    """Return the outputs that no one has excluded."""
    outputs: Any = cell.get("outputs")
    return [
        as_dict(outputs[position])
        for position, history in enumerate(history_of_outputs(cell))
        if not is_excluded(history)
    ]


def _as_lines(before: str, after: str) -> tuple[str, str]:
    """Return two sources to compare: where neither of their last lines ends, as usual in cells, that does not matter."""
    if before.endswith("\n") or after.endswith("\n"):
        return before, after
    return before and f"{before}\n", after and f"{after}\n"


def _check_size(label: str, *sources: str) -> None:
    """Raise `ToolError` if a text is too long for a person to see."""
    longest = max(map(len, sources))
    if longest > SOURCE_LIMIT:
        raise ToolError(
            f"{label} is too long: {counted(longest, 'character')}, where a tool changes cells of at "
            f"most {SOURCE_LIMIT:,}. Work on it in smaller parts."
        )
