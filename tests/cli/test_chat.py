"""`msgbook chat` and `msgbook fork`: what is created, and what is left alone."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import nbformat
import pytest
from apis import over_all_apis
from command import said, with_settings
from hypothesis import given
from hypothesis import strategies as st
from responses_as_chat import chat_messages
from scripted_server import error, text

from msgbook.__main__ import main
from msgbook.cli.chat import chat
from msgbook.cli.run import run_file
from msgbook.cli.terminal import CommandError
from msgbook.errors import MsgbookError
from msgbook.notebook.cells import parse_prompt
from msgbook_format import read
from msgbook_format.agent_states import read_head
from msgbook_format.syntax import CHAT_CELLS, CODE_FIRST_CELLS
from msgbook_format.turn import turn_of

PYTHON = {"name": "python3", "display_name": "Python 3"}


def saved(path):
    """The notebook in a file of either kind."""
    return nbformat.read(path, 4) if path.suffix == ".ipynb" else read(path)


@over_all_apis
@pytest.mark.parametrize("name", ["new.msg.md", "new.ipynb"])
def test_a_new_conversation_holds_question_and_answer_and_a_pipe_gets_the_answer(
    server, tmp_path, capsys, name
):
    server.answers = [text("Hello **you**", reasoning="Who is it?")]
    path = tmp_path / name

    assert with_settings(server, chat, path, "Hi") == 0

    assert capsys.readouterr() == ("Hello **you**\n", "")
    notebook = saved(path)
    (cell,) = notebook.cells
    assert (cell.source, "Hello **you**" in str(cell.outputs)) == ("Hi", True)
    assert notebook.metadata.kernelspec.name == "msgbook"


@pytest.mark.parametrize("name", ["new.msg.md", "new.ipynb", "new.mtm"])
def test_the_first_turn_makes_an_agent_and_changes_no_request(server, tmp_path, name):
    server.answers = [text("One."), text("Two.")]
    path = tmp_path / name

    assert with_settings(server, chat, path, "First") == 0
    first = read_head(path).agent
    assert with_settings(server, chat, path, "Second", go_on=True) == 0

    assert first.uuid
    assert (first.name, first.file, first.parent_id) == ("new", name, None)
    assert read_head(path).agent == first
    one, two = server.requests
    assert chat_messages(two)[: len(chat_messages(one))] == chat_messages(one)
    assert two["tools"] == one["tools"]


def test_a_reader_gets_the_size_of_an_image_and_the_file_the_image(server, tmp_path, capsys):
    image = "data:image/png;base64," + "iVBO" * 4000
    server.answers = [text(f"Look: ![x]({image})")]
    path = tmp_path / "chat.msg.md"

    assert with_settings(server, chat, path, "Hi") == 0

    assert capsys.readouterr().out == "Look: ![x](data:image/png;base64,… (12 kB))\n"
    assert image in path.read_text()


def test_an_existing_file_is_modified_only_with_leave(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\nfirst\n\n# %% [^empty]\n")
    server.answers = [text("Hello")]

    with pytest.raises(CommandError, match=r"exists\. Add --continue .* another name"):
        with_settings(server, chat, path, "second")
    assert path.read_text() == "# %% [^a]\n\nfirst\n\n# %% [^empty]\n"

    for words in ("second", "third"):
        assert with_settings(server, chat, path, words, go_on=True) == 0

    assert [said(m) for m in server.messages()[1:]] == [
        ("user", "first"), ("user", "second"), ("assistant", "Hello"), ("user", "third"),
    ]  # fmt: skip
    assert [cell["source"] for cell in read(path).cells] == ["first", "second", "third"]


@pytest.mark.parametrize("name", ["chat.msg.md", "chat.ipynb"])
def test_the_agent_answers_its_prompt_alone_and_the_file_says_so(server, tmp_path, name):
    server.answers = [text("No."), text("Yes.")]
    agents = tmp_path / ".msgbook" / "agents"
    agents.mkdir(parents=True)
    (agents / "critic.md").write_text("You judge.\n")
    path = tmp_path / name

    for words, chosen in (("first", {"agent": "critic"}), ("second", {})):
        assert with_settings(server, chat, path, words, go_on=True, attributes=chosen) == 0

    cells = saved(path).cells
    named = [cell.metadata.get("msgbook", {}).get("agent") for cell in cells]
    answered = [turn_of(cell.outputs[0])["agent"] for cell in cells]
    assert (named, answered) == (["critic", None], ["critic", "assistant"])
    systems = [server.messages(n)[0]["content"] for n in (0, 1)]
    assert [system.startswith("You judge.\n\n") for system in systems] == [True, False]
    if path.suffix != ".ipynb":
        prompt = f'[^{cells[0].id}]: [markdown] agent="critic"\n\nfirst\n'
        assert prompt in path.read_text("utf-8")


def test_an_agent_that_nothing_defines_is_said_and_the_question_is_kept(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"

    assert with_settings(server, chat, path, "Hi", attributes={"agent": "nobody"}) == 1

    assert "There is no agent 'nobody'" in capsys.readouterr().err
    assert server.requests == []
    (cell,) = read(path).cells
    assert (cell.source, cell.metadata.msgbook.agent) == ("Hi", "nobody")


@pytest.mark.parametrize(
    ("wrong", "answers"),
    [({"model": "goood"}, [error(404, "no such model")]), ({"agent": "bob"}, [])],
)
def test_a_wrong_name_on_the_command_line_has_to_be_corrected_in_the_file(
    server, tmp_path, capsys, wrong, answers
):
    server.answers = answers or [text("Hello")]
    path = tmp_path / "chat.msg.md"

    assert with_settings(server, chat, path, "Hi", attributes=wrong) == 1

    [key] = wrong
    told = (
        f"({key}= of the new cell is from --{key}: correct it in {path}; to try again: `msgbook run"
    )
    assert told in capsys.readouterr().err


def test_a_question_that_got_no_answer_is_in_the_file_and_run_asks_it_again(
    server, tmp_path, capsys
):
    server.answers = [error(401, "no"), text("Hello")]
    path = tmp_path / "chat.msg.md"

    assert with_settings(server, chat, path, "Hi") == 1

    told = capsys.readouterr().err
    assert "AuthenticationError" in told
    assert f"(to try again: `msgbook run {path}`)" in told
    assert read(path).cells[0].source == "Hi"
    assert with_settings(server, run_file, path) == 0
    assert len(read(path).cells[0].outputs) == 1


@given(
    st.text(min_size=1)
    | st.sampled_from(["!ls", "%model x", "%%msg a=b\nc", "\\x", " !x", "%continue"])
)
@pytest.mark.parametrize("cells", [CHAT_CELLS, CODE_FIRST_CELLS])
def test_any_text_is_sent_to_the_letter(cells, words):
    source = cells.as_message(words)

    assert cells.is_message(source)
    assert parse_prompt(source).text == words


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (
            ["chat.txt", "Hi"],
            "expected a name that ends with .msg.md, .ipynb, .mtm or .mutsumi-notebook",
        ),
        (
            ["chat.md", "Hi"],
            "expected a name that ends with .msg.md, .ipynb, .mtm or .mutsumi-notebook",
        ),
        (["none/chat.msg.md", "Hi"], "No such file or directory"),
        (["chat.msg.md", " \n"], "expected a message"),
        (["chat.msg.md", "Hi", "--model", "a\x1b"], "--model: expected a name"),
        (["chat.msg.md", "Hi", "--agent", ""], "--agent: expected a name"),
        (["x" * 5000 + ".msg.md", "Hi"], "too long"),
    ],
)
def test_what_cannot_be_created_is_said_in_one_line(tmp_path, capsys, argv, told):
    assert main(["chat", f"{tmp_path}/{argv[0]}", *argv[1:]]) == 2

    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert told in printed.err
    assert list(tmp_path.iterdir()) == []


def test_an_empty_standard_input_is_nothing_to_say(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\n")))

    assert main(["chat", str(tmp_path / "a.msg.md"), "-"]) == 2
    assert "expected a message" in capsys.readouterr().err


CHAT = """\
---
default_agent: writer  # who
---

