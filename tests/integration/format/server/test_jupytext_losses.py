"""What Jupytext's commands never lose: texts of other files, data of output files, and what nbformat cannot write."""

from __future__ import annotations

import json
import os

import nbformat
import pytest
from jupytext_command import TOUR, jupytext

FILE_TEXT = (
    "# %% [^a]\n\n[^a]: [code]\n\n```python\nplot()\n```\n\n"
    '# %%% [^a.1]\n\n[^a.1]: [python] mime_type="text/html" output_file="chat.files/f.html"\n'
)


def put_output_file(folder):
    (folder / "chat.files").mkdir()
    (folder / "chat.files" / "f.html").write_text("<b>data</b>")
    (folder / "chat.msg.md").write_text(FILE_TEXT)


def test_a_notebook_made_of_a_text_holds_the_data_of_output_files(run, tmp_path):
    put_output_file(tmp_path)

    jupytext(run, "--to ipynb --output chat.ipynb chat.msg.md")

    [output] = nbformat.read(tmp_path / "chat.ipynb", 4).cells[0].outputs
    assert output.data == {"text/html": "<b>data</b>"}


def test_a_text_names_an_output_file_only_where_the_file_is(run, tmp_path):
    put_output_file(tmp_path)

    jupytext(
        run,
        "--to ipynb --output chat.ipynb chat.msg.md",
        "--to .msg.md --output other.msg.md chat.ipynb",
        "--set-formats ipynb,.msg.md:msg chat.msg.md",
    )

    assert "<b>data</b>" in (tmp_path / "other.msg.md").read_text()
    assert 'output_file="chat.files/f.html"' in (tmp_path / "chat.msg.md").read_text()
    assert "<b>data</b>" not in (tmp_path / "chat.msg.md").read_text()


def test_a_sync_keeps_the_reference_of_a_text(run, tmp_path):
    put_output_file(tmp_path)

    jupytext(run, "--set-formats ipynb,.msg.md:msg chat.msg.md")
    notebook = json.loads((tmp_path / "chat.ipynb").read_text())
    notebook["cells"][0]["source"] = ["plot(2)"]
    (tmp_path / "chat.ipynb").write_text(json.dumps(notebook))
    os.utime(tmp_path / "chat.msg.md", (1, 1))
    jupytext(run, "--sync chat.ipynb")

    text = (tmp_path / "chat.msg.md").read_text()
    assert "plot(2)" in text
    assert 'output_file="chat.files/f.html"' in text
    assert "<b>data</b>" not in text


PROSE = "# Report\n\nmy prose\n"
KEYED = (
    "---\nmessage_section: Log\n---\nmy prose\n\n## Log\n\n# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
)


def refuse(run, command):
    """Run a command line of Jupytext that ends with an error."""
    run(f"assert jupytext.cli.jupytext({command.split()!r}) == 1")


@pytest.mark.parametrize("text", [PROSE, KEYED])
@pytest.mark.parametrize("target", ["chat.ipynb", "chat.msg.ipynb -o chat.md"])
def test_no_text_of_another_file_is_replaced(run, tmp_path, text, target):
    for name in ("chat.ipynb", "chat.msg.ipynb"):
        nbformat.write(nbformat.v4.new_notebook(), tmp_path / name)
    (tmp_path / "chat.md").write_text(text)

    refuse(run, f"--to md:msg {target}")

    assert (tmp_path / "chat.md").read_text() == text


def test_a_file_is_written_again_from_its_own_notebook(run, tmp_path):
    (tmp_path / "chat.md").write_text(KEYED)

    jupytext(run, "--to ipynb chat.md", "--to md:msg chat.ipynb")

    assert (tmp_path / "chat.md").read_text() == KEYED


@pytest.mark.parametrize("formats", ["ipynb,.msg.md:msg,md", "ipynb,.msg.md:msg,md:msg"])
def test_two_texts_of_one_extension_are_no_pair(run, tmp_path, formats):
    (tmp_path / "chat.msg.md").write_text(TOUR)

    refuse(run, f"--set-formats {formats} chat.msg.md")

    assert [path.name for path in tmp_path.iterdir()] == ["chat.msg.md"]


