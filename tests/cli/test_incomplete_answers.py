"""An answer that is incomplete or missing: the advice of `chat` and `run`, and `chat --resume`."""

from __future__ import annotations

import shlex
import sys

import pexpect
import pytest
from apis import over_both_apis
from command import run, said, terminal, with_settings
from scripted_server import Answer, delta, error, finish, text

from msgbook.__main__ import main
from msgbook.cli.chat import chat, resume_chat
from msgbook.cli.run import run_file
from msgbook.request.history import CONTINUE_WORDS
from msgbook_format import read
from msgbook_format.turn import answer_text, turn_of

CUT = Answer([delta(content="One, two")], done=False)
LENGTH = Answer([delta(content="One, two"), finish("length")])


def answers(path):
    """Source, status and text of each prompt."""
    turns = [(cell.source, turn_of(cell.outputs[0])) for cell in read(path).cells]
    return [(source, turn["status"], answer_text(turn["blocks"])) for source, turn in turns]


def advised(told: str, verb: str) -> list[str]:
    """The arguments of the command that a message advises."""
    return next(
        shlex.split(part)[1:] for part in told.split("`") if part.startswith(f"msgbook {verb} ")
    )


@over_both_apis
@pytest.mark.parametrize(
    ("answer", "code", "why"),
    [
        (CUT, 1, "IncompleteAnswer: The answer was cut off"),
        (LENGTH, 0, "the answer is incomplete: the answer reached the length limit"),
    ],
    ids=["cut", "length"],
)
@pytest.mark.parametrize("name", ["chat.msg.md", "my chat.ipynb"])
def test_the_advice_after_an_incomplete_answer_can_be_followed_to_the_letter(
    server, tmp_path, capsys, answer, code, why, name
):
    path = tmp_path / name
    server.answers = [answer, text(", three."), text("One, two, three.")]

    assert with_settings(server, chat, path, "Count") == code

    told = capsys.readouterr().err
    assert told.startswith(f"msgbook chat: {path}: {why}")
    assert with_settings(server, main, advised(told, "chat")) == 0
    assert with_settings(server, main, advised(told, "run")[:4]) == 0
    assert [said(message) for message in server.messages(1)[1:]] == [
        ("user", "Count"),
        ("assistant", "One, two"),
        ("user", CONTINUE_WORDS),
    ]
    assert [said(message) for message in server.messages(2)[1:]] == [("user", "Count")]
    assert len(server.requests) == 3
    assert "nothing to continue: the answer above is complete now" in capsys.readouterr().err


@over_both_apis
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


def test_a_prompt_without_an_answer_is_sent_again_and_may_get_another_model(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    server.answers = [error(404, "no such model"), text("Hello")]
    assert with_settings(server, chat, path, "Hi", attributes={"model": "goood"}) == 1

    assert with_settings(server, resume_chat, path, attributes={"model": "good"}) == 0

    assert answers(path) == [("Hi", "done", "Hello")]
    assert [request["model"] for request in server.requests] == ["goood", "good"]


def test_a_continuation_that_failed_is_made_again_and_not_added_again(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    server.answers = [CUT, error(401, "no"), text(", three.")]
    with_settings(server, chat, path, "Count")

    assert with_settings(server, resume_chat, path) == 1
    assert with_settings(server, resume_chat, path) == 0

    assert [source for source, *_ in answers(path)] == ["Count", "%continue"]
    assert server.requests[1]["messages"] == server.requests[2]["messages"]


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


INCOMPLETE = '[^a]: [markdown] {}\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [assistant] turn_status="incomplete"\n\nOne\n'


def test_an_excluded_answer_is_not_resumed_and_not_called_complete(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\n" + INCOMPLETE.format('history="exclude"'))

    done = run(server, "chat", path, "--resume")

    assert (
        "the last answer is incomplete, but history=exclude keeps it from being sent" in done.stderr
    )
    assert f"to answer again: `msgbook run {path} --from a`" in done.stderr
    assert server.requests == []


def test_the_one_who_was_cut_off_goes_on_even_if_another_answered_an_excluded_prompt(
    server, tmp_path
):
    server.answers = [text(", two.")]
    path = tmp_path / "chat.msg.md"
    aside = '# %% [^b]\n\n[^b]: [markdown] model="other" history="exclude"\n\nHow late?\n\n'
    path.write_text(
        "# %% [^a]\n\n"
        + INCOMPLETE.format('model="big"')
        + f"\n{aside}# %%% [^b-1]\n\n[^b-1]: [assistant]\n\nTen.\n"
    )

    assert with_settings(server, resume_chat, path) == 0

    assert server.requests[0]["model"] == "big"


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


def test_run_advises_a_cell_where_more_prompts_follow(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\nCount\n\n# %% [^b]\n\nThanks\n")
    server.answers = [CUT]

    assert with_settings(server, run_file, path) == 1

    assert (
        f"1 more prompt not sent; to continue: a cell `%continue` below it; "
        f"to answer again: `msgbook run {path} --from a`)"
    ) in capsys.readouterr().err


def test_run_says_what_failed_without_an_answer_can_be_tried_again(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\nCount\n")
    server.answers = [error(401, "no"), text("One.")]

    assert with_settings(server, run_file, path) == 1

    told = capsys.readouterr().err
    assert f"(to try again: `msgbook run {path}`)" in told
    assert with_settings(server, main, advised(told, "run")) == 0


def test_an_answer_that_stays_since_a_new_one_failed_is_made_again_by_its_id(
    server, tmp_path, capsys
):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^a]\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [assistant]\n\nHello\n")
    server.answers = [error(401, "no")]

    assert with_settings(server, run_file, path, again=True) == 1

    assert f"(to answer again: `msgbook run {path} --from a`)" in capsys.readouterr().err


def test_run_does_not_name_an_answer_that_was_continued(server, tmp_path, capsys):
    path = tmp_path / "chat.msg.md"
    server.answers = [CUT, text(", three.")]
    with_settings(server, chat, path, "Count")
    with_settings(server, resume_chat, path)
    capsys.readouterr()

    assert with_settings(server, run_file, path) == 0

    assert capsys.readouterr().err == f"msgbook run: {path}: every prompt has an answer\n"


def test_a_continuation_of_an_answer_that_is_complete_now_is_not_called_outdated(
    server, tmp_path, capsys
):
    path = tmp_path / "chat.msg.md"
    server.answers = [CUT, text(", three."), text("One, two, three.")]
    with_settings(server, chat, path, "Count")
    with_settings(server, resume_chat, path)

    assert with_settings(server, run_file, path, again=True) == 0

    assert "outdated" not in capsys.readouterr().err
