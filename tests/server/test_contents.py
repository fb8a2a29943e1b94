"""A real Jupyter server on 127.0.0.1: message files over HTTP."""

from __future__ import annotations

import pytest

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


def test_saving_a_turn_only_inserts_lines(server):
    server.write("run.msg.md", CHAT)

    content = open_notebook(server, "run.msg.md")
    content["cells"][1].update(outputs=[turn_output()], execution_count=1)
    save_notebook(server, "run.msg.md", content)

    inserted = [
        "# %%% [^a-1]", "", '[^a-1]: [assistant] model="m" n=1', "", "It is **this**.", "",
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
    server.write("trust.msg.md", CHAT)
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

    assert server.read("report.md").decode() == f"{text}\n# %% [^q1]\n\n[^q1]: [markdown]\n\nWhy?\n"


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
