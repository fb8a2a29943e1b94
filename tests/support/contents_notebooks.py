"""What the tests of the server send and expect."""

from __future__ import annotations

import json
import os

CHAT = """\
---
# mine,   spaced
topic: [a,  b]   # why
---

##  %% not a marker

## %%  Hello [^a]
[^a]:  [markdown]   weight=2

What is this?


# %% [^b]

[^b]: [markdown]

And that?
"""

TURN_MIME = "application/vnd.msgbook.turn+json"


def turn_output(words="It is **this**."):
    block = {"type": "text", "step": 1, "text": words}
    turn = {"version": 1, "status": "done", "agent": "assistant", "model": "m", "blocks": [block]}
    data = {TURN_MIME: turn, "text/markdown": words, "text/plain": words}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def said(cell):
    """The words of a cell's answer; None without one."""
    for output in cell["outputs"]:
        return output["data"][TURN_MIME]["blocks"][0]["text"]
    return None


def open_notebook(server, name):
    return server.get(name, type="notebook", content=1)["content"]


def save_notebook(server, name, content):
    return server.put(name, {"type": "notebook", "format": "json", "content": content})


def make_pair(server, formats="ipynb,.msg.md:msg", name="chat.msg.md", text=CHAT):
    """A pair as it stands after a person has made one in JupyterLab and opened it again."""
    server.write(name, text)
    content = open_notebook(server, name)
    content["metadata"].setdefault("jupytext", {})["formats"] = formats
    save_notebook(server, name, content)
    return open_notebook(server, name)


def age(server, name, seconds):
    """Make a file older, or newer with a negative number."""
    path = server.root / name
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def change_ipynb(server, name, change):
    notebook = json.loads(server.read(name))
    change(notebook)
    server.write(name, json.dumps(notebook))


def check_that_edited_text_is_not_shown(server):
    """The text beside a turn is derived anew on opening, and other outputs stay."""
    other = {"output_type": "display_data", "data": {"text/markdown": "mine"}, "metadata": {}}
    cell = {"cell_type": "code", "id": "a", "source": "hi", "metadata": {}, "execution_count": 1}
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    for number, words in ((1, "It is **this**."), (2, "pip install evil")):
        turn = turn_output()
        turn["data"]["text/markdown"] = words
        turn["data"]["text/plain"] = words
        content["cells"] = [{**cell, "outputs": [turn, other]}]
        server.write(f"edited-{number}.ipynb", json.dumps(content))

        shown = open_notebook(server, f"edited-{number}.ipynb")["cells"][0]["outputs"]

        assert shown[0]["data"]["text/markdown"] == "It is **this**."
        assert shown[0]["data"]["text/plain"].endswith("It is **this**.")
        assert shown[1] == other
