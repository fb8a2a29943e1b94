"""`msgbook run` of a conversation whose agent starts sub-agents, and of a sub-agent's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pexpect
import pytest
from command import settings, with_settings
from scripted_server import Answer, call, delta
from subagents_chat import (
    ALLOW,
    chat,  # noqa: F401 - fixtures
)
from team import (
    SAID,
    dispatch,
    dispatch_result,
    metadata_in,
    play,
    report,
    subagent_files,
    turns_in,
)

from msgbook.cli.run import run_file

HOLD = Answer([delta(content="Working on it. ")], hold=1)
"""An answer that begins and never ends."""


def started(server: Any, *argv: object) -> subprocess.Popen[bytes]:
    """A run in a process of its own."""
    command = [sys.executable, "-m", "msgbook", "run", *map(str, argv)]
    return subprocess.Popen(command, env={**os.environ, **settings(server, **ALLOW)})


def test_a_killed_run_leaves_the_sub_agents_files_and_a_run_of_one_goes_on(server, chat):
    server.choose = play(
        [dispatch("count the apples")], {"apples": [call("glob", {"pattern": "*"}), HOLD]}
    )
    process = started(server, chat)
    assert server.streaming.wait(300)
    process.kill()
    process.wait(300)

    [file] = subagent_files(chat.parent)
    [cut] = turns_in(file)
    assert cut["status"] == "running"
    assert not turns_in(chat)

    server.choose = play(subagents={"apples": report("3 apples")})
    assert with_settings(server, run_file, file, **ALLOW) == 0

    assert [turn["status"] for turn in turns_in(file)] == ["running", "done"]
    assert metadata_in(file)["is_task_finished"] is True
    assert "%continue" in file.read_text("utf-8")
    assert with_settings(server, run_file, file, **ALLOW) == 0
    assert len(turns_in(file)) == 2


def test_an_interrupted_run_stops_all_sub_agents_and_their_files_say_so(server, chat):
    server.choose = play(
        [dispatch("count the apples", "count the pears")], {"apples": HOLD, "pears": HOLD}
    )
    process = started(server, chat)
    assert server.streaming.wait(300)
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == 1

    statuses = [turn["status"] for file in subagent_files(chat.parent) for turn in turns_in(file)]
    assert "interrupted" in statuses
    assert "running" not in statuses
    [turn] = turns_in(chat)
    assert turn["status"] == "interrupted"
    assert {row["status"] for row in dispatch_result(turn)["agents"]} == {"interrupted"}


def test_questions_of_sub_agents_wait_for_each_other_on_one_line_of_input(server, chat):
    ask = call("shell", {"command": "echo hello"})
    server.choose = play(
        [dispatch("first task", "second task"), SAID],
        {"first": [ask, report("1")], "second": [ask, report("2")]},
    )
    process = pexpect.spawn(
        sys.executable,
        ["-m", "msgbook", "run", str(chat)],
        env={**os.environ, **settings(server, MSGBOOK_APPROVAL="ask")},
        encoding="utf-8",
        timeout=300,
        dimensions=(60, 200),
    )
    process.expect("it starts 2 sub-agents")
    process.expect("no: ")
    process.sendline("y")
    for answer in ("y", "n not now"):
        process.expect("A call of the sub-agent (first|second) task")
        process.expect("no: ")
        process.sendline(answer)
    process.expect(pexpect.EOF)
    process.wait()

    approvals = sorted(
        block["approval"]
        for file in subagent_files(chat.parent)
        for turn in turns_in(file)
        for block in turn["blocks"]
        if block["type"] == "tool_call" and block["name"] == "shell"
    )
    assert approvals == ["denied", "user"]


@pytest.mark.smoke
def test_a_recorded_run_with_sub_agents_is_replayed_without_a_server(server, chat):
    tape = chat.with_suffix(".jsonl")
    server.choose = play(
        [dispatch("count the apples", "count the pears"), SAID],
        {"apples": report("3 apples"), "pears": report("5 pears")},
    )
    assert with_settings(server, run_file, chat, cassette=tape, **ALLOW) == 0
    written = [file.read_bytes() for file in [chat, *subagent_files(chat.parent)]]
    requests = len(server.requests)

    replay = subprocess.run(
        [sys.executable, "-m", "msgbook", "run", str(chat), "--replay", str(tape)],
        env={**os.environ, **settings(server, **ALLOW)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert replay.returncode == 0, replay.stderr
    assert len(server.requests) == requests
    assert [file.read_bytes() for file in [chat, *subagent_files(chat.parent)]] == written
