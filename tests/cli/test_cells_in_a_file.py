"""Tools on cells in `msgbook run` and `chat`: the change is made in the file, and a recording repeats it."""

from __future__ import annotations

import pytest
from command import with_settings
from run_chat import turns
from scripted_server import ScriptedServer, call, text

from msgbook.cli.chat import chat as send
from msgbook.cli.run import run_file
from msgbook.cli.terminal import CommandError
from msgbook.extras.cassettes.replay import run_replay
from msgbook_format import read

CHAT = """\
# %% [^code]

[^code]: [code]

```python
1/0
```

# %%% [^code.1]

[^code.1]: [code] output=error ename="ZeroDivisionError" evalue="division by zero"

division by zero

# %% [^ask]

Mend it.

# %% [^more]

And now?
"""

EDIT = call("edit_cell", {"cell": "code", "old": "1/0", "new": "1/1"})
INSERT = call("insert_cell", {"after": "code", "kind": "note", "source": "Now it works."}, "call_2")
ALLOW = {"MSGBOOK_APPROVAL": "allow"}
ANSWERS = [call("read_cell", {}), EDIT, INSERT, text("Done."), text("All is well.")]


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(CHAT, "utf-8")
    return path


def results(turn):
    return [block for block in turn["blocks"] if block["type"] == "tool_result"]


def sources(path):
    return [cell["source"] for cell in read(path)["cells"] if cell["source"]]


def test_changes_are_made_in_the_file_and_later_messages_get_them(server, chat):
    server.answers = list(ANSWERS)

    assert with_settings(server, run_file, chat, **ALLOW) == 0

    assert sources(chat) == ["%%python\n1/1", "Now it works.", "Mend it.", "And now?"]
    found = turns(chat)
    listed, edited, inserted = results(found["ask"])
    assert listed["content"].startswith("#1 code code: %%python 1/0\n#2 ask message: Mend it.")
    assert edited["content"].endswith("-1/0\n+1/1\n")
    assert inserted["content"].startswith("Inserted a cell below cell code with the id ")
    assert found["more"]["blocks"][-1]["text"] == "All is well."
    last = str(server.requests[-1]["messages"])
    assert "1/1" in last
    assert "Now it works." in last
    assert "division by zero" not in last.replace("ZeroDivisionError", "")


def test_a_run_does_not_offer_to_run_cells(server, chat):
    server.answers = [text("Hello.")]

    with_settings(server, run_file, chat)

    offered = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert {"read_cell", "edit_cell", "insert_cell"} <= set(offered)
    assert "run_cell" not in offered


def test_without_approval_nothing_is_changed(server, chat):
    server.answers = [EDIT, text("A pity.")]

    with_settings(server, run_file, chat, approval="deny")

    assert sources(chat)[0] == "%%python\n1/0"
    [denied] = results(turns(chat)["ask"])
    assert denied["content"].startswith(
        "Denied: edit_cell needs approval, since it changes the cell code,"
    )


def test_a_file_that_was_changed_by_hand_meanwhile_is_not_overwritten(server, chat):
    mine = CHAT.replace("1/0", "mine")

    def answer(body):
        chat.write_text(mine, "utf-8")
        return EDIT if body["messages"][-1]["role"] == "user" else text("A pity.")

    server.choose = answer

    with pytest.raises(CommandError, match="has changed since it was read"):
        with_settings(server, run_file, chat, first="more", **ALLOW)

    assert chat.read_text("utf-8") == mine
    kept = chat.with_name("chat.unsaved.msg.md")
    [refused] = results(turns(kept)["more"])
    assert refused["content"].startswith("Nothing was changed: ")
    assert sources(kept)[0] == "%%python\n1/0"


def test_the_own_file_named_as_a_path_is_this_notebook(server, chat):
    server.answers = [
        call("edit_cell", {"path": "./chat.msg.md", "cell": "code", "old": "1/0", "new": "1/1"}),
        text("Done."),
    ]

    assert with_settings(server, run_file, chat, **ALLOW) == 0
    assert sources(chat)[0] == "%%python\n1/1"


@pytest.mark.parametrize("cell", ["ask", "more", "gone"])
def test_a_model_that_tries_the_same_again_and_again_is_stopped(server, chat, cell):
    server.answers = [call("edit_cell", {"cell": cell, "old": "Mend", "new": "x"})]

    with_settings(server, run_file, chat, **ALLOW)

    turn = turns(chat)["ask"]
    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "repeated_failure")
    assert sources(chat) == ["%%python\n1/0", "Mend it.", "And now?"]


