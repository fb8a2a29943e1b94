"""An answer that is incomplete or missing: the advice of `chat` and `run`, and `chat --resume`."""

from __future__ import annotations

import sys

import pexpect
import pytest
from command import run, terminal, with_settings
from incomplete_answers import CUT, INCOMPLETE, answers
from scripted_server import Answer, delta, text

from msgbook.cli.chat import chat


def test_a_terminal_goes_on_with_an_answer_that_was_cut(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    server.answers = [CUT, text(", three.")]
    with_settings(server, chat, path, "Count", attributes={"model": "big"})

    done = run(server, "chat", path, "--resume")

    assert (done.returncode, done.stdout, done.stderr) == (0, ", three.\n", "")
    assert answers(path) == [
        ("Count", "incomplete", "One, two"),
        ("%continue", "done", ", three."),
    ]
    assert server.requests[-1]["model"] == "big"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are POSIX's")
def test_an_answer_that_was_stopped_goes_on_in_the_same_terminal(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    server.answers = [Answer([delta(content="One, two"), delta()], hold=1), text(", three.")]

    shown = terminal(server, "chat", path, "Count")
    shown.expect_exact("One, two")
    shown.sendintr()
    shown.expect_exact(f"to continue: `msgbook chat {path} --resume`")
    shown.expect(pexpect.EOF)
    shown = terminal(server, "chat", "--resume", path)
    shown.expect_exact(", three.")
    shown.expect(pexpect.EOF)
    shown.close()

    assert shown.exitstatus == 0
    assert answers(path)[0] == ("Count", "interrupted", "One, two")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("# %% [^a]\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [assistant]\n\nHello\n", "answer is complete"),
        ("", "the file has no prompt"),
    ],
)
def test_with_nothing_to_resume_the_file_stays_and_the_next_step_is_named(
    server, tmp_path, content, why
):
    path = tmp_path / "chat.msg.md"
    path.write_text(content)

    done = run(server, "chat", path, "--resume")

    assert (done.returncode, done.stdout, path.read_text()) == (0, "", content)
    assert f"{path}: nothing to resume; " in done.stderr
    assert why in done.stderr
    assert f"to send a message: `msgbook chat {path} --continue TEXT`" in done.stderr
    assert server.requests == []


def test_an_excluded_answer_is_not_resumed_and_not_called_complete(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\n" + INCOMPLETE.format('history="exclude"'))

    done = run(server, "chat", path, "--resume")

    assert (
        "the last answer is incomplete, but history=exclude keeps it from being sent" in done.stderr
    )
    assert f"to answer again: `msgbook run {path} --from a`" in done.stderr
    assert server.requests == []


def test_a_model_that_the_prompt_names_itself_is_not_replaced_in_silence(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    content = "# %% [^a]\n\n%%msg model=goood\nHi\n"
    path.write_text(content)

    done = run(server, "chat", path, "--resume", "--model", "good")

    assert done.returncode == 2
    assert (
        "--model: the %%msg line of the last prompt says model=goood. Change it in" in done.stderr
    )
    assert (path.read_text(), server.requests) == (content, [])


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["chat.msg.md"], "expected TEXT, the message, or --resume"),
        (["chat.msg.md", "Hi", "--resume"], "use one or the other"),
        (["none.msg.md", "--resume"], "No such file"),
    ],
)
def test_wrong_usage_is_said_and_nothing_is_written(server, tmp_path, argv, told):
    done = run(server, "chat", tmp_path / argv[0], *argv[1:])

    assert done.returncode == 2
    assert told in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_option_may_stand_between_file_and_text(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    server.answers = [text("Hello")]

    for words in ("one", "two"):
        assert run(server, "chat", path, "--continue", words).returncode == 0

    assert [source for source, *_ in answers(path)] == ["one", "two"]
