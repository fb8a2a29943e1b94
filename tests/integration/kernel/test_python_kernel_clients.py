"""A Python notebook that talks, run by other programs, and its kernel in another environment."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import pytest
from ipykernel.ipkernel import IPythonKernel
from kernel_client import KernelClient
from nbformat import v4
from scripted_server import ScriptedServer, text

from msgbook_format import read, write
from msgbook_format.syntax import CODE_FIRST_KERNELSPEC
from msgbook_format.turn import TURN_MIME

ROOT = Path(__file__).parents[3]
SOURCES = ("city = 'Rome'", "%%msg\nWhere is @[py:city]?", "city.upper()")


def save(path: Path, *sources: str) -> None:
    cells = [v4.new_code_cell(source) for source in sources]
    cells[0]["metadata"]["tags"] = ["parameters"]
    metadata = {"kernelspec": CODE_FIRST_KERNELSPEC, "language_info": IPythonKernel.language_info}
    notebook = v4.new_notebook(cells=cells, metadata=metadata)
    if path.suffix == ".ipynb":
        nbformat.write(notebook, path)
    else:
        write(notebook, path)


def program(server: ScriptedServer, *arguments: object, cwd: Path) -> str:
    """Run a Python program and return what it printed; it has to succeed."""
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["analysis.ipynb", "analysis.msg.md"])
def test_jupyter_execute_runs_code_and_messages_and_saves_both(server, tmp_path, name):
    server.answers = [text("In Italy.")]
    save(tmp_path / name, *SOURCES)

    program(server, "jupyter", "execute", "--inplace", name, cwd=tmp_path)

    done = read(tmp_path / name) if name.endswith(".md") else nbformat.read(tmp_path / name, 4)
    assert [cell["source"] for cell in done["cells"]] == list(SOURCES)
    code, message, last = done["cells"]
    assert (code["outputs"], last["outputs"][0]["data"]["text/plain"]) == ([], "'ROME'")
    assert message["outputs"][0]["data"][TURN_MIME]["status"] == "done"
    assert "Rome" in str(server.messages()[-1]["content"])
    assert done["metadata"]["language_info"]["name"] == "python"
    assert [cell["execution_count"] for cell in (code, last)] == [1, 3]


def test_papermills_parameters_are_a_cell_of_python(server, tmp_path):
    server.answers = [text("In France.")]
    save(tmp_path / "in.ipynb", *SOURCES)

    program(server, "papermill", "in.ipynb", "out.ipynb", "-p", "city", "Paris", cwd=tmp_path)

    cells = nbformat.read(tmp_path / "out.ipynb", 4).cells
    assert [cell.source for cell in cells][:2] == [
        "city = 'Rome'",
        '# Parameters\ncity = "Paris"\n',
    ]
    assert "Paris" in str(server.messages()[-1]["content"])
    assert cells[-1].outputs[0]["data"]["text/plain"] == "'PARIS'"


def test_nbconvert_shows_code_as_code_and_answers_as_what_they_say(server, tmp_path):
    server.answers = [text("In **Italy**.")]
    save(tmp_path / "in.ipynb", *SOURCES)
    convert = ("nbconvert", "--execute", "--to")

    program(server, *convert, "markdown", "in.ipynb", cwd=tmp_path)
    program(server, *convert, "script", "in.ipynb", cwd=tmp_path)

    page = (tmp_path / "in.md").read_text("utf-8")
    assert "```python\ncity = 'Rome'\n```" in page
    assert "In **Italy**." in page
    assert "'ROME'" in page
    script = (tmp_path / "in.py").read_text("utf-8")
    compile(script, "in.py", "exec")
    assert "city.upper()" in script


def test_a_kernel_of_another_environment_is_offered_to_this_jupyter(server, tmp_path, monkeypatch):
    other = tmp_path / "physics"
    venv.create(other, with_pip=False)
    packages = next(other.glob("lib/python3*/site-packages"))
    here = [sysconfig.get_paths()["purelib"], str(ROOT / "kernel"), str(ROOT / "jupytext_format")]
    (packages / "as-if-installed.pth").write_text("\n".join(here) + "\n")
    (packages / "only_there.py").write_text("answer = 42\n")
    shutil.copytree(
        ROOT / "kernel" / "kernelspec-python", other / "share/jupyter/kernels/msgbook-python"
    )
    ours = tmp_path / "jupyter-env"
    command = [other / "bin" / "python", "-m", "msgbook", "kernel", "install", "--code-first"]

    made = subprocess.run(
        [*command, "--prefix", ours], check=True, capture_output=True, text=True, timeout=300
    )

    folder = ours / "share/jupyter/kernels/msgbook-python-physics"
    assert made.stdout.strip() == str(folder)
    spec = json.loads((folder / "kernel.json").read_text("utf-8"))
    assert spec["display_name"] == "Python + Chat (msgbook, physics)"
    monkeypatch.setenv("JUPYTER_PATH", str(ours / "share/jupyter"))
    server.answers = [text("Yes.")]
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path), name="msgbook-python-physics") as kernel:
        _, messages = kernel.run("import only_there, sys\nonly_there.answer, sys.prefix")
        shown = [
            ast.literal_eval(m["content"]["data"]["text/plain"])
            for m in messages
            if m["msg_type"] == "execute_result"
        ]
        assert shown == [(42, str(other))]
        assert kernel.run("%%msg\nIs it there?")[0]["status"] == "ok"
        assert "only_there" in str(server.messages())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--name", "a b"], "expected a name of letters"),
        (["--name", "python-x"], "are those of kernels with --code-first"),
        (["--name", "../x"], "expected a name of letters"),
        (["--prefix", os.devnull], os.devnull),
    ],
)
def test_what_cannot_be_installed_is_said_and_nothing_is_written(tmp_path, arguments, words):
    prefix = [] if "--prefix" in arguments else ["--prefix", str(tmp_path / "new")]
    done = subprocess.run(
        [sys.executable, "-m", "msgbook", "kernel", "install", *arguments, *prefix],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "new").exists()
