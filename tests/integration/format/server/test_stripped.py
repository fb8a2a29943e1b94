"""Pairs whose `.ipynb` is newer and has lost `metadata.msgbook` to a tool that strips metadata."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import nbformat
import pytest

ABOVE = "# Report\n\nMy prose,   spaced.\n\n\n## Log\n\n\n"
TEXT = """\
---
# mine,   spaced
SECTION
agents: {b:  {models: [m]}}
default_agent: b
jupyter:
  jupytext:
    formats: "ipynb,FORMAT"
---


ABOVE\
## %%  A title [^a]
[^a]:  [markdown]   history="none" weight=2

Who is this?

# %%% [^a-1]

[^a-1]: [assistant] model="m"

It is **this**.

# %% [^c]

[^c]: [code]

Let me add.

```py
1 + 1
```

And say it.
"""
PAIRS = [
    ("a.msg.md", ".msg.md:msg", TEXT.replace("SECTION\n", "").replace("ABOVE", "")),
    ("a.md", "md:msg", TEXT.replace("SECTION", "message_section: Log").replace("ABOVE", ABOVE)),
]


@pytest.fixture(params=PAIRS, ids=["msg.md", "md"])
def pair(request):
    """Name of a text that is paired, and the text."""
    name, fmt, text = request.param
    return name, text.replace("FORMAT", fmt)


@pytest.fixture
def jupytext(fork_server, tmp_path):
    def run(command):
        code = "from msgbook_format.jupytext_plugin import main; import sys; sys.exit(main(sys.argv[1:]))"
        done = fork_server.run(code, *command.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    return run


def strip(folder, name, *, cells=False, edit=("Who", "What"), keep=()):
    """What such a tool leaves of `a.ipynb`, which is newer than the text `name` then."""
    path = folder / "a.ipynb"
    notebook = json.loads(path.read_text().replace(*edit))
    nodes = [notebook, *(notebook["cells"] if cells else [])]
    for node in nodes:
        ours = node["metadata"].pop("msgbook", {})
        kept = {key: value for key, value in ours.items() if key in keep}
        node["metadata"] |= {"msgbook": kept} if kept else {}
    path.write_text(json.dumps(notebook))
    os.utime(folder / name, (1, 1))


@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("target", ["a.ipynb", "text"])
def test_a_sync_with_a_stripped_notebook_keeps_what_only_the_text_says(
    jupytext, tmp_path, pair, target, cells
):
    name, text = pair
    (tmp_path / name).write_text(text)
    jupytext(f"--sync {name}")
    strip(tmp_path, name, cells=cells)

    jupytext(f"--sync {name if target == 'text' else target}")

    assert (tmp_path / name).read_text() == text.replace("Who is", "What is")


def test_a_sync_keeps_what_some_metadata_of_the_notebook_do_not_say(jupytext, tmp_path, pair):
    name, text = pair
    (tmp_path / name).write_text(text)
    jupytext(f"--sync {name}")
    strip(tmp_path, name, keep=["text"])

    jupytext(f"--sync {name}")

    assert (tmp_path / name).read_text() == text.replace("Who is", "What is")


@pytest.mark.parametrize("folders", [False, True])
def test_a_pair_of_the_configuration_keeps_what_only_the_text_says(jupytext, tmp_path, folders):
    text = PAIRS[0][2].replace('jupyter:\n  jupytext:\n    formats: "ipynb,FORMAT"\n', "")
    formats = '[formats]\n"nb/" = "ipynb"\n"chats/" = ".msg.md:msg"\n'
    plain = 'formats = "ipynb,.msg.md:msg"\n'
    (tmp_path / "jupytext.toml").write_text(formats if folders else plain)
    chats, notebooks = (tmp_path / "chats", tmp_path / "nb") if folders else (tmp_path, tmp_path)
    chats.mkdir(exist_ok=True)
    (chats / "a.msg.md").write_text(text)
    jupytext(f"--sync {chats / 'a.msg.md'}")
    strip(notebooks, chats / "a.msg.md", cells=True)

    jupytext(f"--sync {notebooks / 'a.ipynb'}")

    assert (chats / "a.msg.md").read_text() == text.replace("Who is", "What is")


@pytest.mark.parametrize("command", ["--to .msg.md a.ipynb", "--to .msg.md -o a.msg.md a.ipynb"])
def test_a_text_that_is_there_keeps_what_a_converted_notebook_does_not_say(
    jupytext, tmp_path, command
):
    text = PAIRS[0][2].replace('jupyter:\n  jupytext:\n    formats: "ipynb,FORMAT"\n', "")
    (tmp_path / "a.msg.md").write_text(text)
    jupytext("--to ipynb a.msg.md")
    strip(tmp_path, "a.msg.md", cells=True)

    jupytext(command)

    assert (tmp_path / "a.msg.md").read_text() == text.replace("Who is", "What is")


def test_an_update_takes_all_from_the_text(jupytext, tmp_path, pair):
    name, text = pair
    (tmp_path / name).write_text(text)
    jupytext(f"--sync {name}")
    whole = json.loads((tmp_path / "a.ipynb").read_text())["metadata"]["msgbook"]
    strip(tmp_path, name, cells=True)

    jupytext(f"--update --to ipynb {name}")

    notebook = json.loads((tmp_path / "a.ipynb").read_text())
    assert notebook["metadata"]["msgbook"] == whole
    assert notebook["cells"][0]["metadata"]["msgbook"]["title"] == "A title"
    assert (tmp_path / name).read_text() == text


def test_the_library_keeps_what_only_the_text_says(tmp_path, pair):
    name, text = pair
    (tmp_path / name).write_text(text)
    fmt = ".msg.md:msg" if name == "a.msg.md" else "md:msg"
    code = (
        "from msgbook_format.jupytext_plugin import register\n"
        "register()\n"
        "import jupytext\n"
        f"nb = jupytext.read({name!r})\n"
        "del nb.metadata['msgbook']\n"
        f"jupytext.write(nb, {name!r}, fmt={fmt!r})\n"
    )

    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=300)

    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("opened", ["a.ipynb", "text"])
def test_a_pair_that_is_opened_keeps_what_only_the_text_says(server, pair, opened, cells):
    name, text = pair
    opened = name if opened == "text" else opened
    server.write(name, text)
    put(server, name, get(server, name))
    strip(server.root, name, cells=cells)

    notebook = get(server, opened)
    put(server, opened, notebook)

    assert "default_agent: b" in notebook["metadata"]["msgbook"]["frontmatter"]
    assert server.read(name).decode() == text.replace("Who is", "What is")
    (server.root / name).unlink()
    (server.root / "a.ipynb").unlink()


def test_a_notebook_that_is_saved_unopened_keeps_what_only_the_text_says(server, pair):
    name, text = pair
    server.write(name, text)
    put(server, name, get(server, name))
    for saved in (name, "a.ipynb"):
        strip(server.root, name, edit=("", ""))
        put(server, saved, nbformat.read(server.root / "a.ipynb", 4))

        assert server.read(name).decode() == text
    (server.root / name).unlink()
    (server.root / "a.ipynb").unlink()


def test_a_title_that_was_taken_away_in_the_page_stays_away(server):
    server.write("t.msg.md", '# %% A title[^a]\n\n[^a]: [markdown] history="none"\n\nHi\n')
    notebook = get(server, "t.msg.md")
    notebook["metadata"]["jupytext"] = {"formats": "ipynb,.msg.md:msg"}
    put(server, "t.msg.md", notebook)
    del notebook["cells"][0]["metadata"]["msgbook"]

    put(server, "t.msg.md", notebook)

    assert b"title" not in server.read("t.msg.md")
    assert "msgbook" not in get(server, "t.ipynb")["cells"][0]["metadata"]


def get(server, name):
    return server.get(name, type="notebook", content=1)["content"]


def put(server, name, content):
    return server.put(name, {"type": "notebook", "format": "json", "content": content})
