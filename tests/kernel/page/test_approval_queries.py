"""The page lists, writes, changes and deletes the approval rules of the user."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from msgbook.approval import Approver, Rule, Rules
from msgbook.approval.roots import Roots
from msgbook.approval.store import Store
from msgbook.errors import MsgbookError
from msgbook.kernel.page.queries import Query, QueryError
from msgbook.kernel.page_queries import QUERIES
from msgbook.magics.agent import describe_approval
from msgbook.magics.overview import POLICIES

ROOT = Path(__file__).parents[3]
KERNEL = ROOT / "kernel" / "msgbook"


@pytest.fixture
def ask(tmp_path: Path):
    kept, counts = Store(tmp_path / "r.json"), Store(tmp_path / "u.json")
    approver = Approver("ask", tmp_path, Rules([Rule("glob")], kept, counts))
    tools = [SimpleNamespace(name=name) for name in ("mkdir", "shell")]

    async def ready_conversation() -> Any:
        return SimpleNamespace(approver=approver, tools=tools)

    session: Any = SimpleNamespace(ready_conversation=ready_conversation)
    return lambda name, **params: asyncio.run(QUERIES[f"approvals.{name}"](session, Query(params)))


def listed(ask: Any) -> list[tuple[str, str, str | None]]:
    return [(rule["kind"], rule["tool"], rule["arguments"]) for rule in ask("list")["rules"]]


def test_rules_are_added_changed_and_deleted(ask):
    assert ask("add", tool="mkdir", arguments='{"path": "a"}', folder="") == {}
    assert listed(ask) == [("own", "mkdir", '{"path":"a"}'), ("settings", "glob", None)]
    key = ask("list")["rules"][0]["key"]
    ask("change", key=key, tool="mkdir", arguments='{"path": "b"}', folder="")
    assert listed(ask)[0] == ("own", "mkdir", '{"path":"b"}')
    key = ask("list")["rules"][0]["key"]
    ask("change", key=key, tool="mkdir", arguments='{"path": "b"}', folder="")
    ask("delete", key=key)
    assert listed(ask) == [("settings", "glob", None)]
    answer = ask("list")
    assert answer["policy"] == "You are asked about each call that needs approval."
    assert answer["tools"] == ["mkdir", "shell"]
    json.dumps(answer)


def test_a_change_that_is_refused_changes_nothing(ask):
    ask("add", tool="mkdir", arguments="", folder="")
    key = ask("list")["rules"][0]["key"]

    with pytest.raises(MsgbookError, match="name of a program"):
        ask("change", key=key, tool="shell", arguments="", folder="")
    assert listed(ask)[0] == ("own", "mkdir", None)


def test_rules_of_the_settings_and_unknown_ones_cannot_be_deleted(ask):
    for key in (ask("list")["rules"][-1]["key"], "x", ""):
        with pytest.raises(QueryError, match="no longer exists"):
            ask("delete", key=key)


@pytest.mark.parametrize("params", [{}, {"tool": 3}, {"tool": "mkdir", "arguments": {}}])
def test_wrong_types_are_refused_with_words(ask, params):
    for name in ("add", "change", "delete"):
        with pytest.raises(QueryError, match="has to be a text"):
            ask(name, **params)


def test_the_page_knows_each_sentence_on_what_needs_approval():
    tools: list[Any] = [
        SimpleNamespace(read_only=read_only, origin=origin)
        for read_only in (True, False)
        for origin in ("", "x")
    ]
    said = {*POLICIES.values(), *(describe_approval(tool) for tool in tools)}
    known = sentences_of_the_page()

    assert said == known


def test_the_page_knows_each_reason_for_an_approval(tmp_path):
    """What the page says in its own language is the list that its tests read."""
    spec = ROOT / "labextension" / "src" / "__tests__" / "approvalReasons.json"

    assert set(reasons_of_the_kernel(tmp_path)) == set(json.loads(spec.read_text("utf-8")))


def reasons_of_the_kernel(folder: Path) -> Iterator[str]:
    """Yield each reason, with `/p` for a path and a word for any other name."""
    written = (KERNEL / "tools" / "files" / "writing.py").read_text("utf-8")
    effects = re.findall(r'"(it [a-z ]+)"', written)
    assert len(effects) == 5
    for roots in (Roots(folder), Roots(Path.home()), Roots(folder, allowed=[folder / "a"])):
        for real in (roots.folder / "p", roots.folder / ".env", Path("/o/p"), Path("/o/.env")):
            requests = [roots.check_read(real), *(roots.check_write(real, one) for one in effects)]
            yield from (one.reason.replace(str(real), "/p") for one in requests if one)
    said = "".join(path.read_text("utf-8") for path in sorted(KERNEL.rglob("*.py")))
    for reason in re.findall(r'ApprovalRequest\(\s*f?"(it .+?)"[,)]', said):
        for count, kind in (("1 sub-agent", "code cell"), ("2 sub-agents", "note")):
            yield re.sub(r"\{counted\(.*?\)\}", count, reason).replace("{new.what}", kind)


def sentences_of_the_page() -> set[str]:
    """The kernel's sentences that the page says in its own language."""
    words = ROOT / "labextension" / "src" / "turn" / "kernelWords.ts"
    known = re.findall(r"""case (['"])(.+?)\1:""", words.read_text("utf-8"))
    return {sentence for _, sentence in known}
