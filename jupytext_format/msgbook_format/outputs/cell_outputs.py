"""All outputs of one code cell, turns and others, as output cells, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from msgbook_format import jsontext
from msgbook_format.outputs.code_outputs import (
    is_alternative,
    is_output,
    read_output,
    write_outputs,
)
from msgbook_format.outputs.execution_times import KEY, Times, read_times, write_times
from msgbook_format.outputs.output_history import Marks, mark_output, marks_of
from msgbook_format.syntax.attributes import AttributeReader, is_type
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn import turn_of
from msgbook_format.turn.model import TURN_MIME
from msgbook_format.turn.output_cells.turns import (
    TurnReader,
    is_turn_output,
    without_derived,
    write_turn,
)
from msgbook_format.typed import as_dict, as_list

_COUNT = re.compile(r"[0-9]{1,15}")


@dataclass(slots=True)
class CellOutputs:
    """Outputs of a cell and its execution count."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    count: int | None = None
    marks: Marks = field(default_factory=dict)
    """`history` values of outputs without metadata, by position."""
    times: Times | None = None
    """`metadata.execution` of code, as far as the first output gives it."""


def read_cell_outputs(output_cells: list[TextCell], base: str, is_code: bool) -> CellOutputs:
    """Return the outputs in output cells.

    Turns have no derived text yet: see `add_derived`.

    Args:
        base: Label of the head above them.
        is_code: Whether that is a `[code]` cell, below which there are no turns.
    """
    found = CellOutputs()
    turn: TurnReader | None = None
    for index, output_cell in enumerate(output_cells):
        if index == 0:
            found.count = _take_count(output_cell, base, is_code)
            found.times = read_times(output_cell) if is_code else None
        if is_code or is_output(output_cell):
            _read_output(output_cell, found)
            turn = None
        elif turn is not None and turn.continues_with(output_cell):
            turn.add(output_cell)
        else:
            turn = TurnReader(output_cell, base)
            found.outputs.append(turn.output)
    return found


def _read_output(output_cell: TextCell, found: CellOutputs) -> None:
    """Add what an output cell holds; its `history` is that of every output in it."""
    history = AttributeReader(output_cell.attributes).take("history")
    first = len(found.outputs)
    added = read_output(output_cell, found.outputs, found.count)
    found.outputs += added
    if history is None:
        return
    if not added and is_alternative(output_cell) and found.outputs:
        first -= 1
    for index in range(first, len(found.outputs)):
        mark_output(found.outputs, index, history, found.marks)


def add_derived(outputs: list[dict[str, Any]]) -> None:
    """Put the text that follows from a turn beside each turn among `outputs`, in place."""
    turns = [output for output in outputs if is_turn_output(output)]
    if not turns:
        return
    from msgbook_format.turn import bundle

    for output in turns:
        output["data"] = bundle(output["data"][TURN_MIME])


def refresh_derived(notebook: dict[str, Any]) -> None:
    """Replace the text beside each turn, in place, by what follows from the turn.

    No signature covers that text, and viewers that know no turns show nothing else.
    """
    from msgbook_format.turn import bundle

    cells = notebook.get("cells")
    for cell in as_list(cells):
        outputs = as_dict(cell).get("outputs")
        for output in as_list(outputs):
            turn = turn_of(output)
            if turn is None:
                continue
            data, derived = output["data"], bundle(turn)
            data.update((mime, derived[mime]) for mime in derived.keys() & data.keys())


def write_cell_outputs(
    cell: dict[str, Any], base: str, is_code: bool, dialect: Dialect
) -> list[TextCell]:
    """Return output cells for the outputs of a code cell; see `read_cell_outputs`."""
    outputs, count, marks = cell["outputs"], cell["execution_count"], marks_of(cell)
    histories = [marks.get(index) for index in range(len(outputs))]
    if is_code:
        lang = _lang(cell["source"], dialect)
        output_cells = _write_code_outputs(outputs, base, count, lang, histories)
        if output_cells:
            write_times(cell["metadata"].get(KEY), outputs, output_cells[0])
    else:
        output_cells = _write_prompt_outputs(outputs, base, count, histories)
    if output_cells and count is not None:
        output_cells[0].attributes.append(("n", str(count)))
    return output_cells


def has_same_outputs(found: CellOutputs, cell: dict[str, Any], *, has_times: bool) -> bool:
    """Return whether outputs read from a text are those of `cell`, aside from derived text.

    Args:
        has_times: Whether the head of the cell holds `metadata.execution`.
    """
    if not has_times and found.times != cell["metadata"].get(KEY):
        return False
    if found.count != cell["execution_count"] or found.marks != marks_of(cell):
        return False
    return jsontext.is_same(without_derived(found.outputs), without_derived(cell["outputs"]))


def _lang(source: str, dialect: Dialect) -> str:
    language = dialect.language_of(source)
    return language if is_type(language) else "text"


def _write_code_outputs(
    outputs: list[dict[str, Any]],
    base: str,
    count: int | None,
    lang: str,
    histories: list[str | None],
) -> list[TextCell]:
    label = f"{base}.{count or 0}"
    groups = write_outputs(without_derived(outputs), lang, count, histories)
    output_cells = [output_cell for group in groups for output_cell in group]
    if not output_cells and count is not None:
        output_cells = [TextCell(type=lang, attributes=[("output", "none")])]
    for index, output_cell in enumerate(output_cells):
        output_cell.label = label if index == 0 else f"{label}.{index + 1}"
    return output_cells


def _write_prompt_outputs(
    outputs: list[dict[str, Any]], base: str, count: int | None, histories: list[str | None]
) -> list[TextCell]:
    output_cells: list[TextCell] = []
    number = 0
    start = 0
    while start < len(outputs):
        if is_turn_output(outputs[start]):
            written, number = write_turn(outputs[start], base, number)
            follows = start > 0 and is_turn_output(outputs[start - 1])
            if follows and all(key != "turn" for key, _ in written[0].attributes):
                written[0].attributes.append(("turn", "{}"))
            output_cells += written
            start += 1
            continue
        end = start
        while end < len(outputs) and not is_turn_output(outputs[end]):
            end += 1
        for group in write_outputs(outputs[start:end], "code", count, histories[start:end]):
            for output_cell in group:
                number += 1
                output_cell.label = f"{base}-{number}"
                output_cells.append(output_cell)
        start = end
    if not output_cells and count is not None:
        output_cells = [TextCell(type="code", attributes=[("output", "none")], label=f"{base}-1")]
    return output_cells


def _take_count(output_cell: TextCell, base: str, is_code: bool) -> int | None:
    """Return the execution count in the first output cell: `n=`, or the number in its label `id.n`."""
    for index, (key, value) in enumerate(output_cell.attributes):
        if key == "n" and isinstance(value, str) and _COUNT.fullmatch(value):
            del output_cell.attributes[index]
            return int(value)
    if not is_code:
        return None
    label = (output_cell.label or "").removeprefix(f"{base}.")
    # The label `id.0` is that of a cell without a count.
    return (int(label) or None) if _COUNT.fullmatch(label) and label != output_cell.label else None


_START, _END = "iopub.execute_input", "shell.execute_reply"
