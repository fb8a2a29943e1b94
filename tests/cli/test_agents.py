"""`msgbook agents DIR`: the conversations of a folder, and what they do."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from agent_chats import write_chat
from command import with_settings
from scripted_server import call, text
from teams_project import project  # noqa: F401 - fixtures

from msgbook.__main__ import main
from msgbook.cli.run import run_file
from msgbook_format.agent_states import list_folder, read_head


def listed(capsys, *arguments):
    capsys.readouterr()
    assert main(["agents", *arguments]) == 0
    return capsys.readouterr().out


def test_a_line_has_status_time_file_name_and_task(project, capsys):
    write_chat(project / "chat.msg.md", {"uuid": "c", "name": "Lines"})
    subagent = {"uuid": "k", "name": "Counter", "parent_agent_id": "c"}
    below = project / ".msgbook" / "subagents"
    write_chat(below / "chat-1.msg.md", subagent)
    finished = {"uuid": "l", "is_task_finished": True, "name": "Count the..."}
    write_chat(below / "chat-2.msg.md", {**subagent, **finished})

    rows = [line.split("\t") for line in listed(capsys).splitlines()]

    assert [[row[0], *row[2:]] for row in rows] == [
        ["standby", "chat.msg.md", "Lines"],
        ["pending", "  .msgbook/subagents/chat-1.msg.md", "Counter: Count the lines."],
        ["finished", "  .msgbook/subagents/chat-2.msg.md", "Count the lines."],
    ]


def test_the_files_are_named_as_a_shell_here_finds_them(project, capsys):
    write_chat(project / "notes" / "chat.msg.md")
    assert "\tnotes/chat.msg.md" in listed(capsys, "notes")


def test_json_has_the_names_of_the_seed_and_the_status(project, capsys):
    write_chat(project / "chat.msg.md", {"uuid": "c", "name": "Lines"})
    (state,) = json.loads(listed(capsys, "--json"))
    assert state == {
        "uuid": "c",
        "parentId": None,
        "name": "Lines",
        "fileUri": (project / "chat.msg.md").as_uri(),
        "isWindowOpen": False,
        "isRunning": False,
        "isTaskFinished": False,
        "status": "standby",
    }


def test_a_conversation_that_is_answered_is_running(project, server, capsys):
    path = write_chat(project / "chat.msg.md")
    answer = text("One.")
    states = []

    def status():
        (row,) = list_folder(project, project)
        return row.state.status

    def chunks():
        states.append(status())
        yield from answer.chunks

    server.answers = [replace(answer, chunks=chunks())]

    assert with_settings(server, run_file, path) == 0
    assert [*states, status()] == ["running", "standby"]


def test_a_sub_agent_that_was_moved_and_reports_is_finished_in_its_new_place(
    project, server, capsys
):
    subagent = {"uuid": "k", "name": "Count", "parent_agent_id": "c", "file": "old.msg.md"}
    path = write_chat(project / "new.msg.md", {**subagent, "is_task_finished": False})
    server.answers = [call("task_finish", {"context_summary": "Two lines."}), text("Reported.")]

    assert with_settings(server, run_file, path) == 0

    assert read_head(path).agent.file == "new.msg.md"
    (state,) = json.loads(listed(capsys, "--json"))
    assert (state["status"], state["isTaskFinished"], state["uuid"]) == ("finished", True, "k")
    assert state["prompt"] == "Count the lines."


def test_an_empty_folder_has_none(project, capsys):
    assert main(["agents"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "msgbook agents: .: no conversations\n")
    assert json.loads(listed(capsys, "--json")) == []


@pytest.mark.parametrize("folder", ["gone", "chat.msg.md", "a\0b"])
def test_what_is_no_folder_is_said_in_one_line(project, capsys, folder):
    write_chat(project / "chat.msg.md")
    assert main(["agents", folder]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_a_hostile_name_steers_no_terminal_and_breaks_no_line(project, capsys):
    name = "\x1b[31mred\nline\ttab\u202e"
    write_chat(project / "chat.msg.md", {"uuid": "c", "name": name})
    out = listed(capsys)
    assert out.count("\n") == 1
    assert out.endswith("chat.msg.md\t[31mred line tab\n")