#### %% One[^one]

first

# %%% [^one-1]

[^one-1]: [writer] model="m"

1

# %% [^two]

second
"""


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(CHAT)
    return path


def test_a_fork_is_the_beginning_of_the_text_and_leaves_the_original_alone(original, capsys):
    assert main(["fork", str(original), "--at", "one"]) == 0
    assert main(["fork", str(original), "--at", "two"]) == 0

    first, second = capsys.readouterr().out.splitlines()
    assert (first, second) == (
        f"{original.parent}/chat-fork.msg.md",
        f"{original.parent}/chat-fork-2.msg.md",
    )
    assert original.with_name("chat-fork.msg.md").read_text() == CHAT[: CHAT.index("\n# %% [^two]")]
    assert original.with_name("chat-fork-2.msg.md").read_text() == original.read_text() == CHAT


def test_a_fork_can_be_a_notebook(original, capsys):
    output = original.with_name("new.ipynb")

    assert main(["fork", str(original), "--at", "one", "--output", str(output)]) == 0

    assert capsys.readouterr().out == f"{output}\n"
    notebook = nbformat.read(output, 4)
    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells] == ["one"]


@pytest.mark.parametrize("name", ["ask", "5fb8acd8"])
def test_a_fork_ends_at_a_cell_that_the_text_calls_so(original, name):
    label = '# %% [^ask]\n\n[^ask]: [markdown] id="5fb8acd8-7da5-4f6a-9b1c"\n\nWhy?\n'
    original.write_text(f"{label}\n# %% [^two]\n\nsecond\n")

    assert main(["fork", str(original), "--at", name]) == 0

    assert original.with_name("chat-fork.msg.md").read_text() == label


def test_a_fork_at_no_cell_names_those_that_may_be_meant_one_a_line(original, capsys):
    assert main(["fork", str(original), "--at", "zz"]) == 2

    assert capsys.readouterr().err.splitlines()[1:] == ["  one (One)", "  two (second)"]
    assert [path.name for path in original.parent.iterdir()] == ["chat.msg.md"]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--at", "one", "--output", "chat.msg.md"], "exists"),
        (["--at", "one", "--output", "new.txt"], "expected a name that ends with"),
        (["--at", "one", "--output", "none/new.msg.md"], "No such file or directory"),
    ],
)
def test_what_cannot_be_forked_is_said_in_one_line(original, capsys, monkeypatch, argv, told):
    monkeypatch.chdir(original.parent)

    assert main(["fork", "chat.msg.md", *argv]) == 2

    assert told in capsys.readouterr().err
    assert [path.name for path in original.parent.iterdir()] == ["chat.msg.md"]
    assert original.read_text() == CHAT


PLAN = "---\r\ntags: [a,  b] # mine\r\n---\r\n\r\n# Plan\r\n\r\nText"


@pytest.mark.parametrize("answer", [text("Hello"), error(500, "down")])
def test_an_ordinary_markdown_file_gets_a_section_by_force_alone(server, tmp_path, answer):
    path = tmp_path / "plan.md"
    path.write_bytes(PLAN.encode())
    server.answers = [answer]

    for leave in ({}, {"go_on": True}):
        with pytest.raises(CommandError, match=r"`message_section`.* --force .*\.msg\.md"):
            with_settings(server, chat, path, "Hi", **leave)
    assert (path.read_bytes(), server.requests) == (PLAN.encode(), [])

    status = with_settings(server, chat, path, "Hi", force=True)

    before = PLAN.replace("# mine\r\n", "# mine\r\nmessage_section: true\r\n")
    written = path.read_bytes().decode()
    assert status == (answer.status != 200)
    assert written.startswith(f"{before}\r\n\r\n## Discussion\r\n\r\n### %% [^")
    assert [cell.source for cell in read(path).cells] == ["Hi"]
    assert "Plan" not in str(server.requests)
    assert main(["check", str(path)]) == 0


def test_a_file_that_cannot_get_a_section_stays_as_it_is(server, tmp_path):
    for name, content in [
        ("broken.md", "---\na: [\n---\n"),
        ("own.md", "# Discussion\n\nWe disagree.\n"),
        ("latin.md", b"caf\xe9"),
        ("notes.txt", "Text"),
        (
            "python.ipynb",
            nbformat.writes(nbformat.v4.new_notebook(metadata={"kernelspec": PYTHON})),
        ),
    ]:
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)

        with pytest.raises(MsgbookError, match=name):
            with_settings(server, chat, path, "Hi", force=True)
        assert path.read_bytes() == data
    assert server.requests == []
    assert len(list(tmp_path.iterdir())) == 5
