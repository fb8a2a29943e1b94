"""`msgbook chat` with an agent that starts sub-agents: on a terminal, in a pipe, interrupted."""

from __future__ import annotations

import pytest
from command import run, terminal
from scripted_server import Answer, call, delta
from team import SAID, dispatch, dispatch_result, play, report, subagent_files, turns_in

HOLD = Answer([delta(content="Working on it. ")], hold=1)
"""An answer that begins and never ends."""


@pytest.fixture
def path(tmp_path):
    (tmp_path / ".msgbook").mkdir()
    return tmp_path / "chat.msg.md"


def test_a_terminal_asks_shows_the_rows_and_the_result_and_the_file_has_all(server, path):
    server.choose = play(
        [dispatch("count the apples", "make a folder"), SAID],
        {
            "apples": report("3 apples"),
            "folder": [call("mkdir", {"path": "new"}), report("It is there.")],
        },
    )
    process = terminal(server, "chat", path, "ask two")
    process.expect("it starts 2 sub-agents")
    process.expect("count the apples")
    process.expect("no: ")
    process.sendline("y")
    process.expect("A call of the sub-agent make a folder")
    process.expect("no: ")
    process.sendline("y")
    process.expect(r"✅ make a folder[^\n]* done ")
    process.expect("Finished:")
    process.expect("All is well.")
    process.expect("\n")
    process.wait()

    assert process.exitstatus == 0
    assert (path.parent / "new").is_dir()
    [turn] = turns_in(path)
    files = [path.parent / row["file"] for row in dispatch_result(turn)["agents"]]
    assert sorted(files) == subagent_files(path.parent)
    assert [turns_in(file)[0]["status"] for file in files] == ["done", "done"]


def test_ctrl_c_stops_all_sub_agents_and_their_files_say_so(server, path):
    server.choose = play(
        [dispatch("count the apples", "count the pears")], {"apples": HOLD, "pears": HOLD}
    )
    process = terminal(server, "chat", path, "ask two")
    process.expect("no: ")
    process.sendline("y")
    process.expect("Working on it.*Working on it")
    process.sendintr()
    process.expect(r"msgbook chat: .*chat\.msg\.md: .*nterrupted")
    process.expect("\n")
    process.wait()

    assert process.exitstatus == 1
    for _ in range(2):
        assert server.left.acquire(timeout=300)
    [turn] = turns_in(path)
    rows = dispatch_result(turn)["agents"]
    assert (turn["status"], {row["status"] for row in rows}) == ("interrupted", {"interrupted"})
    for row in rows:
        assert turns_in(path.parent / row["file"])[0]["status"] == "interrupted"


def test_without_a_terminal_sub_agents_are_not_started_and_the_reason_is_told(server, path):
    server.choose = play([dispatch("count the apples"), SAID])

    done = run(server, "chat", path, "ask one")

    assert (done.returncode, done.stdout) == (0, "All is well.\n")
    assert not subagent_files(path.parent)
    told = (
        "dispatch_subagents needs approval, since it starts 1 sub-agent, and nobody could be asked."
    )
    assert done.stderr == f"msgbook chat: {path}: Denied: {told}\n"
    assert told in server.messages()[-1]["content"]
