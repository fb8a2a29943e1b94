"""The list of a folder: its conversations, and the sub-agents of their project."""

from __future__ import annotations

import os

import pytest
from agent_chats import write_chat

from msgbook_format import read
from msgbook_format.agent_states import RunningMarks, list_folder
from msgbook_format.files import writes_ipynb


@pytest.fixture
def project(tmp_path):
    write_chat(tmp_path / "chat.msg.md", {"uuid": "c", "name": "chat"})
    write_chat(tmp_path / "deep" / "other.msg.md", {"uuid": "o", "name": "other"})
    for name, parent in (("chat-1", "c"), ("other-1", "o"), ("lost-1", "gone")):
        agent = {"uuid": name, "parent_agent_id": parent, "name": name}
        write_chat(tmp_path / ".msgbook" / "subagents" / f"{name}.msg.md", agent)
    return tmp_path


def shown(folder, project, **options):
    return [(row.depth, row.state.file) for row in list_folder(folder, project, **options)]


def test_the_projects_folder_has_all_sub_agents(project):
    below = ".msgbook/subagents"
    assert shown(project, project) == [
        (0, f"{below}/lost-1.msg.md"),
        (0, f"{below}/other-1.msg.md"),
        (0, "chat.msg.md"),
        (1, f"{below}/chat-1.msg.md"),
    ]


def test_a_folder_below_has_the_sub_agents_of_its_own_conversations(project):
    assert shown(project / "deep", project) == [
        (0, "deep/other.msg.md"),
        (1, ".msgbook/subagents/other-1.msg.md"),
    ]


def test_the_folder_of_sub_agents_can_be_listed_itself(project):
    assert len(shown(project / ".msgbook" / "subagents", project)) == 3


def test_a_running_conversation_is_running_and_a_sub_agent_is_not(project):
    marks = RunningMarks(frozenset([os.path.realpath(project / "chat.msg.md")]))
    rows = {row.state.uuid: row.state for row in list_folder(project, project, marks)}
    assert rows["c"].status == "running"
    assert rows["chat-1"].status == "pending"


def test_a_notebook_beside_its_text_has_no_row_of_its_own(project):
    notebook = read(project / "chat.msg.md")
    (project / "chat.ipynb").write_text(writes_ipynb(notebook), "utf-8")
    (project / "other.ipynb").write_text(writes_ipynb(notebook), "utf-8")
    files = [file for _, file in shown(project, project)]
    assert "chat.ipynb" not in files
    assert "other.ipynb" in files


def test_files_that_cannot_be_read_are_rows(project):
    os.mkfifo(project / "pipe.msg.md")
    (project / "link.msg.md").symlink_to("link.msg.md")
    (project / "broken.mtm").write_text("{")
    (project / "folder.msg.md").mkdir()
    (project / "README.md").write_bytes(b"\xff")
    (project / "notes.md").write_text("# No conversation\n")

    problems = {row.state.file for row in list_folder(project, project) if row.problem}

    assert problems == {"pipe.msg.md", "link.msg.md", "broken.mtm"}


def test_of_a_thousand_conversations_only_the_heads_are_read(tmp_path):
    for number in range(1000):
        path = write_chat(tmp_path / f"{number:04}.msg.md", {"uuid": str(number)})
        if number % 10 == 0:
            # To read all of these would take 90 GB.
            os.truncate(path, 900_000_000)

    rows = list_folder(tmp_path, tmp_path)

    assert [row.state.uuid for row in rows] == [str(number) for number in range(1000)]
    assert not any(row.problem for row in rows)


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        list_folder(tmp_path / "gone", tmp_path)


def test_a_copy_is_a_new_conversation_until_its_first_turn_and_the_original_is_as_it_was(project):
    agent = {"uuid": "x", "name": "plan", "file": "plan.msg.md", "is_task_finished": True}
    for name in ("plan", "plan-fork", "a-copy"):
        write_chat(project / f"{name}.msg.md", agent)

    rows = {row.state.file: row for row in list_folder(project, project)}

    named = [rows[f"{name}.msg.md"].state for name in ("plan", "plan-fork", "a-copy")]
    assert [state.uuid for state in named] == ["x", "", ""]
    assert [state.name for state in named] == ["plan", "plan-fork", "a-copy"]
    assert {row.problem for row in rows.values()} == {None}
    assert rows["plan-fork.msg.md"].state.status == "standby"


def test_a_conversation_that_was_moved_keeps_its_id(project):
    write_chat(project / "new.msg.md", {"uuid": "x", "name": "plan", "file": "plan.msg.md"})

    ids = {row.state.file: row.state.uuid for row in list_folder(project, project)}

    assert ids["new.msg.md"] == "x"
