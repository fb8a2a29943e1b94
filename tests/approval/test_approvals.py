"""Who decides about a call: the settings, rules, what a person said before, the person."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from file_calls import FileCalls

from msgbook.approval import Answer, ApprovalRequest, Approver, Decision, Question, Rule, Rules
from msgbook.approval.question import QUESTION_LIMIT
from msgbook.approval.store import Store

FOLDER = Path("/project")


def question(
    name: str = "shell", arguments: str = "{}", *, always_asks: bool = False, path: str = ""
) -> Question:
    call = {"type": "tool_call", "id": "c", "name": name, "arguments": arguments}
    return Question(call, ApprovalRequest("it runs a command", always_asks=always_asks, path=path))


class Person:
    """Answers with what a test says, and keeps what was asked."""

    def __init__(self, *answers: Answer | None) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return self.answers.pop(0)


def decide(approver: Approver, asked: Question, *answers: Answer | None) -> Decision:
    """What is decided; the person has to give all the answers, and no more."""
    person = Person(*answers)
    decision = asyncio.run(approver.decide(asked, person.ask))
    assert not person.answers
    return decision


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


@pytest.fixture
def approver(file: Path) -> Approver:
    return Approver("ask", FOLDER, Rules(kept=Store(file)))


def test_a_person_who_approves_a_call_once_is_asked_the_next_time(approver):
    assert decide(approver, question(), Answer("once")) == Decision("user")
    assert decide(approver, question(), Answer("once")) == Decision("user")


def test_a_denial_tells_the_model_the_persons_reason(approver):
    denied = decide(approver, question(), Answer("no", "use the other file"))

    assert denied == Decision("denied", "Denied by the user: use the other file")


def test_a_tool_that_was_approved_for_the_session_is_not_asked_about_again(approver):
    decide(approver, question(arguments='{"a": 1}'), Answer("session"))

    assert decide(approver, question(arguments='{"a": 2}')) == Decision("rule")
    assert decide(approver, question("write"), Answer("no")).approval == "denied"


def test_a_rule_covers_this_call_in_every_later_session_of_this_folder(approver, file):
    decide(approver, question(arguments='{"a": 1}'), Answer("rule"))

    later = Approver("ask", FOLDER, Rules(kept=Store(file)))
    assert decide(later, question(arguments='{"a":1}')) == Decision("rule")
    assert decide(later, question(arguments='{"a": 2}'), Answer("once")) == Decision("user")
    elsewhere = Approver("ask", FOLDER / "sub", Rules(kept=Store(file)))
    assert decide(elsewhere, question(arguments='{"a": 1}'), None).approval == "denied"


@pytest.mark.parametrize("choice", ["session", "rule"])
def test_nothing_covers_a_call_that_always_asks(approver, file, choice):
    asked = question(always_asks=True)
    assert asked.choices == ("once", "no")
    assert decide(approver, asked, Answer(choice)) == Decision("user")

    assert decide(approver, asked, Answer("once")) == Decision("user")
    assert decide(approver, question(), Answer("once")) == Decision("user")
    broad = Approver("ask", FOLDER, Rules([Rule("shell")]))
    assert decide(broad, asked, Answer("no")).approval == "denied"
    assert not file.exists()


@pytest.mark.parametrize("policy", ["ask", "deny"])
def test_the_users_rules_hold_where_nobody_can_be_asked(policy):
    approver = Approver(policy, FOLDER, Rules([Rule("shell")]))

    assert asyncio.run(approver.decide(question(), None)) == Decision("rule")
    denied = asyncio.run(approver.decide(question("write"), None))
    assert denied.approval == "denied"
    assert "since it runs a command" in denied.reason


def test_the_policies_allow_and_deny_ask_nobody():
    assert decide(Approver("allow", FOLDER), question(always_asks=True)) == Decision("policy")
    assert decide(Approver("deny", FOLDER), question()).approval == "denied"


def test_if_nobody_answers_the_call_is_denied(approver):
    denied = decide(approver, question(), None)

    assert (denied.approval, "nobody could be asked" in denied.reason) == ("denied", True)


@pytest.mark.parametrize("long", ["arguments", "preview", "draft"])
def test_a_call_that_is_too_long_to_be_shown_is_denied_unasked_and_the_model_is_told(
    approver, long
):
    asked = question()
    text = "文" * (QUESTION_LIMIT // 3 + 1)
    if long == "arguments":
        asked = question(arguments=json.dumps({"a": text}, ensure_ascii=False))
    elif long == "preview":
        asked = replace(asked, approval_request=ApprovalRequest("it writes a file", text))
    else:
        asked = replace(asked, draft=text)

    denied = decide(approver, asked)

    assert denied.approval == "denied"
    assert "too long to be shown" in denied.reason
    assert str(QUESTION_LIMIT) in denied.reason


def test_a_call_as_long_as_a_question_may_be_is_asked_about(approver):
    assert decide(approver, question(arguments="x" * QUESTION_LIMIT), Answer("once")) == Decision(
        "user"
    )


def test_a_rule_covers_a_call_that_is_too_long_to_be_shown():
    approver = Approver("ask", FOLDER, Rules([Rule("shell")]))

    assert decide(approver, question(arguments="x" * (QUESTION_LIMIT + 1))) == Decision("rule")


def test_a_rule_file_that_cannot_be_read_allows_nothing_and_is_said_once(approver, file):
    file.write_text("{")

    assert decide(approver, question(), Answer("rule")) == Decision("user")
    assert decide(approver, question(), Answer("no")).approval == "denied"

    problems = approver.rules.take_problems()
    assert len(problems) == 2
    assert problems[0].startswith("No saved rule applies: msgbook/rules.json")
    assert "approved only once" in problems[1]
    assert approver.rules.take_problems() == []
    assert file.read_text() == "{"


def test_rules_go_on_to_hold_after_long_calls_were_always_approved(approver):
    decide(approver, question("mkdir"), Answer("rule"))
    for number in range(6):
        content = json.dumps({"content": f"{number}" * 1_900_000})
        decide(approver, question("write", content), Answer("rule"))

    assert decide(approver, question("mkdir")) == Decision("rule")
    words = (
        "The call of write was approved only once: No rule was made, since the arguments are longer"
    )
    assert [problem.startswith(words) for problem in approver.rules.take_problems()] == [True]


def test_a_rule_is_for_the_whole_of_long_arguments(approver):
    long = json.dumps({"content": "x" * 90_000})
    decide(approver, question("write", long), Answer("rule"))

    assert decide(approver, question("write", long)) == Decision("rule")
    other = json.dumps({"content": "x" * 89_999 + "y"})
    assert decide(approver, question("write", other), Answer("no")).approval == "denied"


def test_what_is_forgotten_is_asked_about_again(approver):
    decide(approver, question("a"), Answer("session"))
    decide(approver, question("b"), Answer("rule"))

    approver.rules.forget(approver.remembered())

    assert decide(approver, question("a"), Answer("once")) == Decision("user")
    assert decide(approver, question("b"), Answer("once")) == Decision("user")


def test_a_rule_for_a_file_does_not_follow_a_link_that_is_turned_elsewhere(tmp_path, file):
    notebook, data = tmp_path / "notebook", tmp_path / "data"
    for folder in (notebook, data):
        folder.mkdir()
    for name in ("asked", "letter"):
        (data / name).write_text(name)
    (notebook / "link").symlink_to(data / "asked")
    approver = Approver("ask", notebook, Rules(kept=Store(file)))
    arguments = {"path": "link"}

    def asked() -> Question:
        needed = FileCalls(notebook).approval_request("read", **arguments)
        return question("read", json.dumps(arguments), path=needed.path)

    assert decide(approver, asked(), Answer("rule")) == Decision("user")
    assert decide(approver, asked()) == Decision("rule")
    (notebook / "link").unlink()
    (notebook / "link").symlink_to(data / "letter")

    assert decide(approver, asked(), Answer("no")).approval == "denied"
    assert str(data / "asked") in str([item.entry for item in approver.remembered()])
