"""Conversations as pages, slides, Markdown and notebooks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from exported_notebooks import conversation
from format.test_conformance import SUITE

from msgbook_format import reads
from msgbook_format.exporters import (
    MsgHTMLExporter,
    MsgMarkdownExporter,
    MsgNotebookExporter,
    MsgSlidesExporter,
)

from .world import Record, World

EXPORTERS = {
    "html": MsgHTMLExporter,
    "markdown": MsgMarkdownExporter,
    "notebook": MsgNotebookExporter,
    "slides": MsgSlidesExporter,
}
SWITCHES = {"include_reasoning": False, "include_tools": False}


def _texts() -> list[Path]:
    """Answers of all kinds, outputs and attachments of the conformance suite, and a long conversation."""
    wanted = [402, 405, 406, 409, 414, 420, 425, 430, 432, 501, 505, 508, 512, 601]
    found = [path for number in wanted for path in SUITE.glob(f"{number}-*.msg.md")]
    texts = [path for path in sorted(found) if ".canonical" not in path.name]
    return [*texts, SUITE.parent / "fixtures" / "tour.msg.md"]


def export(kind: str, _world: World) -> Record:
    """The exports of one kind."""
    record = Record()
    books: dict[str, Any] = {"conversation": conversation()}
    books |= {path.name: reads(path.read_bytes().decode()) for path in _texts()}
    exporter = EXPORTERS[kind]()
    for name, book in books.items():
        record.add(name, _own(exporter.from_notebook_node(book)[0]))
    return record


def _own(page: str) -> str:
    """A page without the head, which is nbconvert's."""
    _, is_page, rest = page.partition("<main>")
    return rest.partition("</main>")[0] if is_page else page


SCENARIOS = {kind: partial(export, kind) for kind in EXPORTERS}
