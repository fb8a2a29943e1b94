"""`jupyter execute`, as people type it; nbconvert is in tests/format/exporters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from scripted_server import ScriptedServer, call, text

import msgbook_format
from msgbook_format.turn import TURN_MIME


def jupyter(*arguments: str, cwd: Path, **settings: str) -> str:
    """Run a `jupyter` command and return what it printed; it has to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "jupyter", *arguments],
        cwd=cwd,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_jupyter_execute_holds_a_conversation_and_saves_it(server: ScriptedServer, tmp_path: Path):
    server.answers = [
        call("read", {"path": "."}),
        text("A <b>page</b>.", reasoning="Thought."),
        text("Second."),
    ]
    spec = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
    cells = [nbformat.v4.new_code_cell(prompt) for prompt in ("First?", "Second?")]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(notebook, tmp_path / "chat.ipynb")

    jupyter(
        "execute",
        "--inplace",
        "chat.ipynb",
        cwd=tmp_path,
        OPENAI_BASE_URL=server.url,
        OPENAI_API_KEY="sk-of-this-test",
        MSGBOOK_MODEL="m",
    )

    done = nbformat.read(tmp_path / "chat.ipynb", as_version=4)
    assert [cell.outputs[0]["data"][TURN_MIME]["status"] for cell in done.cells] == ["done"] * 2
    assert done.metadata.language_info.name == "msgbook"
    assert [m["role"] for m in server.messages()].count("assistant") == 2
    assert server.headers[0]["Authorization"] == "Bearer sk-of-this-test"
    assert "sk-of-this-test" not in (tmp_path / "chat.ipynb").read_text()


def test_jupyter_execute_runs_a_message_file_and_saves_it(server: ScriptedServer, tmp_path: Path):
    server.answers = [text("First."), text("Second.")]
    path = tmp_path / "chat.msg.md"
    path.write_text("# %%\n\nFirst?\n\n# %%\n\nSecond?\n")

    jupyter(
        "execute",
        "--inplace",
        "chat.msg.md",
        cwd=tmp_path,
        OPENAI_BASE_URL=server.url,
        OPENAI_API_KEY="sk-of-this-test",
        MSGBOOK_MODEL="m",
    )

    cells = msgbook_format.read(path)["cells"]
    turns = [cell["outputs"][0]["data"][TURN_MIME] for cell in cells]
    assert [turn["blocks"][-1]["text"] for turn in turns] == ["First.", "Second."]
    assert sorted(tmp_path.iterdir()) == [path]
