"""What clients tell of the cell that they ask to run; all of it may be forged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from msgbook.kernel.execute_request import path_of, requested_cell


@pytest.fixture
def notebook(tmp_path):
    path = tmp_path / "my notes" / "ü 100%.ipynb"
    path.parent.mkdir()
    path.write_text("{}")
    return path


def asked(cell_id, metadata=None, folder=Path("/")):
    return requested_cell("Hi", cell_id, metadata, folder=folder, is_console=False)


@pytest.mark.parametrize("start", ["", "//wsl%2Bubuntu", "//ssh-remote%2Bhost"])
def test_vs_code_names_the_notebook_in_the_id_of_a_cell(notebook, start):
    path = str(notebook.parent).replace(" ", "%20") + "/%C3%BC%20100%25.ipynb"
    uri = f"vscode-notebook-cell:{start}{path}#X13sZmlsZQ%3D%3D"

    found = asked(uri, folder=notebook.parent)

    assert (found.path, found.position, found.cell_id) == (notebook, 10, uri)


def test_a_path_of_windows_begins_with_its_drive():
    uri = "vscode-notebook-cell:/c%3A/My%20notes/nb.ipynb#W0s"

    assert path_of(uri, windows=True) == "c:/My notes/nb.ipynb"
    assert path_of(uri, windows=False) == "/c:/My notes/nb.ipynb"


@pytest.mark.parametrize(
    "uri",
    [
        "vscode-notebook-cell:Untitled-1.ipynb?jupyter-notebook#W0sdW50aXRsZWQ%3D",
        "vscode-notebook-cell:/none.ipynb#W0s",
        "vscode-notebook-cell:{folder}/notes.py#W0s",
        "vscode-notebook-cell:{folder}/a%00.ipynb#W0s",
        "vscode-notebook-cell:{folder}/%ff.ipynb#W0s",
        "vscode-notebook-cell:{folder}/pipe.ipynb#W0s",
        "vscode-notebook-cell:{folder}/../outside.ipynb#W0s",
        "vscode-notebook-cell:{folder}/link.ipynb#W0s",
        "vscode-notebook-cell:{folder}#W0s",
        "vscode-notebook-cell://[/a.ipynb#W0s",
        "vscode-notebook-cell:",
    ],
)
def test_a_path_that_is_no_notebook_below_the_kernels_folder_is_ignored(tmp_path, uri):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "outside.ipynb").write_text("{}")
    (folder / "link.ipynb").symlink_to(tmp_path / "outside.ipynb")
    (folder / "notes.py").write_text("")
    os.mkfifo(folder / "pipe.ipynb")

    assert asked(uri.replace("{folder}", str(folder)), folder=folder).path is None


@pytest.mark.parametrize("cell_id", [None, 3, ["x"], "abc", "file:///etc/passwd.md"])
def test_other_ids_name_no_file(cell_id):
    found = asked(cell_id)

    assert found.path is None
    assert found.cell_id == (cell_id if isinstance(cell_id, str) else None)


@pytest.mark.parametrize("metadata", [None, {}, {"msgbook": 1}, {"msgbook": ["x"]}])
def test_metadata_without_our_key_is_empty(metadata):
    assert asked("a", metadata).metadata == {}


def test_only_our_key_of_a_cells_metadata_counts():
    found = asked("a", {"tags": ["x"], "msgbook": {"history": "exclude"}, "cellId": "a"})

    assert found.metadata == {"msgbook": {"history": "exclude"}}