def test_a_notebook_may_change_above_the_message_that_chat_adds(server, chat):
    server.answers = [INSERT, text("Done.")]

    assert with_settings(server, send, chat, "Add a note.", go_on=True, **ALLOW) == 0

    assert sources(chat)[1] == "Now it works."
    assert turns(chat)[read(chat)["cells"][-1]["id"]]["status"] == "done"


PYTHON = """\
---
jupyter:
  kernelspec:
    name: msgbook-python-of-a-lost-environment
---

# %% [^code]

[^code]: [code]

```python
1/0
```

# %% [^ask]

[^ask]: [markdown]

Mend it.
"""


@pytest.mark.parametrize("suffix", [".msg.md", ".ipynb"])
def test_a_python_notebook_whose_kernel_is_gone_is_answered_and_changed(server, tmp_path, suffix):
    from msgbook.notebook.conversation_file import Document, create

    written, path = tmp_path / "a.msg.md", tmp_path / f"chat{suffix}"
    written.write_text(PYTHON, "utf-8")
    create(path, Document.read(written).notebook)
    server.answers = [call("read_cell", {}), EDIT, INSERT, text("Done.")]

    assert with_settings(server, run_file, path, **ALLOW) == 0

    cells = Document.read(path).notebook["cells"]
    assert [cell["source"] for cell in cells] == ["1/1", "Now it works.", "%%msg\nMend it."]
    assert Document.read(path).notebook["metadata"]["kernelspec"]["name"].endswith("environment")
    listed = server.messages(1)[-1]["content"]
    assert listed == "#1 code code: 1/0\n#2 ask message: Mend it."
    assert server.messages(0)[-1]["content"] == "Mend it."


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("ask", "it is the message that you are answering"),
        ("ask-1", "no cell in this notebook has the id 'ask-1'"),
        ("code.1", "no cell in this notebook has the id 'code.1'"),
        ("more", "it is a message of the conversation"),
        ("gone", "no cell in this notebook has the id 'gone'"),
        ("#0", "no cell in this notebook has the id '#0'"),
        ("", "no cell in this notebook has the id ''"),
    ],
)
def test_a_cell_that_is_no_code_is_left_as_it_is(server, chat, cell, words):
    """Ids of turns and outputs, as a message file has them, are those of no cell."""
    before = sources(chat)
    server.answers = [call("edit_cell", {"cell": cell, "old": "M", "new": "x"}), text("A pity.")]

    with_settings(server, run_file, chat, **ALLOW)

    assert words in results(turns(chat)["ask"])[0]["content"]
    assert sources(chat) == before


@pytest.mark.parametrize("name", ["edit_cell", "insert_cell"])
def test_a_change_of_ten_megabytes_ends_the_turn_and_changes_nothing(server, chat, name):
    long = "x = 1\n" * 1_700_000
    change = {"cell": "code", "old": "1/0", "new": long}
    if name == "insert_cell":
        change = {"after": "code", "kind": "code", "source": long}
    before = sources(chat)
    server.answers = [call(name, change), text("A pity.")]

    with_settings(server, run_file, chat, first="ask", **ALLOW)

    turn = turns(chat)["ask"]
    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "answer_limit")
    assert sources(chat) == before
    assert chat.stat().st_size < 3_000_000


@pytest.mark.parametrize("suffix", [".msg.md", ".ipynb"])
def test_a_recording_with_changes_is_replayed_to_the_same_file(tmp_path, suffix):
    from msgbook.notebook.conversation_file import Document, create

    text_file, path = tmp_path / "a.msg.md", tmp_path / f"chat{suffix}"
    text_file.write_text(CHAT, "utf-8")
    create(path, Document.read(text_file).notebook)
    cassette = tmp_path / "chat.cassette.jsonl"
    with ScriptedServer(list(ANSWERS)) as server:
        assert with_settings(server, run_file, path, cassette=cassette, **ALLOW) == 0
    recorded = path.read_bytes()

    assert run_replay(path, cassette) == 0

    assert path.read_bytes() == recorded
    with ScriptedServer(list(ANSWERS)) as server:
        assert with_settings(server, run_file, path, cassette=cassette, again=True, **ALLOW) == 0
