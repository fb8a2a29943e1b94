"""`msgbook convert`, and the other verbs on `.mtm` files."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from agent_chat_file import (
    FIXTURES,
    chat,  # noqa: F401 - fixtures
)
from command import with_settings
from scripted_server import call, text

from msgbook.__main__ import main
from msgbook_format import read, reads, writes
from msgbook_format.turn import bundle

CHATS = sorted(FIXTURES.glob("*.mtm"))
BROKEN = '{"metadata": {}, "context": [{"role": "user"}, {"role": "robot"}]}'


@pytest.mark.parametrize("between", ["chat.msg.md", "chat.ipynb", "chat.mutsumi-notebook"])
@pytest.mark.parametrize("original", CHATS, ids=lambda path: path.name)
def test_a_file_is_the_same_json_after_any_other_form(tmp_path, original, between, capsys):
    other, back = tmp_path / between, tmp_path / "back.mtm"

    assert main(["convert", str(original), str(other)]) == 0
    assert main(["convert", str(other), str(back)]) == 0

    assert capsys.readouterr().out.splitlines() == [str(other), str(back)]
    assert json.loads(back.read_bytes()) == json.loads(original.read_bytes())


def test_force_replaces_a_conversation_and_keeps_the_spelling_of_what_is_the_same(chat):
    before = chat.read_bytes()
    assert main(["convert", "chat.mtm", "chat.msg.md"]) == 0
    assert main(["convert", "chat.msg.md", "chat.mtm"]) == 2
    assert main(["convert", "chat.msg.md", "chat.mtm", "--force"]) == 0
    assert chat.read_bytes() == before

    text_file = Path("chat.msg.md")
    text_file.write_text(text_file.read_text("utf-8").replace("One line.", "1 line."), "utf-8")
    assert main(["convert", "chat.msg.md", "chat.mtm", "--force"]) == 0

    assert chat.read_bytes() == before.replace(b"One line.", b"1 line.")


def test_force_keeps_the_frontmatter_of_the_text_that_it_replaces(chat):
    Path("notes.msg.md").write_text("---\n# mine\ntopic: x\n---\n\n# %%\n\nold\n")

    assert main(["convert", "chat.mtm", "notes.msg.md", "--force"]) == 0

    written = Path("notes.msg.md").read_text("utf-8")
    assert written.startswith("---\n# mine\ntopic: x\n")
    assert "One line." in written
    assert "old" not in written


def test_any_conversation_can_be_an_mtm_and_come_back(tmp_path):
    original = """\
---
agents:
  reviewer: {models: m}
---

# %% Title [^one]

[^one]: [markdown] agent=reviewer history=exclude

Look.

# %%% [^one-1]

[^one-1]: [reviewer] time="2026-11-20T10:00:00Z" model="m" turn_duration=4s input_tokens=3

Found.

# %%% [^one-2]

[^one-2]: [notice] level=info

A notice.

# %% [^py]

[^py]: [code]

```python
print(1)
```

# %%% [^py.1]

[^py.1]: [code] n=2

stdout> 1

# %% [^note]

[^note]: [markdown] cell=markdown

A note.

# %% [^raw]

[^raw]: [raw]

{raw}

# %% [^said]

[^said]: [markdown] cell=markdown role=assistant

