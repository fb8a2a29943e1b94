"""The conversations of sub-agents open like any other, and nothing else that is hidden does."""

from __future__ import annotations

import pytest

from msgbook_format.agent_states import mark_running

CHAT = "# %% [^a]\n\n[^a]: [markdown]\n\nHello\n"
FOLDER = ".msgbook/subagents"
PATH = f"{FOLDER}/chat-5f3a90c2.msg.md"


def make(server, path=PATH, text=CHAT):
    file = server.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def is_missing(server, path, **query):
    with pytest.raises(server.Refused) as refused:
        server.get(path, **query)
    return refused.value.status in (400, 403, 404)


@pytest.mark.parametrize("folder", ["", "my project/"])
def test_the_conversation_of_a_sub_agent_opens_and_is_saved(server, folder):
    file = make(server, f"{folder}{PATH}")
    path = f"{folder}{PATH}".replace(" ", "%20")
    model = server.get(path, type="notebook", content=1)
    assert (model["type"], model["writable"]) == ("notebook", True)
    notebook = model["content"]
    notebook["cells"][0]["source"] = "Hello again"

    server.put(path, {"type": "notebook", "format": "json", "content": notebook})

    assert file.read_text() == CHAT.replace("Hello", "Hello again")
    assert server.get(path, content=0)["name"] == file.name
    assert server.get(path, hash=1)["hash"]
    assert server.get(f"{path}/checkpoints") == []


def test_the_file_of_a_running_sub_agent_is_read_only_and_the_refusal_says_why(server, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", server.runtime)
    file = make(server, text="older")
    server.post(f"{PATH}/checkpoints", {})
    make(server)
    with mark_running(file, "u", writes=True):
        model = server.get(PATH, type="notebook", content=1)
        assert model["writable"] is False
        saved = {"type": "notebook", "format": "json", "content": model["content"]}
        with pytest.raises(server.Refused, match="sub-agent runs") as refused:
            server.put(PATH, saved)
        assert refused.value.status == 409
        with pytest.raises(server.Refused, match="sub-agent runs"):
            server.post(f"{PATH}/checkpoints/checkpoint", {})
        assert file.read_text() == CHAT
    assert server.get(PATH, content=0)["writable"] is True
    server.put(PATH, saved)


@pytest.mark.parametrize(
    "path",
    [
        ".msgbook",
        FOLDER,
        ".msgbook/config.toml",
        ".msgbook/x.msg.md",
        f"{FOLDER}/x.txt",
        f"{FOLDER}/x.md",
        f"{FOLDER}/.x.msg.md",
        f"{FOLDER}/deep/x.msg.md",
        f"{FOLDER}/x.msg.md/x.msg.md",
        ".git/.msgbook/subagents/x.msg.md",
        "a/.b/.msgbook/subagents/x.msg.md",
        ".msgbook/other/x.msg.md",
        ".other/subagents/x.msg.md",
    ],
)
def test_nothing_else_that_is_hidden_can_be_reached(server, path):
    file = server.root / path
    if file.name.endswith((".md", ".toml", ".txt")) and "x.msg.md/" not in path:
        make(server, path)
    else:
        make(server)
    assert is_missing(server, path)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    before = file.read_text() if file.is_file() else None
    with pytest.raises(server.Refused):
        server.put(path, {"type": "notebook", "format": "json", "content": notebook})
    assert (file.read_text() if file.is_file() else None) == before


@pytest.mark.parametrize(
    "path",
    [
        f"{FOLDER}/../x.msg.md",
        f"{FOLDER}/%2e%2e/x.msg.md",
        f"{FOLDER}/..%2fx.msg.md",
        f"{FOLDER}/%2e%2e%2fsubagents%2f..%2fx.msg.md",
        f".msgbook/subagents/../../.hidden/{FOLDER}/x.msg.md",
        f"sub/../.hidden/{FOLDER}/x.msg.md",
        f".hidden/../.hidden/{FOLDER}/x.msg.md",
        ".MSGBOOK/subagents/x.msg.md",
        ".msgbook/SUBAGENTS/x.msg.md",
        f"{FOLDER}/..%5cx.msg.md",
        f"{FOLDER}/x.msg.md%00",
    ],
)
def test_tricks_with_paths_reach_nothing(server, path):
    (server.root / "sub").mkdir()
    for secret in ("x.msg.md", ".msgbook/x.msg.md", f".hidden/{FOLDER}/x.msg.md"):
        make(server, secret)
    if path == f"{FOLDER}/../x.msg.md":
        (server.root / "x.msg.md").unlink()
    assert is_missing(server, path)


def test_links_are_not_followed(server):
    secret = make(server, ".secret/a.msg.md")
    (server.root / FOLDER).mkdir(parents=True)
    (server.root / PATH).symlink_to(secret)
    assert is_missing(server, PATH)
    make(server, ".real/subagents/b.msg.md")
    for name, link, target in (
        ("one", ".msgbook", server.root / ".real"),
        ("two", FOLDER, server.root / ".real" / "subagents"),
    ):
        place = server.root / name / link
        place.parent.mkdir(parents=True)
        place.symlink_to(target, target_is_directory=True)
        assert is_missing(server, f"{name}/{FOLDER}/b.msg.md")


def test_nothing_is_made_moved_or_deleted_there(server):
    file = make(server)
    make(server, "open.msg.md")
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    new = {"type": "notebook", "format": "json", "content": notebook}
    for attempt in (
        lambda: server.put(f"{FOLDER}/new.msg.md", new),
        lambda: server.delete(PATH),
        lambda: server.patch(PATH, {"path": "elsewhere.msg.md"}),
        lambda: server.patch("open.msg.md", {"path": f"{FOLDER}/moved.msg.md"}),
    ):
        with pytest.raises(server.Refused):
            attempt()
    assert list((server.root / FOLDER).iterdir()) == [file]
    assert (server.root / "open.msg.md").exists()
