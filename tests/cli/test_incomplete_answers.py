"""An answer that is incomplete or missing: the advice of `chat` and `run`, and `chat --resume`."""

from __future__ import annotations

import shlex

import pytest
from command import said, with_settings
from incomplete_answers import CUT, INCOMPLETE, answers
from scripted_server import Answer, delta, error, finish, text

from msgbook.__main__ import main
from msgbook.cli.chat import chat, resume_chat
from msgbook.cli.run import run_file
from msgbook.request.history import CONTINUE_WORDS

LENGTH = Answer([delta(content="One, two"), finish("length")])


def advised(told: str, verb: str) -> list[str]:
    """The arguments of the command that a message advises."""
    return next(
        shlex.split(part)[1:] for part in told.split("`") if part.startswith(f"msgbook {verb} ")
    )


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
