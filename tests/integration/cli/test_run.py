"""`msgbook run`: which prompts it answers, what it sends, what is in the file whatever happens."""

from __future__ import annotations

import signal
import sys
import threading

import pexpect
import pytest
from command import inserted, run, said, terminal, with_settings
from run_chat import (
    CHAT,
    chat,  # noqa: F401 - fixtures
    turns,
    words,
)
from scripted_server import Answer, call, delta, text

from msgbook.cli.run import run_file


@pytest.mark.smoke
def test_prompts_without_an_answer_are_answered_with_the_whole_file_as_memory(server, chat):
    server.answers = [text("2"), text("3")]

    done = run(server, "run", chat)

    assert (done.returncode, done.stdout) == (0, "two\tdone\tsecond\nthree\tdone\tthird\n")
    assert "code: code is not run here" in done.stderr
    code = ("user", "This code has not been run:\n\n```python\nx = 1\n```")
    above = [("user", "first"), ("assistant", "1"), code, ("user", "second")]
    assert [said(m) for m in server.messages(0)[1:]] == above
    assert [said(m) for m in server.messages(1)[1:]] == [
        *above,
        ("assistant", "2"),
        ("user", "third"),
    ]
    assert server.messages(0)[0]["content"].endswith("Be brief.")
    found = turns(chat)
    assert (words(found["two"]), words(found["three"])) == ("2", "3")
    assert found["two"]["context"]["source"] == "file"
    assert inserted(CHAT, chat)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are POSIX's")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_turn_that_is_stopped_is_kept_and_those_before_it_are_written_already(
    server, chat, number, capsys
):
    server.answers = [text("2"), Answer([delta(content="half "), delta()], hold=1)]

    shown = terminal(server, "run", chat)
    shown.expect_exact("half ")
    during = turns(chat)
    shown.kill(number)
    shown.expect_exact("KeyboardInterrupt: The turn was interrupted.")
    shown.expect(pexpect.EOF)
    shown.close()

    assert shown.exitstatus == 1
    assert (words(during["two"]), during["three"]) == ("2", None)
    after = turns(chat)["three"]
    assert (after["status"], words(after)) == ("interrupted", "half ")
    assert server.disconnected.wait(300)

    # Part of an answer is one: it is not thrown away unasked.
    assert with_settings(server, run_file, chat) == 0
    told = capsys.readouterr().err
    assert f"three: the answer is incomplete (to continue: `msgbook chat {chat} --resume`" in told
    assert words(turns(chat)["three"]) == "half "


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are POSIX's")
def test_a_terminal_shows_the_turn_as_it_grows_and_is_asked(server, chat):
    asked = {"path": "new.txt", "content": "x"}
    server.answers = [call("write", asked), text("All \x1b[2Jdone")]

    shown = terminal(server, "run", "--from", "three", chat)
    shown.expect_exact("> third  [three]")
    shown.expect_exact("write needs your approval")
    shown.expect_exact("[n reason] no: ")
    shown.sendline("y")
    shown.expect_exact("All ␛[2Jdone")
    shown.expect(pexpect.EOF)
    shown.close()

    assert shown.exitstatus == 0
    assert (chat.parent / "new.txt").read_text() == "x"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are POSIX's")
def test_what_was_typed_before_the_question_does_not_answer_it(server, chat):
    typed = threading.Event()

    def chunks():
        yield delta(content="Wait. ")
        typed.wait(300)
        yield from call("mkdir", {"path": "new"}).chunks

    server.answers = [Answer(chunks()), text("Well.")]

    shown = terminal(server, "run", "--from", "three", chat)
    shown.expect_exact("Wait.")
    shown.sendline("y")
    typed.set()
    shown.expect_exact("[n reason] no: ")
    shown.sendline("n not here")
    shown.expect_exact("Well.")
    shown.expect(pexpect.EOF)
    shown.close()

    assert not (chat.parent / "new").exists()
    assert "Denied by the user: not here" in server.messages()[-1]["content"]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are POSIX's")
def test_an_interrupt_ends_the_wait_for_an_answer(server, chat):
    server.answers = [call("mkdir", {"path": "new"})]

    shown = terminal(server, "run", "--from", "three", chat)
    shown.expect_exact("[n reason] no: ")
    shown.sendintr()
    shown.expect_exact("KeyboardInterrupt")
    shown.expect(pexpect.EOF)
    shown.close()

    assert (shown.exitstatus, (chat.parent / "new").exists()) == (1, False)
    assert turns(chat)["three"]["status"] == "interrupted"
