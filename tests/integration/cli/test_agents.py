"""`msgbook agents DIR`: the conversations of a folder, and what they do."""

from __future__ import annotations

import os
import subprocess
import sys

from agent_chats import write_chat
from command import settings
from scripted_server import Answer, delta
from team import dispatch, play
from teams_project import project  # noqa: F401 - fixtures

from msgbook_format.agent_states import list_folder


def test_a_team_runs_in_another_process_until_that_is_killed(project, server):
    chat = write_chat(project / "chat.msg.md", prompt="# %% [^q]\n\nask two\n")
    held = Answer([delta(content="Working on it. ")], hold=1)
    server.choose = play([dispatch("count the apples")], {"apples": held})
    environment = {**os.environ, **settings(server, MSGBOOK_APPROVAL="allow")}

    def statuses():
        rows = list_folder(project, project)
        return [(row.depth, row.state.status, row.state.task) for row in rows]

    command = [sys.executable, "-m", "msgbook", "run", str(chat)]
    with subprocess.Popen(command, env=environment) as process:
        assert server.streaming.wait(300)
        (parent, subagent) = statuses()
        process.kill()
        process.wait(300)

    assert (parent, subagent[:2]) == ((0, "running", None), (1, "running"))
    assert "count the apples" in subagent[2]
    # The parent's file was not written: its sub-agent names the file.
    assert statuses() == [(0, "standby", None), (1, "pending", subagent[2])]