I said so.
"""
    (tmp_path / "a.msg.md").write_text(original)

    assert main(["convert", str(tmp_path / "a.msg.md"), str(tmp_path / "b.mtm")]) == 0
    assert main(["convert", str(tmp_path / "b.mtm"), str(tmp_path / "c.msg.md")]) == 0

    context = json.loads((tmp_path / "b.mtm").read_text("utf-8"))
    assert context["metadata"]["name"] == "b"
    assert context["metadata"]["parent_agent_id"] is None
    assert context["metadata"]["allowed_uris"] == [tmp_path.as_uri()]
    first, second = read(tmp_path / "a.msg.md"), read(tmp_path / "c.msg.md")
    assert [dict(cell) for cell in without_text(second)] == [
        dict(cell) for cell in without_text(first)
    ]
    assert second.metadata.msgbook.frontmatter == first.metadata.msgbook.frontmatter


def test_a_new_mtm_has_an_id_a_name_a_time_no_parent_and_its_folder(tmp_path):
    (tmp_path / "a.msg.md").write_text("# %%\n\nHi\n")

    assert main(["convert", str(tmp_path / "a.msg.md"), str(tmp_path / "b.mtm")]) == 0
    assert main(["convert", str(tmp_path / "a.msg.md"), str(tmp_path / "c.mtm")]) == 0

    first, second = (
        json.loads((tmp_path / name).read_bytes())["metadata"] for name in ("b.mtm", "c.mtm")
    )
    assert first.keys() == {"uuid", "name", "created_at", "parent_agent_id", "allowed_uris"}
    assert str(UUID(first["uuid"])) == first["uuid"] != second["uuid"]
    assert (first["name"], first["parent_agent_id"]) == ("b", None)
    assert datetime.fromisoformat(first["created_at"]).utcoffset() == timedelta(0)
    assert first["allowed_uris"] == [tmp_path.as_uri()]


def without_text(notebook):
    for cell in notebook.cells:
        ours = cell.metadata.pop("msgbook", {})
        ours.pop("text", None)
        if ours:
            cell.metadata["msgbook"] = ours
    return notebook.cells


def test_run_answers_the_last_prompt_and_adds_only_its_messages(server, chat):
    server.answers = [call("glob", {"pattern": "*.py"}), text("Nothing.")]
    before = json.loads(chat.read_bytes())

    assert with_settings(server, main, ["run", "chat.mtm"]) == 0

    after = json.loads(chat.read_bytes())
    count = len(before["context"])
    added = after["context"][count:]
    assert [message["role"] for message in added] == ["assistant", "tool", "assistant"]
    assert added[0]["tool_calls"][0]["function"]["name"] == "glob"
    assert added[1]["tool_call_id"] == added[0]["tool_calls"][0]["id"]
    assert added[2] == {"role": "assistant", "content": "Nothing."}
    turn = after["context"][count - 1].pop("metadata")["msgbook"]["cell"]["turn"]
    assert turn["status"] == "done"
    assert after["metadata"].pop("file") == "chat.mtm"
    assert {**after, "context": after["context"][:count]} == before


def test_the_messages_of_a_file_are_sent_as_they_are(server, chat):
    server.answers = [text("It is.")]

    assert with_settings(server, main, ["chat", "chat.mtm", "%and now?", "--continue"]) == 0

    sent = server.messages(0)
    assert [message["role"] for message in sent] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user", "user", "user",
    ]  # fmt: skip
    calls = sent[2]["tool_calls"]
    assert [c["function"]["name"] for c in calls] == ["read", "glob"]
    assert [m["tool_call_id"] for m in sent[3:5]] == [c["id"] for c in calls]
    assert [m["content"] for m in sent[-3:]] == [
        "%time is not a magic here",
        "!ls is no command",
        "%and now?",
    ]
    assert json.loads(chat.read_bytes())["context"][-2]["content"] == "%and now?"


@pytest.mark.parametrize("original", CHATS, ids=lambda path: path.name)
def test_every_request_is_valid(server, tmp_path, original):
    chat = tmp_path / "chat.mtm"
    chat.write_bytes(original.read_bytes())
    server.answers = [text("ok")]

    assert with_settings(server, main, ["chat", str(chat), "Go on", "--continue"]) == 0

    sent = server.messages(0)
    open_calls: list[str] = []
    for message in sent:
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_calls
            open_calls.remove(message["tool_call_id"])
        else:
            assert open_calls == []
        open_calls += [c["id"] for c in message.get("tool_calls", ())]
        assert message.get("content") or message.get("tool_calls")
    assert open_calls == []


@pytest.mark.parametrize(
    "argv",
    [
        ["list", "chat.mtm"],
        ["run", "chat.mtm"],
        ["preview", "chat.mtm"],
        ["check", "chat.mtm"],
        ["chat", "chat.mtm", "Hi", "--continue"],
        ["fork", "chat.mtm", "--at", "one"],
        ["convert", "chat.mtm", "other.msg.md"],
        ["convert", "good.mtm", "chat.mtm", "--force"],
    ],
)
def test_a_broken_file_is_refused_and_stays(chat, argv, capsys):
    chat.rename("good.mtm")
    chat.write_text(BROKEN)

    assert main(argv) == 2

    complaint = capsys.readouterr().err
    assert "chat.mtm: expected one of system, user, assistant, tool" in complaint
    assert "context[1].role" in complaint
    assert chat.read_text() == BROKEN
    assert not Path("other.msg.md").exists()


def test_check_says_how_to_convert_an_mtm(chat, capsys):
    assert main(["check", "chat.mtm"]) == 2

    assert "`msgbook convert chat.mtm chat.msg.md`" in capsys.readouterr().err


TEAM = {
    "uuid": "u",
    "name": "Count",
    "created_at": "2026-01-15T10:30:00.000Z",
    "parent_agent_id": "p",
    "allowed_uris": ["src"],
    "allowed_tools": ["read"],
    "is_task_finished": True,
    "parent": {"file": "chat.msg.md", "call": "call_9", "agents": ["assistant"]},
    "file": ".msgbook/subagents/chat-1.msg.md",
}
ROW = {"uuid": "c", "name": "Look", "file": "chat-2.msg.md", "status": "done", "steps": 2}


def team_notebook():
    """A sub-agent's conversation: it has started another one, and a tool of its failed."""
    blocks = [
        {"type": "tool_call", "step": 1, "id": "call_1", "nonce": "5f3a90c2", "name": "read",
         "arguments": '{"path": "gone"}', "approval": "auto"},
        {"type": "tool_result", "step": 1, "id": "call_1", "status": "error", "content": "No such file."},
        {"type": "tool_call", "step": 2, "id": "call_2", "nonce": "5f3a90c3", "name": "dispatch_subagents",
         "arguments": "{}", "approval": "user"},
        {"type": "tool_result", "step": 2, "id": "call_2", "status": "success", "content": "Two lines.",
         "agents": [ROW]},
        {"type": "text", "step": 3, "text": "Two."},
    ]  # fmt: skip
    turn = {"version": 1, "status": "done", "agent": "assistant", "blocks": blocks}
    notebook = reads("# %% [^a]\n\n[^a]: [markdown]\n\nCount the lines.\n")
    notebook["metadata"]["msgbook"] = {"agent_metadata": TEAM}
    data = bundle(turn)
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    notebook["cells"][0]["outputs"] = [output]
    return notebook


