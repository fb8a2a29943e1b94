"""What a notebook puts out in a kernel, without what differs between any two runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from nbclient import NotebookClient

_DIFFERENT = (
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),  # where an object lies in memory
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "an id"),  # of a widget
    (re.compile(r"/[^\s\"']*/(?:ipykernel|IPython)/[^\s\"':]*"), "a library"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+"), "a time"),  # in an SVG
    (re.compile(r"ipykernel_\d+"), "a cell's file"),
    (re.compile(r"<(?:Figure|Axes)[^>]*>"), "a figure"),
    (re.compile(r"<[\w.]+Kernel object"), "<the kernel"),  # in a long traceback
)


def run(notebook: Any, kernel: str, folder: Path) -> list[Any]:
    """Run a notebook in a folder: what each code cell put out, the states of widgets, and the language."""
    folder.mkdir(exist_ok=True)
    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=300,
        allow_errors=True,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env={**os.environ, "PYTHONHASHSEED": "0", "MSGBOOK_MODEL": "demo"})
    kept = [
        (cell["execution_count"], cell["outputs"])
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    widgets = notebook.metadata.get("widgets", {}).get(
        "application/vnd.jupyter.widget-state+json", {}
    )
    states = sorted("\n".join(same(state)) for state in widgets.get("state", {}).values())
    return [kept, states, notebook.metadata["language_info"]]


def same(value: Any) -> Any:
    """A value without what differs between any two runs."""
    text = json.dumps(value, indent=1, sort_keys=True)
    for pattern, word in _DIFFERENT:
        text = pattern.sub(word, text)
    return text.split("\n")