ODD_OUTPUTS = [
    {"output_type": "display_data", "metadata": {}, "data": {"text/plain": 3}},
    {"output_type": "display_data", "metadata": {}, "data": 3},
    {"output_type": "execute_result", "data": ["a", 3]},
    {"output_type": "stream", "name": "stdout"},
    {"output_type": "stream", "name": "stdout", "text": ["a", 3]},
    {"output_type": "novel", "text": [3]},
    {"output_type": "error", "ename": 3},
]
ODD_CELLS = [
    {"cell_type": "code", "outputs": 5, "source": "a"},
    {"cell_type": "code", "outputs": [5, {"output_type": "stream"}], "source": "a"},
    {"cell_type": "code", "source": "a"},
    {"cell_type": "raw", "source": 3},
    {"cell_type": "markdown", "source": "a", "attachments": [3]},
]


def test_what_nbformat_cannot_write_comes_back_from_a_notebook(run, tmp_path):
    outputs = [
        f"# %%% [^a.{number}]\n\n[^a.{number}]: [nb] output=json encoding=json\n\n{json.dumps(output)}\n\n"
        for number, output in enumerate(ODD_OUTPUTS, 1)
    ]
    cells = [
        f"# %% [^c{number}]\n\n[^c{number}]: [nb] encoding=json\n\n"
        f"{json.dumps({**cell, 'metadata': {'x': number}})}\n\n"
        for number, cell in enumerate(ODD_CELLS)
    ]
    code = "# %% [^a]\n\n[^a]: [code]\n\n```python\n1\n```\n\n"
    text = "".join([code, *outputs, *cells]).rstrip("\n") + "\n"
    (tmp_path / "a.msg.md").write_text(text)

    jupytext(run, "--to ipynb a.msg.md", "--to .msg.md:msg --output b.msg.md a.ipynb")

    assert (tmp_path / "b.msg.md").read_text() == text
    # Jupyter reads and shows it.
    shown = nbformat.read(tmp_path / "a.ipynb", 4).cells
    assert json.loads(shown[0].outputs[1].data["text/plain"]) == ODD_OUTPUTS[1]
    assert shown[1].cell_type == "raw"


def test_a_changed_stand_in_for_an_unwritable_output_keeps_the_change(run, tmp_path):
    text = f"# %%\n\nHi\n\n# %%% [^a]\n\n[^a]: [nb] output=json\n\n{json.dumps(ODD_OUTPUTS[1])}\n"
    (tmp_path / "a.msg.md").write_text(text)
    jupytext(run, "--to ipynb a.msg.md")
    notebook = (tmp_path / "a.ipynb").read_text()
    (tmp_path / "a.ipynb").write_text(notebook.replace('\\"data\\": 3', '\\"data\\": 4'))

    jupytext(run, "--to .msg.md:msg --output b.msg.md a.ipynb")

    assert '"data": 4' in (tmp_path / "b.msg.md").read_text()


@pytest.mark.parametrize(
    "section", ["", "\n## Discussion\n\n# %% [^b]\n\n[^b]: [markdown]\n\nBelow\n"]
)
def test_messages_above_the_section_of_a_message_file_stay_to_the_byte(run, tmp_path, section):
    above = "---\nmessage_section: true\n---\n\n# %% [^a]\n\n[^a]: [markdown]\n\nAbove\n"
    text = above + section
    (tmp_path / "a.msg.md").write_text(text)

    jupytext(
        run,
        "--to ipynb a.msg.md",
        "--to .msg.md:msg --output b.msg.md a.ipynb",
        "--opt notebook_metadata_filter=-all a.msg.md",
    )
    run(
        "nb = jupytext.read('a.msg.md')\n"
        "nb.cells.append({**nb.cells[0], 'id': 'c', 'source': 'New'} if nb.cells else\n"
        "    {'cell_type': 'code', 'id': 'c', 'metadata': {}, 'source': 'New', 'outputs': [],\n"
        "     'execution_count': None})\n"
        "jupytext.write(nb, 'c.msg.md')"
    )

    assert (tmp_path / "a.msg.md").read_text() == text
    assert (tmp_path / "b.msg.md").read_text() == text
    longer = (tmp_path / "c.msg.md").read_text()
    assert longer.startswith(text)
    assert "New" in longer
