"""Notebooks of Python run in `Python + Chat` as in ipykernel: the outputs are the same."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from published_kinds import NOTEBOOKS

_DIFFERENT = (
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),  # where an object lies in memory
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "an id"),  # of a widget
    (re.compile(r"/[^\s\"']*/(?:ipykernel|IPython)/[^\s\"':]*"), "a library"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+"), "a time"),  # in an SVG
    (re.compile(r"ipykernel_\d+"), "a cell's file"),
    (re.compile(r"<(?:Figure|Axes)[^>]*>"), "a figure"),
)


def run(sources: tuple[str, ...], kernel: str, folder: Path) -> list[Any]:
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(sources)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    folder.mkdir()
    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=300,
        allow_errors=True,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env={**os.environ, "PYTHONHASHSEED": "0", "MSGBOOK_MODEL": "demo"})
    kept = [(cell["execution_count"], cell["outputs"]) for cell in notebook.cells]
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


@pytest.mark.parametrize("kind", NOTEBOOKS)
def test_a_notebook_has_the_same_outputs_in_both_kernels(kind, tmp_path):
    expected = run(NOTEBOOKS[kind], "python3", tmp_path / "notebook")
    (tmp_path / "notebook").rename(tmp_path / "before")

    found = run(NOTEBOOKS[kind], "msgbook-python", tmp_path / "notebook")

    assert same(found) == same(expected)
    assert sum(len(outputs) for _, outputs in expected[0]) >= 5
