"""A real Jupyter server whose Jupytext is not one that we know."""

from __future__ import annotations

import pytest
from contents_notebooks import (
    CHAT,
    check_that_edited_text_is_not_shown,
    open_notebook,
    said,
    save_notebook,
    turn_output,
)
from contents_server import SYNC, started


@pytest.fixture(scope="module", params=["async", "sync"])
def server(request, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    runtime = tmp_path_factory.mktemp("jupyter")
    (runtime / "CONFIG").mkdir()
    change = "import jupytext\njupytext.__version__ = '99.0'\n"
    (runtime / "CONFIG" / "jupyter_server_config.py").write_text(change)
    options = [] if request.param == "async" else [f"--ServerApp.contents_manager_class={SYNC}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MSGBOOK_NO_AUTOLOAD", "1")
        with started(root, runtime, options) as running:
            yield running


def test_message_files_open_and_are_saved_without_a_pair(server):
    server.write("chat.msg.md", CHAT)

    content = open_notebook(server, "chat.msg.md")
    save_notebook(server, "chat.msg.md", content)
    assert server.read("chat.msg.md").decode() == CHAT
    content["cells"][1]["outputs"] = [turn_output()]
    content["metadata"]["jupytext"] = {"formats": "ipynb,.msg.md:msg"}
    save_notebook(server, "chat.msg.md", content)

    assert said(open_notebook(server, "chat.msg.md")["cells"][1]) == "It is **this**."
    assert not (server.root / "chat.ipynb").exists()
    assert server.get("chat.msg.md", type="file", format="text")["type"] == "file"


def test_what_is_not_utf8_is_neither_opened_nor_overwritten(server):
    server.write("latin.msg.md", b"caf\xe9")
    server.write("chat.msg.md", CHAT)

    for request in (
        lambda: open_notebook(server, "latin.msg.md"),
        lambda: save_notebook(server, "latin.msg.md", open_notebook(server, "chat.msg.md")),
    ):
        with pytest.raises(server.Refused, match="UTF-8"):
            request()
    assert server.read("latin.msg.md") == b"caf\xe9"


def test_a_new_file_is_empty_and_trust_can_be_given(server):
    name = server.post("", {"type": "file", "ext": ".msg.md"})["name"]
    assert open_notebook(server, name)["cells"] == []
    content = {**open_notebook(server, name), "cells": []}
    cell = {"cell_type": "code", "id": "a", "source": "x", "metadata": {}, "execution_count": None}
    content["cells"] = [{**cell, "outputs": [turn_output()]}]
    save_notebook(server, name, content)

    server.post(f"{name}/trust", None)

    assert open_notebook(server, name)["cells"][0]["metadata"]["trusted"]


def test_other_notebooks_are_what_they_were(server):
    made = server.post("", {"type": "notebook"})

    assert made["name"].endswith(".ipynb")
    assert open_notebook(server, made["name"])["nbformat"] == 4


def test_text_beside_a_turn_that_somebody_edited_is_not_shown(server):
    check_that_edited_text_is_not_shown(server)
