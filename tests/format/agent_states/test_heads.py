"""The head of a conversation's file says who its agent is, whatever the file holds."""

from __future__ import annotations

import json
import os

import pytest
from agent_chats import PROMPT, write_chat

from msgbook_format import read, reads
from msgbook_format.agent_states import HeadError, read_head
from msgbook_format.files import encode_agent_file, writes_ipynb

AGENT = {"uuid": "u", "name": "chät", "parent_agent_id": None, "is_task_finished": True}


@pytest.fixture
def chat(tmp_path):
    return write_chat(tmp_path / "chat.msg.md", AGENT)


def write_notebook(path, notebook):
    path.write_text(writes_ipynb(notebook), "utf-8")
    return path


def test_each_form_of_a_conversation_says_the_same(chat, tmp_path):
    notebook = read(chat)
    notebook_path = write_notebook(tmp_path / "chat.ipynb", notebook)
    agent_path = tmp_path / "chat.mtm"
    agent_path.write_bytes(encode_agent_file(notebook, agent_path, present=None, folder=None))

    agents = {read_head(path).agent for path in (chat, notebook_path, agent_path)}

    (agent,) = agents
    assert (agent.uuid, agent.name, agent.parent_id, agent.is_task_finished) == (
        "u",
        "chät",
        None,
        True,
    )


@pytest.mark.parametrize("spelling", ["utf-8-sig", "crlf"])
def test_a_mark_of_byte_order_and_crlf_change_nothing(chat, spelling):
    text = chat.read_text("utf-8")
    data = (
        text.encode("utf-8-sig") if spelling == "utf-8-sig" else text.replace("\n", "\r\n").encode()
    )
    chat.write_bytes(data)
    assert read_head(chat).agent.uuid == "u"


def test_the_task_of_a_sub_agent_is_its_first_prompt(tmp_path):
    path = write_chat(tmp_path / "a.msg.md", {**AGENT, "parent_agent_id": "p"})
    assert read_head(path).task == "Count the lines."
    escaped = PROMPT.replace("Count", "\\%Count")
    path = write_chat(tmp_path / "b.msg.md", {**AGENT, "parent_agent_id": "p"}, escaped)
    assert read_head(path).task == "%Count the lines."
    assert read_head(write_chat(tmp_path / "c.msg.md", AGENT)).task is None


def test_what_all_sub_agents_were_told_is_not_the_task(tmp_path):
    told = "# %% [^a]\n\n## Context Summary\n\nFruit.\n\n---\n\nCount.\n\n---\n\nThen stop.\n"
    path = write_chat(tmp_path / "a.msg.md", {**AGENT, "parent_agent_id": "p"}, told)
    assert read_head(path).task == "Count.\n\n---\n\nThen stop."


def test_a_notebook_whose_metadata_are_elsewhere_is_read_as_a_whole(chat, tmp_path):
    notebook = read(chat)
    path = tmp_path / "chat.ipynb"
    for text in (
        json.dumps(notebook),
        json.dumps(notebook, indent=4),
        json.dumps({"metadata": notebook["metadata"], **notebook}, indent=1),
    ):
        path.write_text(text, "utf-8")
        assert read_head(path).agent.uuid == "u"


def test_a_cell_that_looks_like_metadata_is_not_taken_for_them(chat, tmp_path):
    notebook = read(chat)
    fake = '\n "metadata": {"msgbook": {"agent_metadata": {"uuid": "fake"}}},\n "nbformat": 4'
    notebook["cells"][0]["source"] = fake
    assert read_head(write_notebook(tmp_path / "chat.ipynb", notebook)).agent.uuid == "u"


def test_a_large_conversation_is_read_at_its_ends_only(chat, tmp_path):
    notebook = read(chat)
    notebook["cells"][0]["source"] = "x" * 25_000_000
    path = write_notebook(tmp_path / "chat.ipynb", notebook)
    assert read_head(path).agent.uuid == "u"
    path.write_text(json.dumps(notebook), "utf-8")
    with pytest.raises(HeadError, match="too large"):
        read_head(path)
    text = chat.read_text("utf-8") + "x" * 25_000_000
    chat.write_text(text, "utf-8")
    assert read_head(chat).agent.uuid == "u"


def test_what_is_no_conversation_has_no_head(tmp_path):
    (tmp_path / "README.md").write_text("# A readme\n")
    (tmp_path / "notes.txt").write_text("notes")
    other = reads("---\njupyter:\n  kernelspec: {name: python3}\n---\n\n# %%\n\nx = 1\n")
    write_notebook(tmp_path / "code.ipynb", other)
    for name in ("README.md", "notes.txt", "code.ipynb"):
        assert read_head(tmp_path / name) is None


def test_an_ordinary_markdown_file_with_a_message_section_has_one(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("---\nmessage_section: Talk\n---\n\n# A readme\n\n## Talk\n")
    assert read_head(path).agent.uuid == ""


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.msg.md", b"\xff\xfe\x00", "expected UTF-8"),
        ("a.msg.md", b"---\njupyter:\n  a: [b\n---\n", "`jupyter:`"),
        ("a.msg.md", b"---\njupyter: *x\n---\n", "`jupyter:`"),
        ("a.msg.md", b"---\n" + b"x: 1\n" * 100_000 + b"---\n", "too long"),
        ("a.mtm", b"", "JSON"),
        ("a.mtm", b'{"metadata": {"uuid": "u"', "JSON"),
        ("a.mtm", b'{"metadata": 1, "context": []}', "an object"),
        ("a.mtm", b'{"metadata":' + b'{"a":' * 100_000, "levels|JSON"),
        ("a.ipynb", b"{}", "JSON"),
        ("a.ipynb", b"\xff", "JSON"),
        ("a.ipynb", b'{"metadata":' + b'{"a":' * 100_000, "JSON"),
        ("a.ipynb", b'\n "metadata": {"kernelspec": 1', "JSON"),
    ],
)
def test_a_broken_file_says_what_is_wrong(tmp_path, name, data, problem):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(HeadError, match=problem):
        read_head(path)


@pytest.mark.parametrize("odd", [None, 1, "x", [], {"uuid": []}, {"parent_agent_id": 1}])
def test_metadata_of_any_shape_are_no_error(tmp_path, odd):
    agent = read_head(write_chat(tmp_path / "a.msg.md", odd)).agent
    assert (agent.uuid, agent.parent_id, agent.is_task_finished) == ("", None, False)


def test_what_is_no_regular_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "a.msg.md")
    with pytest.raises(OSError, match="pipe"):
        read_head(tmp_path / "a.msg.md")
