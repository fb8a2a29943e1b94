"""Who a conversation is: AgentMetadata with its first turn; a copy is another one, a moved file is not."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from agent_chats import write_chat

from msgbook.agents import Identities
from msgbook.ids import Ids
from msgbook.notebook import Document, Transcript


class CountedIds(Ids):
    """Ids `id-1`, `id-2`, ... at a fixed time."""

    def __init__(self):
        self.count = 0

    def new_uuid(self):
        self.count += 1
        return f"id-{self.count}"

    def now(self):
        return datetime(2026, 1, 15, 10, 30, tzinfo=UTC)


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".msgbook").mkdir()
    return tmp_path


@pytest.fixture
def identities():
    return Identities(CountedIds())


def identify(identities, path: Path | None, metadata=None):
    """Return the AgentMetadata that a turn would save; None if it saves none."""
    if metadata is None:
        metadata = Document.read(path).notebook["metadata"] if path is not None else {}
    return identities.identify(Transcript("file", [], metadata=metadata, path=path)).unsaved


def turn(identities, path: Path):
    """Save what a turn would save, and return it."""
    agent = identify(identities, path)
    if agent is not None:
        document = Document.read(path)
        document.put_agent(agent)
        document.save()
    return agent


def test_the_first_turn_makes_them_and_the_next_ones_leave_them(project, identities):
    path = write_chat(project / "notes" / "chat.msg.md")
    assert turn(identities, path) == {
        "uuid": "id-1",
        "name": "chat",
        "created_at": "2026-01-15T10:30:00.000Z",
        "parent_agent_id": None,
        "allowed_uris": ["."],
        "file": "notes/chat.msg.md",
    }
    assert turn(identities, path) is None
    assert turn(Identities(CountedIds()), path) is None


def test_a_client_that_has_not_saved_them_gets_the_same_again(project, identities):
    path = write_chat(project / "chat.msg.md")
    assert identify(identities, path) == identify(identities, path)
    assert identify(identities, None)["uuid"] == identify(identities, None)["uuid"]


def test_the_transcript_has_them_even_before_they_are_saved(project, identities):
    path = write_chat(project / "chat.msg.md")
    found = identities.identify(Transcript("file", [], metadata={"x": 1}, path=path))
    assert found.transcript.metadata["msgbook"]["agent_metadata"]["uuid"] == found.uuid == "id-1"
    assert found.transcript.metadata["x"] == 1


def test_a_copy_becomes_an_agent_of_its_own_with_its_first_turn(project, identities):
    original = write_chat(project / "chat.msg.md")
    turn(identities, original)
    copy = Path(shutil.copy(original, project / "other.msg.md"))
    before = original.read_bytes()

    agent = turn(identities, copy)

    assert agent["uuid"] == "id-2"
    assert agent["origin"] == "id-1"
    assert agent["name"] == "Copy of chat"
    assert agent["file"] == "other.msg.md"
    assert turn(identities, copy) is None
    assert turn(identities, original) is None
    assert original.read_bytes() == before


def test_a_copy_of_a_sub_agent_has_no_parent_no_task_and_no_wider_rights(project, identities):
    subagent = {
        "uuid": "c",
        "name": "Count",
        "parent_agent_id": "p",
        "allowed_uris": ["src"],
        "allowed_tools": ["read"],
        "is_task_finished": True,
        "parent": {"file": "chat.msg.md", "call": "call_1"},
        "file": "subagent.msg.md",
        "sub_agents_list": ["x"],
        "contextItems": [],
    }
    original = write_chat(project / "subagent.msg.md", subagent)
    copy = Path(shutil.copy(original, project / "copy.msg.md"))

    agent = turn(identities, copy)

    assert agent["parent_agent_id"] is None
    assert agent["allowed_uris"] == ["src"]
    assert agent["allowed_tools"] == ["read"]
    assert agent["contextItems"] == []
    assert not {"is_task_finished", "parent", "sub_agents_list"} & agent.keys()


@pytest.mark.parametrize("new", ["renamed.msg.md", "deeper/down/chat.msg.md"])
def test_a_file_that_was_moved_keeps_its_agent(project, identities, new):
    old = write_chat(project / "chat.msg.md")
    before = turn(identities, old)
    (project / new).parent.mkdir(parents=True, exist_ok=True)
    old.rename(project / new)

    assert turn(identities, project / new) == {**before, "file": new}
    assert turn(identities, project / new) is None


def test_another_file_in_the_place_of_one_that_was_moved_is_no_original(project, identities):
    old = write_chat(project / "chat.msg.md")
    before = turn(identities, old)
    old.rename(project / "moved.msg.md")
    write_chat(old, {"uuid": "stranger"})

    assert turn(identities, project / "moved.msg.md")["uuid"] == before["uuid"]


def test_a_clone_of_the_project_writes_nothing(project, identities, tmp_path_factory):
    turn(identities, write_chat(project / "notes" / "chat.msg.md"))
    clone = tmp_path_factory.mktemp("clone") / "project"
    shutil.copytree(project, clone)

    assert turn(identities, clone / "notes" / "chat.msg.md") is None


def test_a_checkout_inside_the_project_writes_nothing(project, identities):
    original = write_chat(project / "notes" / "chat.msg.md")
    turn(identities, original)
    inner = project / "trees" / "other"
    inner.mkdir(parents=True)
    (inner / ".git").write_text("gitdir: elsewhere")
    shutil.copytree(project / "notes", inner / "notes")

    assert turn(identities, inner / "notes" / "chat.msg.md") is None
    assert turn(identities, original) is None


def test_a_notebook_and_its_text_are_one_conversation(project, identities):
    text = write_chat(project / "chat.msg.md")
    turn(identities, text)
    document = Document.read(text)
    Document(project / "chat.ipynb", document.notebook, None).save()

    assert turn(identities, project / "chat.ipynb") is None
    # Jupytext can keep the two in different folders.
    paired = {**document.notebook["metadata"], "jupytext": {"formats": "a//ipynb,b//msg.md:msg"}}
    assert identify(identities, project / "a" / "chat.ipynb", paired) is None


def test_an_ordinary_markdown_file_is_given_none_and_keeps_its_own(project, identities):
    prompt = "---\nmessage_section: true\n---\n\n## Discussion\n\n### %% [^a]\n\nHi\n"
    path = write_chat(project / "README.md", prompt=prompt)
    found = identities.identify(
        Transcript("file", [], metadata=Document.read(path).notebook["metadata"], path=path)
    )
    assert found.unsaved is None
    assert found.uuid == "id-1"

    own = {"msgbook": {"agent_metadata": {"uuid": "u", "file": "OLD.md"}}}
    assert identify(identities, path, own) == {"uuid": "u", "file": "README.md"}


def test_an_agents_file_of_another_program_only_learns_its_place(project, identities):
    metadata = {"msgbook": {"agent_metadata": {"uuid": "u", "name": "n", "model": "m"}}}
    path = project / "agent.mtm"
    assert identify(identities, path, metadata) == {
        "uuid": "u",
        "name": "n",
        "model": "m",
        "file": "agent.mtm",
    }


def test_what_a_person_wrote_without_an_id_is_completed(project, identities):
    path = write_chat(project / "chat.msg.md", {"allowed_uris": ["src"], "uuid": 9})
    agent = turn(identities, path)
    assert (agent["uuid"], agent["allowed_uris"], agent["name"]) == ("id-1", ["src"], "chat")


@pytest.mark.parametrize(
    "file",
    [
        "/etc/passwd",
        "../../../../etc/passwd",
        "pipe.msg.md",
        "loop.msg.md",
        "out.msg.md",
        "folder.msg.md",
        "a\0b.msg.md",
        "x" * 900,
        "",
        9,
        ["a"],
    ],
)
def test_a_hostile_name_of_the_original_is_no_original(project, identities, tmp_path_factory, file):
    os.mkfifo(project / "pipe.msg.md")
    (project / "loop.msg.md").symlink_to("loop.msg.md")
    outside = write_chat(tmp_path_factory.mktemp("out") / "x.msg.md", {"uuid": "u"})
    (project / "out.msg.md").symlink_to(outside)
    (project / "folder.msg.md").mkdir()
    path = write_chat(project / "chat.msg.md", {"uuid": "u", "file": file})

    assert turn(identities, path) == {"uuid": "u", "file": "chat.msg.md"}


@pytest.mark.parametrize("odd", [None, 1, "x", [], [{}], {"uuid": {}}, {"uuid": "  "}])
def test_metadata_of_any_shape_are_no_error(project, identities, odd):
    path = project / "chat.msg.md"
    for metadata in ({"msgbook": odd}, {"msgbook": {"agent_metadata": odd}}):
        assert identify(identities, path, metadata)["uuid"] == "id-1"
