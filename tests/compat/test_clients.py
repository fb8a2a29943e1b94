"""Clients that know nothing of msgbook show and save whole turns (docs/clients.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from kernel_client import KernelClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, output_from_msg
from scripted_server import Answer, ScriptedServer, call, delta, error, text

from msgbook_format.turn import TURN_MIME


def shown_without_updates(messages: list[dict[str, Any]]) -> list[Any]:
    """What a client shows that takes no updates; a `clear_output` that waits clears it at once."""
    outputs: list[Any] = []
    for message in messages:
        if message["msg_type"] == "clear_output":
            outputs = []
        elif message["msg_type"] in ("display_data", "stream", "error"):
            outputs.append(output_from_msg(message))
    return outputs


def statuses(outputs: list[Any]) -> list[str]:
    """The status of each turn, and the kind of each other output."""
    return [
        output["data"][TURN_MIME]["status"] if "data" in output else output["output_type"]
        for output in outputs
    ]


@pytest.fixture
def kernel(server: ScriptedServer, tmp_path):
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as running:
        yield running


TURNS = [
    pytest.param([text("Yes.", reasoning="Hm.")], ["done"], id="an answer"),
    pytest.param([call("read", {"path": "."}), text("Yes.")], ["done"], id="a tool"),
    pytest.param([error(400, "No.")], ["error", "error"], id="a failure"),
    pytest.param(
        [Answer([delta(content="half")], done=False)], ["incomplete", "error"], id="a cut answer"
    ),
]


@pytest.mark.parametrize(("answers", "expected"), TURNS)
def test_a_client_that_takes_no_updates_shows_one_finished_turn(kernel, server, answers, expected):
    server.answers = answers

    _, messages = kernel.run("Well?")

    assert statuses(shown_without_updates(messages)) == expected


@pytest.mark.parametrize(("answers", "expected"), TURNS)
def test_nbclient_saves_one_finished_turn(run_notebook, server, answers, expected):
    server.answers = answers

    [cell] = run_notebook("Well?", env={"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"})

    assert statuses(cell.outputs) == expected


def test_a_client_that_takes_no_updates_shows_what_was_interrupted(kernel, server):
    server.answers = [Answer([delta(content="half")], hold=1)]
    request = kernel.start("Well?")
    assert server.streaming.wait(300)

    kernel.manager.interrupt_kernel()
    _, messages = kernel.finish(request)

    assert statuses(shown_without_updates(messages)) == ["interrupted", "error"]


def test_a_client_that_names_cells_gets_updates_alone(kernel, server):
    server.answers = [text("Yes.")]

    _, messages = kernel.run("Well?", "a")

    kinds = [message["msg_type"] for message in messages]
    assert kinds.count("display_data") == 1
    assert "update_display_data" in kinds
    assert "clear_output" not in kinds


SPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}


def notebook(*cells: Any, **metadata: Any) -> Any:
    return new_notebook(cells=list(cells), metadata={"kernelspec": SPEC, **metadata})


def run_module(*arguments: str, cwd: Path, given: str = "", **settings: str) -> str:
    """Run a Python module as a command and return what it printed; it has to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=cwd,
        input=given,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_jupyter_execute_sends_the_notes_of_a_notebook_whose_file_it_is_told(server, tmp_path):
    server.answers = [text("Yes.")]
    file = tmp_path / "chat.ipynb"
    nbformat.write(notebook(new_markdown_cell("Answer in Latin."), new_code_cell("Well?")), file)

    run_module(
        "jupyter",
        "execute",
        "--inplace",
        "chat.ipynb",
        cwd=tmp_path,
        JPY_SESSION_NAME=str(file),
        OPENAI_BASE_URL=server.url,
        MSGBOOK_MODEL="m",
    )

    assert [m["content"] for m in server.messages()[-2:]] == ["Answer in Latin.", "Well?"]


def test_papermill_writes_nothing_but_the_notebook_into_a_pipe(fences, server, tmp_path):
    server.answers = [text("Yes.")]
    source = fences[0].body.rstrip("\n")
    parameters = new_code_cell(source, metadata={"tags": ["parameters"]})
    shown = new_code_cell("%%python\nprint(city)")
    given = nbformat.writes(notebook(parameters, shown, new_code_cell("Well?")))

    written = run_module(
        "papermill",
        "-p",
        "city",
        "Paris",
        cwd=tmp_path,
        given=given,
        OPENAI_BASE_URL=server.url,
        MSGBOOK_MODEL="m",
    )

    given, injected, printed, answered = nbformat.reads(written, as_version=4).cells
    assert given.source == source
    assert injected.source.startswith("%%python\n")
    assert len(server.requests) == 1
    assert [output.text for output in printed.outputs] == ["Paris\n"]
    assert statuses(answered.outputs) == ["done"]


@pytest.mark.parametrize("asked_by", ["notebook", "command line"])
def test_nbstripout_keeps_turns_and_ids_where_it_is_asked_to(tmp_path, asked_by):
    data = {TURN_MIME: {"version": 1, "status": "done", "blocks": []}}
    turn = nbformat.v4.new_output("display_data", data)
    metadata = {"keep_output": True} if asked_by == "notebook" else {}
    chat = notebook(new_code_cell("Well?", id="hello", outputs=[turn]), **metadata)
    nbformat.write(chat, tmp_path / "chat.ipynb")

    options = ["--keep-output"] if asked_by == "command line" else []
    run_module("nbstripout", "--keep-id", *options, "chat.ipynb", cwd=tmp_path)

    [cell] = nbformat.read(tmp_path / "chat.ipynb", as_version=4).cells
    assert (cell.id, statuses(cell.outputs)) == ("hello", ["done"])
