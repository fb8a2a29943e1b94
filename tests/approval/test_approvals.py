"""Who decides about a call: the settings, rules, what a person said before, the person."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from file_calls import FileCalls

from msgbook.approval.approver import Approvals
from msgbook.approval.question import Answer, Decision, Question
from msgbook.approval.request import ApprovalRequest
from msgbook.approval.rules import Rule, SavedRules
from msgbook.approval.store import Store

FOLDER = Path("/project")


def question(
    name: str = "shell", arguments: str = "{}", *, every_time: bool = False, path: str = ""
) -> Question:
    call = {"type": "tool_call", "id": "c", "name": name, "arguments": arguments}
    return Question(call, ApprovalRequest("it runs a command", every_time=every_time, path=path))


class Person:
    """Answers with what a test says, and keeps what was asked."""

    def __init__(self, *answers: Answer | None) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return self.answers.pop(0)


def decide(approvals: Approvals, asked: Question, *answers: Answer | None) -> Decision:
    """What is decided; the person has to give all the answers, and no more."""
    person = Person(*answers)
    decision = asyncio.run(approvals.decide(asked, person.ask))
    assert not person.answers
    return decision


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


@pytest.fixture
def approvals(file: Path) -> Approvals:
    return Approvals("ask", FOLDER, saved=SavedRules(Store(file)))


def test_a_person_who_allows_a_call_once_is_asked_the_next_time(approvals):
    assert decide(approvals, question(), Answer("once")) == Decision("user")
    assert decide(approvals, question(), Answer("once")) == Decision("user")


def test_a_denial_tells_the_model_the_persons_reason(approvals):
    denied = decide(approvals, question(), Answer("no", "use the other file"))

    assert denied == Decision("denied", "Denied: the user said no: use the other file")


def test_a_tool_that_was_allowed_for_the_session_is_not_asked_about_again(approvals):
    decide(approvals, question(arguments='{"a": 1}'), Answer("session"))

    assert decide(approvals, question(arguments='{"a": 2}')) == Decision("rule")
    assert decide(approvals, question("write"), Answer("no")).approval == "denied"


def test_a_rule_covers_this_call_in_every_later_session_of_this_folder(approvals, file):
    decide(approvals, question(arguments='{"a": 1}'), Answer("rule"))

    later = Approvals("ask", FOLDER, saved=SavedRules(Store(file)))
    assert decide(later, question(arguments='{"a":1}')) == Decision("rule")
    assert decide(later, question(arguments='{"a": 2}'), Answer("once")) == Decision("user")
    elsewhere = Approvals("ask", FOLDER / "sub", saved=SavedRules(Store(file)))
    assert decide(elsewhere, question(arguments='{"a": 1}'), None).approval == "denied"


@pytest.mark.parametrize("choice", ["session", "rule"])
def test_what_has_to_be_asked_every_time_is_covered_by_nothing(approvals, file, choice):
    asked = question(every_time=True)
    assert asked.choices == ("once", "no")
    assert decide(approvals, asked, Answer(choice)) == Decision("user")

    assert decide(approvals, asked, Answer("once")) == Decision("user")
    assert decide(approvals, question(), Answer("once")) == Decision("user")
    broad = Approvals("ask", FOLDER, [Rule("shell")])
    assert decide(broad, asked, Answer("no")).approval == "denied"
    assert not file.exists()


@pytest.mark.parametrize("policy", ["ask", "deny"])
def test_the_users_rules_hold_where_nobody_can_be_asked(policy):
    approvals = Approvals(policy, FOLDER, [Rule("shell")])

    assert asyncio.run(approvals.decide(question(), None)) == Decision("rule")
    denied = asyncio.run(approvals.decide(question("write"), None))
    assert denied.approval == "denied"
    assert "since it runs a command" in denied.reason


def test_the_policies_allow_and_deny_ask_nobody():
    assert decide(Approvals("allow", FOLDER), question(every_time=True)) == Decision("rule")
    assert decide(Approvals("deny", FOLDER), question()).approval == "denied"


def test_a_person_who_is_not_there_is_no_yes(approvals):
    denied = decide(approvals, question(), None)

    assert (denied.approval, "nobody could be asked" in denied.reason) == ("denied", True)


def test_a_rule_file_that_cannot_be_read_allows_nothing_and_is_said_once(approvals, file):
    file.write_text("{")

    assert decide(approvals, question(), Answer("rule")) == Decision("user")
    assert decide(approvals, question(), Answer("no")).approval == "denied"

    problems = approvals.problems()
    assert len(problems) == 2
    assert problems[0].startswith("Rules allow nothing now: msgbook/rules.json")
    assert "allowed just once" in problems[1]
    assert approvals.problems() == []
    assert file.read_text() == "{"


def test_what_is_forgotten_is_asked_about_again(approvals):
    decide(approvals, question("a"), Answer("session"))
    decide(approvals, question("b"), Answer("rule"))

    approvals.forget(approvals.granted, approvals.saved_rules())

    assert decide(approvals, question("a"), Answer("once")) == Decision("user")
    assert decide(approvals, question("b"), Answer("once")) == Decision("user")


def test_a_rule_for_a_file_does_not_follow_a_link_that_is_turned_elsewhere(tmp_path, file):
    notebook, data = tmp_path / "notebook", tmp_path / "data"
    for folder in (notebook, data):
        folder.mkdir()
    for name in ("asked", "letter"):
        (data / name).write_text(name)
    (notebook / "link").symlink_to(data / "asked")
    approvals = Approvals("ask", notebook, saved=SavedRules(Store(file)))
    arguments = {"path": "link"}

    def asked() -> Question:
        need = FileCalls(notebook).need("read", **arguments)
        return question("read", json.dumps(arguments), path=need["path"])

    assert decide(approvals, asked(), Answer("rule")) == Decision("user")
    assert decide(approvals, asked()) == Decision("rule")
    (notebook / "link").unlink()
    (notebook / "link").symlink_to(data / "letter")

    assert decide(approvals, asked(), Answer("no")).approval == "denied"
    assert str(data / "asked") in str(approvals.saved_rules())
