"""A session remembers what ran, and drops the oldest outputs when they become too large."""

from __future__ import annotations

from typing import Any

from msgbook.notebook.transcript import KEPT_CHARACTERS, RequestedCell, SessionMemory


class Shown:
    """The outputs of a cell, which claim any size."""

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def outputs(self) -> list[dict[str, Any]]:
        return [{"output_type": "stream", "name": "stdout", "text": f"of {self.size}"}]


def texts(memory: SessionMemory) -> list[str]:
    return [cell["outputs"][0]["text"] for cell in memory.cells_above(None)]


def test_the_outputs_that_came_first_make_room_and_the_code_stays():
    memory = SessionMemory()
    half = KEPT_CHARACTERS // 2
    for number, size in enumerate((half, half, 10)):
        memory.remember(RequestedCell(f"%%python\n{number}", f"{number}"), code_outputs=Shown(size))

    first, *others = texts(memory)
    assert "not kept" in first
    assert others == [f"of {half}", "of 10"]
    assert [cell["source"][-1] for cell in memory.cells_above(None)] == ["0", "1", "2"]


def test_the_last_cell_keeps_its_outputs_however_large_and_wherever_it_stands():
    memory = SessionMemory()
    for cell_id in ("a", "b"):
        memory.remember(RequestedCell("%%python\n1", cell_id), code_outputs=Shown(10))
    memory.remember(RequestedCell("%%python\n1", "a"), code_outputs=Shown(2 * KEPT_CHARACTERS))

    first, second = texts(memory)
    assert first == f"of {2 * KEPT_CHARACTERS}"
    assert "not kept" in second