@pytest.mark.parametrize("between", [".mtm", ".ipynb", ".mutsumi-notebook"])
def test_a_sub_agents_state_results_and_own_sub_agents_survive_there_and_back(tmp_path, between):
    original = tmp_path / "team.msg.md"
    original.write_text(writes(team_notebook()), "utf-8")
    other, back = tmp_path / f"other{between}", tmp_path / "back.msg.md"

    assert main(["convert", str(original), str(other)]) == 0
    assert main(["convert", str(other), str(back)]) == 0

    assert back.read_text("utf-8") == original.read_text("utf-8")
    agent = read(back)["metadata"]["msgbook"]["agent_metadata"]
    assert agent == TEAM


def test_an_agents_file_has_the_metadata_of_a_sub_agent_where_the_seed_has_them(tmp_path):
    original = tmp_path / "team.msg.md"
    original.write_text(writes(team_notebook()), "utf-8")
    path = tmp_path / "team.mtm"

    assert main(["convert", str(original), str(path)]) == 0

    context = json.loads(path.read_bytes())
    assert context["metadata"] == TEAM
    assert [message["role"] for message in context["context"]] == [
        "user", "assistant", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    results = [message for message in context["context"] if message["role"] == "tool"]
    assert [result["content"] for result in results] == ["No such file.", "Two lines."]
    assert not any("agents" in result for result in results)
