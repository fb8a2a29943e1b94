"""What the first request of a session costs below 2,000 cells, from wherever the cells come.

A new engine each time, as in a kernel that was just started, with all that it imports imported;
from the message of the page, the file and what the session has run up to the request and its hash.
Goal: 100 ms of processor time from each.

Usage: python benchmarks/first_request.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from history import notebook
from rows import row

from msgbook.config import ProviderSettings, Settings
from msgbook.display.turn_view import HiddenTurn
from msgbook.engine import Conversation, Services
from msgbook.kernel.page.page_comms import KnownCells
from msgbook.notebook.saved_notebook import SavedNotebookReader, merge_saved_cells
from msgbook.notebook.transcript import RequestedCell, SessionMemory, Transcript
from msgbook.turn.record import TurnRecord
from msgbook.turn_run import run_to_end
from msgbook_format.files import writes_ipynb
from msgbook_format.turn import turn_of

TURNS = 1000
SECRET = "sk-0123456789abcdef0123"
ASKED = RequestedCell("And now?", "the last")
LAST = {"id": ASKED.cell_id, "cell_type": "code", "metadata": {}, "source": ASKED.source}


def from_page(message: str) -> Transcript:
    """As of the message in which a page tells its cells."""
    shown = KnownCells().complete("comm", json.loads(message))
    if shown is None:
        raise RuntimeError("the page shows nothing")
    return Transcript("live", shown.cells[:-1], shown.cells[-1], metadata=shown.metadata)


def from_file(path: Path) -> Transcript:
    """As of a file that has not been read yet."""
    memory = SessionMemory()
    session = Transcript("memory", memory.cells_above(ASKED.cell_id))
    found = merge_saved_cells(session, ASKED, SavedNotebookReader().read(path), memory)
    if found.source != "file":
        raise RuntimeError(found.note)
    return found


def from_session(memory: SessionMemory) -> Transcript:
    """As of all that has run."""
    return Transcript("memory", memory.cells_above(ASKED.cell_id))


def session_of(cells: list[dict[str, Any]]) -> SessionMemory:
    """A session in which the prompts of a notebook have run, and code in place of its notes."""
    memory = SessionMemory()
    for cell in cells:
        turns = list(filter(None, map(turn_of, cell.get("outputs", ()))))
        source = cell["source"] if turns else f"%%python\n{cell['source']}"
        memory.remember(RequestedCell(source, cell["id"]), turns[0] if turns else None)
    return memory


class UntilRequest(HiddenTurn):
    """Interrupts a turn once its request is ready."""

    def __init__(self, record: TurnRecord, task: asyncio.Task[Any]) -> None:
        self._record = record
        self._task = task

    def changed(self) -> None:
        if "request_hash" in self._record.snapshot().get("context", {}):
            self._task.cancel()


def timed(transcript: Callable[[], Transcript], folder: Path) -> float:
    """Processor time in milliseconds until the request is ready."""
    provider = ProviderSettings("local", "http://127.0.0.1:9", SECRET)
    engine = Conversation(Services(Settings({"local": provider}, "m")), folder)
    record = engine.new_record()
    gc.collect()

    async def read_transcript() -> Transcript:
        return transcript()

    async def main() -> float:
        began = time.process_time()
        view = UntilRequest(record, asyncio.current_task())
        await run_to_end(engine, ASKED.source, read_transcript, record, view)
        taken = (time.process_time() - began) * 1000
        await engine.services.close()
        return taken

    return asyncio.run(main())


def main(rounds: int) -> None:
    cells = json.loads(notebook(TURNS))
    for cell in cells:
        cell |= {} if cell["cell_type"] == "markdown" else {"execution_count": None}
    message = json.dumps({"type": "cells", "cells": [*cells, LAST], "revision": "1"})
    memory = session_of(cells)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "chat.ipynb"
        last = LAST | {"outputs": [], "execution_count": None}
        whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [*cells, last]}
        path.write_text(writes_ipynb(whole))
        sources: dict[str, Callable[[], Transcript]] = {
            "the page": lambda: from_page(message),
            "the file": lambda: from_file(path),
            "the session": lambda: from_session(memory),
        }
        times: dict[str, list[float]] = {source: [] for source in sources}
        for _ in range(rounds + 1):
            for source, transcript in sources.items():
                times[source].append(timed(transcript, folder))
    for source, taken in times.items():
        row(f"first request from {source}", statistics.median(taken[1:]), "ms", 100)
        # The first round imports.
        print(
            f"from {source}: {statistics.median(taken[1:]):.0f} ms, {min(taken[1:]):.0f} to "
            f"{max(taken[1:]):.0f} (goal: 100)"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
