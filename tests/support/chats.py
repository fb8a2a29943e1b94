"""What the tests of live turns share: notebooks, questions, and answers that wait to be let go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import Answer, Chunk, delta, finish

from msgbook_format.turn import TURN_MIME

SPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}


def write_notebook(path: Path, *prompts: str, spec: dict[str, str] = SPEC) -> None:
    cells = [nbformat.v4.new_code_cell(prompt) for prompt in prompts]
    metadata: dict[str, Any] = {"kernelspec": spec}
    if spec["language"] == "python":
        metadata["language_info"] = {"name": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), path)


def open_and_run(lab: Lab, path: Path, *prompts: str) -> Locator:
    """Write a notebook into the server's folder, open it and run its first cell: that cell."""
    write_notebook(path, *prompts)
    lab.open(path.name)
    lab.wait_for_kernel()
    lab.run(0)
    return lab.cell(0)


def turn_of(cell: dict[str, Any]) -> dict[str, Any]:
    """The turn among a cell's outputs."""
    turns = [o["data"][TURN_MIME] for o in cell["outputs"] if TURN_MIME in o.get("data", {})]
    assert len(turns) == 1
    found: dict[str, Any] = turns[0]
    return found


def saved_turn(path: Path, cell: int = 0) -> dict[str, Any]:
    """The turn of a cell as it stands in the file."""
    return turn_of(nbformat.read(path, 4).cells[cell])


def approve(cell: Locator) -> Locator:
    return cell.get_by_role("button", name="Approve", exact=True)


def answer(button: Locator) -> None:
    """Press a button as soon as it listens: it is deaf to a click that was on its way."""
    expect(button).to_be_visible()
    expect(button.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    button.click()


class Slow:
    """An answer that says `before`, and each of `after` when it is told to `go`."""

    def __init__(self, before: str, *after: str) -> None:
        self._before, self._after = before, after
        self._go = threading.Semaphore(0)
        self.said = threading.Event()
        """Set when all of it was sent."""

    def go(self) -> None:
        self._go.release()

    @property
    def answer(self) -> Answer:
        return Answer(self._chunks(), pause=0.05)

    def _chunks(self) -> Iterator[Chunk]:
        yield delta(role="assistant", content=self._before)
        for words in self._after:
            while not self._go.acquire(blocking=False):
                yield delta(content="")
            yield delta(content=words)
        yield finish("stop", {"prompt_tokens": 11, "completion_tokens": 7})
        self.said.set()
