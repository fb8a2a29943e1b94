"""A page gets the list of `msgbook agents` from the server, without a kernel."""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack

import pytest

from msgbook_format.agent_states import mark_running

HEAD = """---
jupyter:
  kernelspec: {{display_name: Chat (msgbook), language: msgbook, name: msgbook}}
  msgbook:
    agent_metadata: {{uuid: "{uuid}", name: "{name}", parent_agent_id: {parent}}}
---

# %% [^a]

[^a]: [markdown]

{prompt}
"""


def make(server, path, uuid, *, parent="null", prompt="Hello"):
    file = server.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD.format(uuid=uuid, name=uuid, parent=parent, prompt=prompt))
    return file


def ask(server, folder=""):
    query = urllib.parse.urlencode({"folder": folder})
    return json.loads(server.send("GET", f"msgbook/agents?{query}"))


def agents_of(server, folder=""):
    return ask(server, folder)["agents"]


def test_the_agents_of_a_folder_are_a_tree_with_paths_on_the_server(server):
    make(server, "work/chat.msg.md", "mother")
    make(
        server,
        "work/.msgbook/subagents/chat-1.msg.md",
        "subagent",
        parent="mother",
        prompt="Read the parser",
    )
    make(server, "work/deep/other.msg.md", "other")

    mother, subagent = agents_of(server, "work")

    assert (mother["path"], mother["depth"], mother["status"]) == ("work/chat.msg.md", 0, "standby")
    assert (subagent["path"], subagent["depth"]) == ("work/.msgbook/subagents/chat-1.msg.md", 1)
    assert (subagent["prompt"], subagent["parentId"]) == ("Read the parser", "mother")
    assert [agent["path"] for agent in agents_of(server, "work/deep")] == ["work/deep/other.msg.md"]


def test_what_runs_is_running(server, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", server.runtime)
    with mark_running(make(server, "chat.msg.md", "u"), "u"):
        assert agents_of(server)[0]["isRunning"] is True
    assert agents_of(server)[0]["isRunning"] is False


def test_folders_of_the_server_where_something_runs_are_named(server, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", server.runtime)
    files = [
        make(server, path, path)
        for path in ("a/b/one.msg.md", "c/.msgbook/subagents/two.msg.md", ".secret/three.msg.md")
    ]
    files.append(make(server, "../beside.msg.md", "beside"))
    with ExitStack() as running:
        for file in files:
            running.enter_context(mark_running(file.resolve(), file.name))
        assert ask(server)["running"] == ["a/b", "c"]
    assert ask(server)["running"] == []


@pytest.fixture
def project_above(server):
    """The folder of sub-agents of a project that begins above the server's folder."""
    below = server.root.resolve().parent / ".msgbook" / "subagents"
    below.mkdir(parents=True)
    yield below
    shutil.rmtree(below.parent)


def test_sub_agents_above_the_servers_folder_are_told_by_their_place_on_the_disk(
    server, project_above
):
    make(server, "work/chat.msg.md", "mother")
    file = make(server, project_above / "chat-1.msg.md", "subagent", parent="mother")
    make(server, project_above / "strange-1.msg.md", "strange", parent="unknown")

    mother, subagent = agents_of(server, "work")

    assert (mother["path"], mother["outside"]) == ("work/chat.msg.md", None)
    assert (subagent["path"], subagent["outside"], subagent["depth"]) == (None, str(file), 1)
    for path in ("../.msgbook/subagents/chat-1.msg.md", str(file)):
        with pytest.raises(server.Refused):
            server.get(urllib.parse.quote(path, safe=""))


@pytest.mark.parametrize("what", ["a nearer project", "a link"])
def test_what_is_not_the_project_of_the_folder_is_not_read(what, server, project_above):
    make(server, "work/chat.msg.md", "mother")
    make(server, project_above / "chat-1.msg.md", "subagent", parent="mother")
    if what == "a link":
        project_above.rename(project_above.with_name("elsewhere"))
        project_above.symlink_to("elsewhere")
    else:
        (server.root / ".msgbook").mkdir()

    assert [agent["name"] for agent in agents_of(server, "work")] == ["mother"]


@pytest.mark.parametrize("folder", ["nothing", ".hidden", "../", "a\0b", ".msgbook/subagents"])
def test_what_is_no_folder_of_the_server_is_refused(server, folder):
    make(server, ".hidden/chat.msg.md", "u")
    make(server, ".msgbook/subagents/chat-1.msg.md", "u")
    with pytest.raises(server.Refused) as refused:
        agents_of(server, folder)
    assert refused.value.status in (400, 404)


def test_who_is_not_known_gets_nothing(server):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{server.url}msgbook/agents", timeout=300)
    with refused.value as error:
        assert error.code == 403
