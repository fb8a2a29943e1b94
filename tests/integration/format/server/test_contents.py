"""A real Jupyter server on 127.0.0.1: message files over HTTP."""

from __future__ import annotations

import os

import pytest
from contents_notebooks import check_that_edited_text_is_not_shown

CHAT = """\
---
# mine
agents: {}
---

##  %% not a marker

## %%  Hello [^a]
[^a]:  [markdown]   weight=2

What is this?


# %% [^b]

[^b]: [markdown]

And that?
"""

TURN = {
    "version": 1,
    "status": "done",
    "agent": "assistant",
    "model": "m",
    "blocks": [{"type": "text", "step": 1, "text": "It is **this**."}],
}


def turn_output():
    data = {"application/vnd.msgbook.turn+json": TURN, "text/markdown": "x", "text/plain": "x"}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def open_notebook(server, name):
    return server.get(name, type="notebook", content=1)["content"]


def save_notebook(server, name, content):
    return server.put(name, {"type": "notebook", "format": "json", "content": content})


def test_a_message_file_opens_as_a_notebook_on_our_kernel(server):
    server.write("hello.msg.md", CHAT)

    model = server.get("hello.msg.md", content=1)

    assert model["type"] == "notebook"
    assert model["content"]["metadata"]["kernelspec"]["name"] == "msgbook"
    assert [cell["source"] for cell in model["content"]["cells"][1:]] == [
        "What is this?",
        "And that?",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "no marker at all", CHAT, CHAT.replace("\n", "\r\n"), "---\na: [\n---\nHi\n"],
)
def test_opening_and_saving_changes_no_byte(server, text):
    server.write("same.msg.md", text)

    content = open_notebook(server, "same.msg.md")
    if not content["cells"]:
        # What JupyterLab does with a notebook without cells.
        blank = {"cell_type": "code", "id": "0", "source": "", "outputs": []}
        content["cells"] = [{**blank, "execution_count": None, "metadata": {"trusted": True}}]
    save_notebook(server, "same.msg.md", content)

    assert server.read("same.msg.md") == text.encode()


@pytest.mark.smoke
def test_saving_a_turn_only_inserts_lines(server):
    server.write("run.msg.md", CHAT)

    content = open_notebook(server, "run.msg.md")
    content["cells"][1].update(outputs=[turn_output()], execution_count=1)
    save_notebook(server, "run.msg.md", content)

    inserted = [
        "## %%% [^a-1]", "", '[^a-1]: [assistant] model="m" n=1', "", "It is **this**.", "",
    ]  # fmt: skip
    before, after = CHAT.split("\n"), server.read("run.msg.md").decode().split("\n")
    place = before.index("# %% [^b]")
    assert after == before[:place] + inserted + before[place:]
    read = open_notebook(server, "run.msg.md")["cells"][1]["outputs"]
    assert read[0]["data"]["application/vnd.msgbook.turn+json"] == TURN


def test_what_is_not_utf8_is_neither_opened_nor_overwritten(server):
    data = b"# %% [^a]\n\ncaf\xe9\n"
    server.write("latin.msg.md", data)

    for request in (
        lambda: server.get("latin.msg.md", content=1),
        lambda: save_notebook(server, "latin.msg.md", open_notebook(server, "other.msg.md")),
        lambda: server.put("latin.msg.md", {"type": "file", "format": "text", "content": "x"}),
    ):
        server.write("other.msg.md", CHAT)
        with pytest.raises(server.Refused) as refused:
            request()
        assert refused.value.status == 400
        assert "latin.msg.md" in refused.value.message
        assert "UTF-8" in refused.value.message
    assert server.read("latin.msg.md") == data


@pytest.mark.parametrize("name", ["pipe.msg.md", "device.md"])
def test_what_is_no_regular_file_is_not_waited_for(server, name):
    if name.startswith("pipe"):
        os.mkfifo(server.root / name)
    else:
        (server.root / name).symlink_to("/dev/zero")

    with pytest.raises(server.Refused, match="expected a regular file") as raised:
        server.get(name, content=1)

    (server.root / name).unlink()
    assert raised.value.status == 400


