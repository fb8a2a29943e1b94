"""Chats that a browser test opens in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from chats import SPEC
from lab import Lab

FRONTMATTER = """\
agents:
  writer: {models: scripted-model, tools: [read], context_window: 4000}
"""


def prompt(cell_id: str, source: str, **metadata: Any) -> dict[str, Any]:
    cell: dict[str, Any] = nbformat.v4.new_code_cell(
        source, id=cell_id, metadata={"msgbook": metadata} if metadata else {}
    )
    return cell


def note(cell_id: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = nbformat.v4.new_markdown_cell(source, id=cell_id)
    return cell


def open_chat(lab: Lab, root: Path, name: str, *cells: dict[str, Any]) -> None:
    metadata = {"kernelspec": SPEC, "msgbook": {"frontmatter": FRONTMATTER}}
    nbformat.write(nbformat.v4.new_notebook(cells=[*cells], metadata=metadata), root / name)
    lab.open(name)
    lab.wait_for_kernel()


def select(lab: Lab, index: int) -> None:
    lab.cell(index).locator(".jp-InputPrompt").click()
