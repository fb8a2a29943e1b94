"""`%approvals` says what is allowed, and takes it back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from msgbook.approval import (
    Answer,
    ApprovalRequest,
    Approver,
    Question,
    Rule,
    Rules,
    StoreError,
)
from msgbook.approval.store import Store
from msgbook.config import Settings
from msgbook.engine import Conversation, Services
from msgbook.magics import run_magic
from msgbook.magics.base import MagicContext, UsageError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


@pytest.fixture
def approver(tmp_path: Path, file: Path) -> Approver:
    rules = Rules([Rule("glob", {"pattern": "*.py"})], Store(file))
    return Approver("ask", tmp_path, rules)


@pytest.fixture
def run(approver: Approver, tmp_path: Path):
    engine = Conversation(Services(Settings()), tmp_path, approver=approver)

    async def transcript():
        raise AssertionError("nothing of the notebook is needed")

    return lambda source: asyncio.run(run_magic(source, MagicContext(engine, transcript)))


def answer(approver: Approver, tool: str, arguments: str, choice) -> None:
    async def ask(question: Question) -> Answer:
        return Answer(choice)

    call = {"type": "tool_call", "id": "c", "name": tool, "arguments": arguments}
    asyncio.run(approver.decide(Question(call, ApprovalRequest("why")), ask))


def test_it_lists_policy_session_approvals_and_rules_with_numbers(run, approver):
    answer(approver, "shell", '{"command": "a\u202eb"}', "rule")
    answer(approver, "write", "{}", "session")

    assert run("%approvals") == (
        "You are asked about each call that needs approval.\n\n"
        "Approved by your answers:\n"
        "   1  write, in this session\n"
        '   2  shell {"command":"a\\u202eb"}, in this folder\n\n'
        "Approved by rules in msgbook.toml or in the trusted project:\n"
        '      glob {"pattern":"*.py"}'
    )


def test_what_is_forgotten_is_said_and_gone(run, approver):
    for name in "abc":
        answer(approver, name, "{}", "rule")

    assert run("%approvals forget 2") == "Forgotten: b {}, in this folder"
    assert [item.tool for item in approver.remembered()] == ["a", "c"]
    assert len(run("%approvals forget all").splitlines()) == 2
    assert approver.remembered() == []
    assert run("%approvals forget all") == "There is nothing to forget."


@pytest.mark.parametrize("words", ["forget", "forget 0", "forget 2", "forget x", "list", "a b"])
def test_what_is_not_there_cannot_be_forgotten(run, approver, words):
    answer(approver, "a", "{}", "rule")

    with pytest.raises(UsageError):
        run(f"%approvals {words}")
    assert len(approver.remembered()) == 1


def test_a_rule_file_that_cannot_be_read_is_said(run, file):
    file.write_text("{")

    with pytest.raises(StoreError, match="is not JSON"):
        run("%approvals")
    with pytest.raises(StoreError):
        run("%approvals forget all")
    assert file.read_text() == "{"
