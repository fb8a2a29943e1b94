"""Notebooks of Python run in `Python + Chat` as in ipykernel: the outputs are the same."""

from __future__ import annotations

import nbformat
import pytest
from published_kinds import NOTEBOOKS
from same_outputs import run, same


@pytest.mark.parametrize("kind", NOTEBOOKS)
def test_a_notebook_has_the_same_outputs_in_both_kernels(kind, tmp_path):
    def notebook() -> nbformat.NotebookNode:
        sources = enumerate(NOTEBOOKS[kind])
        cells = [nbformat.v4.new_code_cell(source, id=f"cell-{n}") for n, source in sources]
        return nbformat.v4.new_notebook(cells=cells)

    expected = run(notebook(), "python3", tmp_path / "notebook")
    (tmp_path / "notebook").rename(tmp_path / "before")

    found = run(notebook(), "msgbook-python", tmp_path / "notebook")

    assert same(found) == same(expected)
    assert sum(len(outputs) for _, outputs in expected[0]) >= 5
