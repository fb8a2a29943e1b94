"""Rules that a person writes: which are kept, what they allow, and how often they have."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from msgbook.approval import (
    Answer,
    ApprovalRequest,
    Approver,
    Question,
    RuleError,
    Rules,
    StoreError,
    new_rule,
)
from msgbook.approval.store import Store

TOOLS = ["read", "shell", "python", "mkdir"]


def made(tool: str = "mkdir", arguments: str = "", folder: str = "") -> dict[str, Any]:
    return new_rule(tool, arguments, folder, TOOLS)


@pytest.fixture
def approver(tmp_path: Path) -> Approver:
    saved, uses = (Store(tmp_path / name) for name in ("rules.json", "uses.json"))
    return Approver("ask", tmp_path, Rules(kept=saved, counts=uses))


def decide(approver: Approver, arguments: Any, tool: str = "mkdir", **wanted: Any) -> str:
    """The decision about a call that a person would deny."""

    async def ask(_question: Question) -> Answer:
        return Answer("no")

    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"type": "tool_call", "id": "c", "name": tool, "arguments": text}
    question = Question(call, ApprovalRequest("why", **wanted))  # type: ignore[arg-type]
    return asyncio.run(approver.decide(question, ask)).approval


def test_a_rule_allows_what_it_says_and_its_calls_are_counted(approver):
    approver.rules.add_own(made(arguments='{"path": "notes-*"}'))

    assert decide(approver, {"path": "notes-1"}) == "rule"
    assert decide(approver, {"path": "notes-2"}) == "rule"
    assert decide(approver, {"path": "other"}) == "denied"
    assert decide(approver, {"path": "notes-1"}, always_asks=True) == "denied"
    [item] = approver.remembered()
    assert (item.kind, item.uses.count) == ("own", 2)
    assert item.uses.last.startswith("20")
    assert str(item).startswith('mkdir {"path":"notes-*"}, in any folder (2 times, last 20')
    approver.rules.forget([item])
    assert decide(approver, {"path": "notes-1"}) == "denied"


def test_nothing_is_kept_of_the_uses_of_what_was_forgotten(approver, tmp_path):
    approver.rules.add_own(made())
    approver.rules.add_own(made("read"))
    approver.rules.session_tools.append("shell")
    for tool in ("mkdir", "read", "shell"):
        assert decide(approver, {}, tool) == "rule"

    approver.rules.forget([item for item in approver.remembered() if item.tool != "read"])

    kept = {item.key for item in approver.remembered()}
    assert json.loads((tmp_path / "uses.json").read_text())["uses"].keys() == kept
    approver.rules.add_own(made())
    assert [item.uses.count for item in approver.remembered()] == [1, 0]


def test_answers_and_own_rules_stand_in_one_file_and_keep_each_other(approver, tmp_path):
    saved = Rules(kept=Store(tmp_path / "rules.json"))
    approver.rules.add_own(made())
    saved.add("shell", '{"command": "ls"}', tmp_path)
    saved.add("shell", '{"command": "ls"}', tmp_path / "sub")
    approver.rules.add_own(made("read"))
    approver.rules.add_own(made("read"))

    assert [item.kind for item in approver.remembered()] == ["answer", "own", "own"]
    assert len(approver.remembered(everywhere=True)) == 4
    approver.rules.forget(approver.remembered(everywhere=True))
    assert approver.remembered(everywhere=True) == []


def test_edited_arguments_are_asked_about_though_a_rule_would_allow_them(approver):
    approver.rules.add_own(made())
    asked = []

    async def ask(question: Question) -> Answer:
        asked.append(question)
        return Answer("once")

    call: Any = {"type": "tool_call", "id": "c", "name": "mkdir", "arguments": "{}"}
    question = Question(call, ApprovalRequest("why"), is_edited=True)
    assert asyncio.run(approver.decide(question, ask)).approval == "user"
    assert asked == [question]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (("",), "name of a tool"),
        (("rm -rf",), "name of a tool"),
        (("nothing",), "There is no tool `nothing`"),
        (("python",), "asks each time"),
        (("mkdir", "[1]"), "expected a JSON object"),
        (("mkdir", "{'a': 1}"), "cannot be read"),
        (("mkdir", '{"path": "a", "path": "b"}'), "the same key twice"),
        (("mkdir", '{"path": "a\u202eb"}'), "visible characters"),
        (("mkdir", '{"path": "' + "x" * 20_000 + '"}'), "20,000"),
        (("mkdir", "", "relative"), "folder that exists"),
        (("mkdir", "", "/nowhere/at/all"), "folder that exists"),
        (("mkdir", "", "/tmp\0"), "visible characters"),
        (("shell",), "name of a program"),
        (("shell", '{"command": "*"}'), "name of a program"),
        (("shell", '{"command": " *git status"}'), "name of a program"),
        (("shell", '{"command": ["ls"]}'), "name of a program"),
        (("shell", '{"timeout": 3}'), "name of a program"),
    ],
)
def test_a_rule_that_is_invalid_or_allows_too_much_is_refused_with_words(rule, words):
    with pytest.raises(RuleError, match=words):
        made(*rule)


def test_a_tool_of_a_server_needs_not_be_known(tmp_path):
    assert made("mcp__docs__search", '{"q": "*"}', str(tmp_path))["folder"] == str(tmp_path)


@pytest.mark.parametrize("own", [3, [3, {"tool": 4}, {"tool": "mkdir", "more": 1}, None]])
def test_what_is_no_rule_in_the_file_allows_nothing(approver, tmp_path, own):
    (tmp_path / "rules.json").write_text(json.dumps({"own": own}))

    assert decide(approver, {"path": "a"}) == "denied"
    if isinstance(own, list):
        assert approver.remembered() == []


@pytest.mark.parametrize("uses", ["{", "[]", '{"uses": 3}', '{"uses": {"k": [-1, "x"]}}'])
def test_counts_that_cannot_be_read_take_no_rule_away_and_keep_none(approver, tmp_path, uses):
    approver.rules.add_own(made())
    (tmp_path / "uses.json").write_text(uses)

    assert decide(approver, {"path": "a"}) == "rule"
    approver.rules.forget(approver.remembered())
    assert decide(approver, {"path": "a"}) == "denied"


def test_there_are_no_more_rules_than_a_person_can_read(approver, tmp_path):
    tables = [{"tool": "mkdir", "arguments": {"path": str(n)}} for n in range(500)]
    Store(tmp_path / "rules.json").write({"own": tables})

    with pytest.raises(StoreError, match="delete one first"):
        approver.rules.add_own(made())