@pytest.mark.parametrize(
    ("kind", "ext"), [("notebook", ".msg.md"), ("notebook", ".msg.md:msg"), ("file", ".msg.md")]
)
def test_a_new_message_file_is_empty_and_opens_as_a_notebook(server, kind, ext):
    model = server.post("", {"type": kind, "ext": ext})

    assert model["name"].endswith(".msg.md")
    assert server.read(model["name"]) == b""
    assert open_notebook(server, model["name"])["cells"] == []


def test_rename_and_checkpoint_keep_the_text(server):
    server.write("old.msg.md", CHAT)

    checkpoint = server.post("old.msg.md/checkpoints", {})
    server.patch("old.msg.md", {"path": "new.msg.md"})
    save_notebook(server, "new.msg.md", open_notebook(server, "new.msg.md"))

    assert checkpoint["id"]
    assert server.read("new.msg.md") == CHAT.encode()


def test_trust_is_given_by_the_person_and_lost_with_another_output(server):
    # Words of its own: what another test signed is trusted in any file.
    server.write("trust.msg.md", CHAT.replace("What is this?", "Whom do I trust?"))
    content = open_notebook(server, "trust.msg.md")
    content["cells"][1]["outputs"] = [turn_output()]
    content["cells"][1]["metadata"].pop("trusted", None)
    save_notebook(server, "trust.msg.md", content)

    def trusted():
        return open_notebook(server, "trust.msg.md")["cells"][1]["metadata"].get("trusted")

    assert not trusted()
    server.post("trust.msg.md/trust", None)
    assert trusted()
    server.write("trust.msg.md", server.read("trust.msg.md").replace(b"**this**", b"**that**"))
    assert not trusted()


def test_an_ordinary_markdown_file_with_a_section_keeps_its_text(server):
    text = "---\nmessage_section: true\n---\n\n# Report\n\n## Discussion\n"
    server.write("report.md", text)

    content = open_notebook(server, "report.md")
    assert content["cells"] == []
    prompt = {"cell_type": "code", "id": "q1", "source": "Why?", "outputs": []}
    content["cells"] = [{**prompt, "execution_count": None, "metadata": {}}]
    save_notebook(server, "report.md", content)

    assert (
        server.read("report.md").decode() == f"{text}\n### %% [^q1]\n\n[^q1]: [markdown]\n\nWhy?\n"
    )


def test_other_markdown_files_stay_jupytexts(server):
    text = "# Read me\n\n```python\n# %% a cell\n```\n"
    server.write("README.md", text)

    save_notebook(server, "README.md", open_notebook(server, "README.md"))

    assert b"[^" not in server.read("README.md")


def test_a_pair_takes_the_newest_file_with_its_outputs(server):
    server.write("pair.msg.md", CHAT)
    content = open_notebook(server, "pair.msg.md")
    content["metadata"]["jupytext"] = {"formats": "ipynb,.msg.md:msg"}
    content["cells"][1]["outputs"] = [turn_output()]
    save_notebook(server, "pair.msg.md", content)
    assert (server.root / "pair.ipynb").exists()

    server.write("pair.msg.md", server.read("pair.msg.md").replace(b"**this**", b"**edited**"))
    cell = open_notebook(server, "pair.ipynb")["cells"][1]

    blocks = cell["outputs"][0]["data"]["application/vnd.msgbook.turn+json"]["blocks"]
    assert blocks[0]["text"] == "It is **edited**."


def files(server):
    names = (path.relative_to(server.root) for path in server.root.rglob("*"))
    return {str(name) for name in names if ".ipynb_checkpoints" not in name.parts}


def with_jupytext(value, *, section=False):
    section = "message_section: true\n" if section else ""
    body = "\n## Discussion\n" if section else ""
    return f"---\n{section}jupyter:\n  jupytext: {value}\n---\n{body}\n# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"


