"""Kernel and command against aimock: what a user of them gets from a server of others."""

from __future__ import annotations

import json

import pytest
from aimock import aimock, needs_aimock, on
from turn_blocks import words

from msgbook.__main__ import main
from msgbook_format import read
from msgbook_format.turn import TURN_MIME, turn_of

pytestmark = needs_aimock

NUMBERS = "1 2 3 4 5 6 7 8 9 10 11 12"
FILE = "# %% [^one]\n\nfirst\n\n# %% [^two]\n\nsecond\n"


@pytest.fixture
def command(settings, monkeypatch):
    """Runs a verb of the command as a user of a server; its exit code."""

    def run(server, *argv):
        for name, value in settings(server.url).items():
            monkeypatch.setenv(name, value)
        return main([*map(str, argv)])

    return run


def answers(path):
    """The text that answers each cell of a file."""
    return [words(turn_of(cell["outputs"][0])) for cell in read(path)["cells"]]


def test_a_kernel_runs_the_call_and_the_next_cell_sends_it_again(
    mock, settings, run_notebook, tmp_path
):
    (tmp_path / "note.txt").write_text("The word is heron.\n", "utf-8")
    call = {"id": "call_note", "name": "read", "arguments": {"path": "note.txt"}}
    mock.answers(
        on("word", {"content": "It is heron."}, match_hasToolResult=True),
        on("word", {"content": "I look.", "reasoning": "A file.", "toolCalls": [call]}),
        on("again", {"content": "Heron, as I said."}),
    )

    cells = run_notebook("Which word?", "Say it again", env=settings(mock.url))

    turns = [cell.outputs[0]["data"][TURN_MIME] for cell in cells]
    assert [turn["status"] for turn in turns] == ["done", "done"]
    first, second, third = (request["body"]["messages"] for request in mock.requests())
    assert second[: len(first)] == first
    (result,) = (m for m in third if m["role"] == "tool")
    assert result["tool_call_id"] == "call_note"
    assert [m["content"] for m in third[-2:]] == ["It is heron.", "Say it again"]


def test_chat_writes_a_file_that_run_continues(mock, command, tmp_path, capsys):
    mock.answers(on("first", {"content": "One."}), on("second", {"content": "Two."}))
    path = tmp_path / "chat.msg.md"

    assert command(mock, "chat", path, "The first") == 0
    path.write_text(path.read_text("utf-8") + "\n# %% [^more]\n\nThe second\n", "utf-8")
    assert command(mock, "run", path) == 0

    assert answers(path) == ["One.", "Two."]
    assert [m["content"] for m in mock.requests()[1]["body"]["messages"]][1:] == [
        "The first", "One.", "The second",
    ]  # fmt: skip


def test_run_stops_at_an_error_of_the_server_and_goes_on_after_it(mock, command, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text(FILE, "utf-8")
    failed = {"error": {"message": "Out of memory", "type": "server_error"}, "status": 400}
    mock.answers(on("first", {"content": "One."}), on("second", failed))

    assert command(mock, "run", path) != 0
    assert "Out of memory" in capsys.readouterr().err
    mock.answers(on("second", {"content": "Two."}))
    assert command(mock, "run", path) == 0

    assert answers(path) == ["One.", "Two."]


def test_doctor_finds_what_the_server_can_do(mock, command, capsys):
    call = {"name": "add", "arguments": {"a": 2, "b": 3}}
    counts = {"prompt_tokens": 11, "completion_tokens": 7, "input_tokens": 11, "output_tokens": 7}
    mock.answers(
        on("numbers", {"content": NUMBERS, "usage": counts}, chunkSize=4),
        on("add", {"toolCalls": [call], "usage": counts}),
    )

    assert command(mock, "doctor", "--json", "--timeout", "30") == 0

    found = {f["check"]: f["status"] for f in json.loads(capsys.readouterr().out)["findings"]}
    checks = ("server", "answer", "stream", "usage", "tools")
    assert [found[check] for check in checks] == ["pass"] * 5


def test_doctor_finds_the_api_that_shows_more(mock, command, capsys):
    call = {"name": "add", "arguments": {"a": 2, "b": 3}}
    mock.answers(
        on("numbers", {"content": NUMBERS}),
        on("add", {"toolCalls": [call], "reasoning": "Two and three."}),
    )

    assert command(mock, "doctor", "--json", "--timeout", "30") == 0

    told = {f["check"]: f for f in json.loads(capsys.readouterr().out)["findings"]}
    assert "tool calls, reasoning, usage, encrypted reasoning" in told["api"]["words"]


def test_doctor_names_the_setting_of_a_wrong_key(command, capsys):
    with aimock("sk-of-a-test") as server:
        assert command(server, "doctor", "--json", "--timeout", "30") == 1

    told = {f["check"]: f for f in json.loads(capsys.readouterr().out)["findings"]}
    assert "[providers.real]" in str(told)
