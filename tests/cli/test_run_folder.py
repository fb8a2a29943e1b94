"""`msgbook run DIR`: all conversations of a folder, whatever happens to the run."""

from __future__ import annotations

import errno
import io
import sys

import pytest
from command import with_settings
from folder_of_chats import (
    PROMPTS,
    answers,
    asked,
    chat,
    echo,
    folder,  # noqa: F401 - fixtures
    prompt_of,
    turns,
)
from scripted_server import Answer, delta, error, finish

from msgbook.cli.terminal import CommandError
from msgbook.extras.many.folder import run_folder
from msgbook.notebook.conversation_file import Document
from msgbook.turn import Purse
from msgbook_format import read, writes
from msgbook_format.agent_states import claim


def test_files_are_answered_at_once_but_no_more_than_wanted(server, folder):
    most = 0
    open_now: set[str] = set()

    def stream(name):
        nonlocal most
        open_now.add(name)
        most = max(most, len(open_now))
        yield delta(content="ok")
        open_now.discard(name)
        yield finish()

    server.choose = lambda request: Answer(stream(prompt_of(request)), pause=0.02)

    assert with_settings(server, run_folder, folder, parallel=2) == 0
    assert most == 2


def test_a_turn_that_fails_ends_its_own_file_alone(server, folder, capsys):
    server.choose = lambda request: (
        error(401, "no") if prompt_of(request) == "p2-1" else echo(request)
    )

    assert with_settings(server, run_folder, folder) == 1

    assert asked(server) == [name for name in PROMPTS if name != "p2-2"]
    out, err = capsys.readouterr()
    assert [line.split()[2] for line in out.splitlines()[1:-1]] == ["done", "failed", "done"]
    assert f"msgbook run: {folder / 'c2.msg.md'}/p2-1: AuthenticationError: " in err
    server.reset()
    server.choose = echo
    assert with_settings(server, run_folder, folder) == 0
    assert asked(server) == ["p2-1", "p2-2"]


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00", b"[]", b'{"cells": 1}'])
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_answered(
    server, folder, capsys, content
):
    server.choose = echo
    (folder / "bad.ipynb").write_bytes(content)

    assert with_settings(server, run_folder, folder) == 2

    out, err = capsys.readouterr()
    assert out.splitlines()[1].split()[1:3] == ["0", "unreadable"]
    assert f"msgbook run: {folder / 'bad.ipynb'}: " in err
    assert (asked(server), (folder / "bad.ipynb").read_bytes()) == (PROMPTS, content)


def test_what_is_no_conversation_is_left_out_and_of_paired_files_the_text_is_taken(
    server, folder, capsys
):
    server.choose = echo
    notebook = read(folder / "c1.msg.md")
    (folder / "c1.ipynb").write_text(_ipynb(notebook), "utf-8")
    (folder / "README.md").write_text("# A project\n\n# %% [^no]\n\nno\n")
    (folder / "code.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    hidden = folder / ".msgbook" / "subagents"
    hidden.mkdir(parents=True)
    (hidden / "subagent.msg.md").write_text(chat("subagent"))
    (folder / "link").symlink_to(folder / "below", target_is_directory=True)
    before = (folder / "c1.ipynb").read_bytes()

    assert with_settings(server, run_folder, folder) == 0

    assert asked(server) == PROMPTS
    assert (folder / "c1.ipynb").read_bytes() == before
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_nothing_outside_of_the_folder_is_read_or_written(server, folder, tmp_path):
    server.choose = echo
    outside = tmp_path / "private.msg.md"
    outside.write_text(chat("private"), "utf-8")
    (folder / "link.msg.md").symlink_to(outside)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "gone.msg.md").symlink_to("nowhere")
    (folder / "self.msg.md").symlink_to("self.msg.md")

    assert with_settings(server, run_folder, folder) == 0

    assert asked(server) == PROMPTS
    assert outside.read_text("utf-8") == chat("private")


def _ipynb(notebook):
    import nbformat

    return nbformat.writes(nbformat.from_dict(notebook))


def test_a_file_without_a_prompt_is_not_called_answered(server, tmp_path, capsys):
    (tmp_path / "title.msg.md").write_text("# %% Only a title\n", "utf-8")

    assert with_settings(server, run_folder, tmp_path) == 0

    assert capsys.readouterr().out.splitlines()[1].split()[1:4] == ["0", "no", "prompt"]