@pytest.mark.parametrize(
    "value",
    [
        '{formats: ".msg.md:msg,py:percent"}',
        '{formats: "ipynb,.msg.md:msg,py:percent"}',
        '{formats: ".msg.md:msg,.ipython/profile_default/startup//py:percent"}',
        '{formats: ".msg.md:msg,down/.msg.md:msg"}',
        '{formats: ".msg.md:msg,md:markdown"}',
        '{formats: "ipynb,py:percent"}',
        "{formats: [.msg.md:msg, py:percent]}",
        "{formats: 5}",
        '{formats: "md:markdown"}',
        "{text_representation: 5, notebook_metadata_filter: 5}",
        "{text_representation: {extension: .md, format_name: markdown, format_version: '1.3'}}",
        "5",
        '{}\n  jupytext_formats: ".msg.md:msg,py:percent"',
        '{}\n  nbrmd_formats: ".msg.md:msg,py:percent"\n  main_language: 5',
    ],
)
@pytest.mark.parametrize("name", ["conftest.msg.md", "conftest.md"])
def test_a_message_file_names_no_other_files_to_write(server, name, value):
    text = with_jupytext(value, section=name == "conftest.md")
    server.write(name, text)
    server.write("conftest.py", "mine")
    before = files(server)

    content = open_notebook(server, name)
    save_notebook(server, name, content)
    assert server.read(name).decode() == text
    content["cells"][-1]["source"] = "Changed"
    save_notebook(server, name, content)

    assert server.read("conftest.py") == b"mine"
    assert files(server) - before <= {"conftest.ipynb"}
    assert server.read(name).decode() == text.replace("\nHi\n", "\nChanged\n")


def test_what_a_file_says_to_jupytext_survives_a_change_of_its_pair(server):
    server.write("a.msg.md", with_jupytext('{formats: "py:percent", other: 1}'))
    content = open_notebook(server, "a.msg.md")

    content["metadata"]["jupytext"]["formats"] = "ipynb,.msg.md:msg"
    save_notebook(server, "a.msg.md", content)

    text = server.read("a.msg.md").decode()
    assert text.startswith(
        '---\njupyter:\n  jupytext:\n    formats: "ipynb,.msg.md:msg"\n    other: 1\n---\n'
    )
    assert open_notebook(server, "a.ipynb")["cells"][0]["source"] == "Hi"


def test_the_configuration_of_jupytext_does_not_reach_the_text(server):
    server.write("jupytext.toml", 'notebook_metadata_filter = "-all"\ncomment_magics = true\n')
    server.write("plain.msg.md", CHAT)
    server.write("paired.msg.md", with_jupytext('{formats: "ipynb,.msg.md:msg"}'))

    for name in ("plain.msg.md", "paired.msg.md", "paired.msg.md"):
        save_notebook(server, name, open_notebook(server, name))
    save_notebook(server, "paired.ipynb", open_notebook(server, "paired.ipynb"))

    assert server.read("plain.msg.md") == CHAT.encode()
    assert server.read("paired.msg.md").decode() == with_jupytext('{formats: "ipynb,.msg.md:msg"}')


def test_frontmatter_edited_in_the_text_of_a_pair_is_kept(server):
    text = "---\n# old\n" + with_jupytext('{formats: "ipynb,.msg.md:msg"}').removeprefix("---\n")
    server.write("pair.msg.md", text)
    save_notebook(server, "pair.msg.md", open_notebook(server, "pair.msg.md"))
    edited = server.read("pair.msg.md").decode().replace("# old", "# new")
    server.write("pair.msg.md", edited)

    save_notebook(server, "pair.msg.md", open_notebook(server, "pair.msg.md"))

    assert server.read("pair.msg.md").decode() == edited


WHOLE = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
CELL = {"cell_type": "code", "id": "a", "source": "x", "metadata": {}, "outputs": []}


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "content"),
        ([], "content"),
        ({}, "nbformat"),
        ({"cells": []}, "nbformat"),
        ({**WHOLE, "nbformat": 3}, "nbformat"),
        ({**WHOLE, "nbformat_minor": "5"}, "nbformat_minor"),
        ({**WHOLE, "metadata": None}, "metadata"),
        ({**WHOLE, "metadata": {"jupytext": 5}}, "jupytext"),
        ({**WHOLE, "metadata": {"jupytext": {"formats": 5}}}, "formats"),
        ({**WHOLE, "cells": {}}, "cells"),
        ({**WHOLE, "cells": [5]}, "cells[0]"),
        ({**WHOLE, "cells": [CELL, {**CELL, "metadata": None}]}, "cells[1].metadata"),
        ({**WHOLE, "cells": [{"metadata": {}}]}, "cells[0].cell_type"),
    ],
)
def test_a_broken_notebook_is_refused_with_what_is_missing(server, content, word):
    server.write("a.msg.md", CHAT)

    with pytest.raises(server.Refused) as refused:
        save_notebook(server, "a.msg.md", content)

    assert refused.value.status == 400
    assert word in refused.value.message
    assert server.read("a.msg.md") == CHAT.encode()


@pytest.mark.parametrize(
    "odd",
    [
        {"cell_type": "code", "metadata": {}},
        {**CELL, "outputs": 5},
        {**CELL, "outputs": [5]},
        {**CELL, "outputs": [{"data": 5}]},
        {**CELL, "source": "\ud800"},
        {**CELL, "cell_type": "novel"},
        {**CELL, "source": None, "execution_count": "x"},
    ],
)
def test_cells_that_nbformat_cannot_write_are_saved_and_opened_again(server, odd):
    save_notebook(server, "odd.msg.md", {**WHOLE, "cells": [odd, CELL]})

    cell = open_notebook(server, "odd.msg.md")["cells"][0]

    for key in ("trusted", "msgbook"):
        cell["metadata"].pop(key, None)
    assert {key: cell[key] for key in odd} == odd


def test_a_request_without_a_type_is_refused(server):
    server.write("a.msg.md", CHAT)

    with pytest.raises(server.Refused, match="type"):
        server.put("a.msg.md", {"content": "x"})

    assert server.read("a.msg.md") == CHAT.encode()


def chunk(number, content):
    return {"type": "file", "format": "text", "chunk": number, "content": content}


def test_an_upload_in_chunks_needs_its_first_one(server):
    data = b"# %% [^a]\n\ncaf\xe9\n"
    server.write("latin.msg.md", data)
    content = {**WHOLE, "cells": []}

    for model in (
        chunk(1, "x"),
        chunk(2, "x"),
        chunk(-1, "x"),
        {"type": "notebook", "format": "json", "chunk": 2, "content": content},
    ):
        with pytest.raises(server.Refused) as refused:
            server.put("latin.msg.md", model)
        assert refused.value.status == 400
    assert server.read("latin.msg.md") == data

    for number, text in ((1, "# %%\n"), (2, "\nHi"), (-1, "!\n")):
        server.put("new.msg.md", chunk(number, text))
    with pytest.raises(server.Refused):
        server.put("new.msg.md", chunk(-1, "more"))
    assert server.read("new.msg.md") == b"# %%\n\nHi!\n"


def test_outputs_that_the_person_ran_stay_trusted(server):
    html = {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}, "metadata": {}}
    server.write("run.msg.md", CHAT)
    content = open_notebook(server, "run.msg.md")
    for cell in content["cells"][1:]:
        cell["metadata"]["trusted"] = True
    content["cells"][1]["outputs"] = [html, turn_output()]
    content["cells"].append({**CELL, "id": "blank", "source": "", "execution_count": None})
    save_notebook(server, "run.msg.md", content)

    opened = open_notebook(server, "run.msg.md")

    assert opened["cells"][1]["metadata"]["trusted"]
    assert len(opened["cells"]) == 3


def test_text_beside_a_turn_that_somebody_edited_is_not_shown(server):
    check_that_edited_text_is_not_shown(server)


def test_opening_a_chat_runs_no_configuration_of_jupytext_in_its_folder(server):
    server.write("hello.msg.md", CHAT)
    ran = server.root / "ran"
    server.write(".jupytext.py", f"open({str(ran)!r}, 'w').close()\n")

    content = open_notebook(server, "hello.msg.md")
    save_notebook(server, "hello.msg.md", content)

    assert not ran.exists()