def test_a_folder_without_conversations_is_wrong_usage(tmp_path):
    with pytest.raises(CommandError, match="found none"):
        run_folder(tmp_path)


def test_a_turn_that_is_saved_as_running_is_no_answer_but_stays_if_the_next_fails(
    server, tmp_path, capsys
):
    path = tmp_path / "chat.msg.md"
    path.write_text(chat("a"), "utf-8")
    document = Document.read(path)
    blocks = [{"type": "text", "step": 1, "text": "half"}]
    document.put_turn(0, {"version": 1, "status": "running", "blocks": blocks})
    document.save()
    before = path.read_text("utf-8")
    server.answers = [error(401, "no")]

    assert with_settings(server, run_folder, tmp_path) == 1
    assert path.read_text("utf-8") == before

    server.reset()
    server.choose = echo
    assert with_settings(server, run_folder, tmp_path) == 0
    assert turns(path)["a"]["status"] == "done"
    assert writes(read(path)).count("half") == 0
    capsys.readouterr()


def test_a_file_that_another_run_has_claimed_is_left_alone_before_its_first_request(
    server, folder, capsys
):
    server.choose = echo
    with claim(folder / "c1.msg.md"):
        assert with_settings(server, run_folder, folder) == 1

    assert asked(server) == PROMPTS[2:]
    assert "in use" in capsys.readouterr().out


def test_what_is_said_once_for_all_files_is_counted_at_the_end(server, folder, capsys):
    server.choose = lambda _request: error(401, "no")

    assert with_settings(server, run_folder, folder) == 1

    lines = [line for line in capsys.readouterr().err.splitlines() if "AuthenticationError" in line]
    assert len(lines) == 2
    assert lines[1].startswith("msgbook run: 2 more times: AuthenticationError")


def test_the_cost_is_shown_where_prices_are_set(server, folder, tmp_path, capsys):
    server.choose = echo
    config = tmp_path / "msgbook.toml"
    config.write_text("[providers.openai.prices]\nm = { input = 1000000.0, output = 0.0 }\n")

    assert with_settings(server, run_folder, folder, MSGBOOK_CONFIG=str(config)) == 0

    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert (table[0][5], table[1][5], table[-1][5]) == ("cost", "22.0000", "66.0000")


def test_all_files_of_a_run_share_what_it_may_cost(server, folder, tmp_path, capsys):
    server.choose = echo
    config = tmp_path / "msgbook.toml"
    config.write_text("[providers.openai.prices]\nm = { input = 1000000, output = 0 }\n")

    code = with_settings(
        server, run_folder, folder, parallel=1, purse=Purse(30), MSGBOOK_CONFIG=str(config)
    )

    assert (code, len(asked(server))) == (1, 3)
    out, err = capsys.readouterr()
    rows = [line.split() for line in out.splitlines()[1:-1]]
    assert [row[1:4] for row in rows] == [
        ["2", "done", "22"],
        ["1", "not", "run"],
        ["0", "not", "run"],
    ]
    assert (
        f"{folder / 'c2.msg.md'}/p2-2: This run has cost its limit: --max-cost 30 is used up" in err
    )
    assert "msgbook run: 1 more times: This run has cost its limit" in err


class GoneTerminal(io.StringIO):
    """A terminal whose window has been closed."""

    def isatty(self):
        return True

    def write(self, _text):
        raise OSError(errno.EIO, "Input/output error")


def test_files_are_answered_although_the_terminal_is_gone(server, folder, monkeypatch, capsys):
    server.choose = echo
    monkeypatch.setattr(sys, "stderr", GoneTerminal())

    assert with_settings(server, run_folder, folder) == 0

    assert len(answers(folder)) == len(PROMPTS)


def test_limits_of_a_provider_hold_for_all_files_together(server, folder, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text("[providers.openai]\nmax_parallel = 1\n")
    open_now: set[str] = set()

    def stream(name):
        open_now.add(name)
        assert len(open_now) == 1
        yield delta(content="ok")
        open_now.discard(name)
        yield finish()

    server.choose = lambda request: Answer(stream(prompt_of(request)), pause=0.01)

    assert with_settings(server, run_folder, folder, MSGBOOK_CONFIG=str(config)) == 0
    assert len(answers(folder)) == len(PROMPTS)
