"""Whatever a client asks, the kernel answers in words, changes nothing and tells no key."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from page_comm import Message, Page

from msgbook.kernel.page.queries import INTERNAL_ERROR
from msgbook.kernel.page_queries import QUERIES
from msgbook.kernel.session import Session
from msgbook_format.syntax import CHAT_CELLS

KEY = "sk-very-secret-4711"

CONFIG = """
[providers.first]
base_url = "http://127.0.0.1:9/v1"
api_key = "{key}"

[approval]
rules = [{{ tool = "read" }}]
"""

TEXTS = [
    "name",
    "cell_id",
    "agent",
    "frontmatter",
    "provider",
    "key",
    "tool",
    "arguments",
    "folder",
    "base_url",
    "key_from",
    "key_variable",
    "model",
    "api",
    "digest",
    "uuid",
]
"""Names of all parameters that are texts."""

OTHERS = ["cells", "metadata", "index"]

VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    "",
    [],
    {},
    [[]],
    [None],
    {"": None},
    [{}] * 3,
    "x" * 100_000,
    "..",
    ".",
    "/",
    "../x.ipynb",
    "a\0b",
    "~nobody/x",
    "~",
    "/proc/self/mem",
    "\ud800",
    "\n",
    [{"id": "a", "cell_type": "code", "source": "%agent \ud800"}],
    [{"id": "a", "cell_type": "code", "source": "hi", "metadata": 1, "outputs": {"x": 1}}],
    [{"id": "a", "cell_type": "raw", "source": "hi", "metadata": {"msgbook": [1]}}],
    {"frontmatter": ["x"], "model": {"x": 1}},
    {"frontmatter": "agents: {x: {provider: [1], models: {}}}\ndefault_agent: [x]"},
    {"frontmatter": "default_agent: x\nagents:\n  x: {base_url: 'http://leak.invalid'}"},
    {"frontmatter": "a: &a [*a]\n- }{"},
]


ASKING = ("setup.test", "setup.models")
UNASKED = {"key_from": "variable", "key_variable": "MSGBOOK_NO_SUCH_KEY"}
"""With a key that is not there, these ask no server."""


def form(**changed: Any) -> Message:
    """What the set-up form sends, with other values in place of some."""
    names = ("name", "base_url", "key_from", "key_variable", "model", "api")
    values = ("first", "http://127.0.0.1:9/v1", "none", "", "m", "")
    return {**dict(zip(names, values, strict=True)), "digest": "0", **changed}


RIGHT: Message = {
    **form(tool="read", arguments="", folder="", key="x", cell_id="a", uuid="u", agent="a"),
    "frontmatter": "",
    "cells": [],
    "metadata": {},
    "index": 0,
    "provider": "first",
}
"""A value of the right type for each parameter."""


class Noting(dict[str, Any]):
    """Parameters that note which of them a query reads."""

    def __init__(self, params: Message, read: set[str]) -> None:
        super().__init__(params)
        self.read = read

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)


class Asking:
    """A session in a folder, a client that asks it, and what was logged."""

    def __init__(self, folder: Path) -> None:
        namespace: Any = dict
        self.session = Session(folder, namespace, CHAT_CELLS)
        self.logged: list[Exception] = []
        self.answers: list[Message] = []
        self._waiting: dict[str, asyncio.Future[Message]] = {}
        original = self.session.log_internal_error

        def log(error: Exception) -> Any:
            self.logged.append(error)
            return original(error)

        self.session.log_internal_error = log  # type: ignore[method-assign]
        self.session.answer_queries(asyncio.get_running_loop())
        self.page = Page(self.session.page, "a client", self._hear)

    async def ask(self, name: Any, params: Any, **more: Any) -> Message:
        number = str(len(self.answers))
        self._waiting[number] = asyncio.get_running_loop().create_future()
        query = {"type": "query", "request_id": number, "name": name, "params": params}
        self.page.say({**query, **more})
        message = await asyncio.wait_for(self._waiting[number], 300)
        self.answers.append(message)
        return message

    def _hear(self, message: Message) -> None:
        if message["type"] == "query.answer":
            self._waiting[message["request_id"]].set_result(message)
        elif message["type"] == "cells.get":
            # A real page answers later.
            asyncio.get_running_loop().call_soon(self._tell_cells, message["request_id"])

    def _tell_cells(self, request_id: str) -> None:
        cell = {"id": "a", "cell_type": "code", "source": "hi", "metadata": {}, "outputs": []}
        answer = {"type": "cells", "request_id": request_id, "cells": [cell], "metadata": {}}
        self.page.say(answer)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "settings" / "msgbook.toml"
    config.parent.mkdir()
    config.write_text(CONFIG.format(key=KEY))
    monkeypatch.setenv("MSGBOOK_CONFIG", str(config))
    monkeypatch.setenv("MSGBOOK_MODEL", "m")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    place = tmp_path / "folder"
    place.mkdir()
    (place / "link.ipynb").symlink_to("/etc/passwd")
    (place / "loop.ipynb").symlink_to("loop.ipynb")
    return place


def files(folder: Path) -> dict[str, str]:
    """All files of the settings, of the user's data and of the notebook's folder."""
    found = (path for path in sorted(folder.parent.rglob("*")) if path.is_file())
    return {
        str(path): path.read_text("utf-8", "replace") for path in found if "link" not in str(path)
    }


def test_no_query_with_wrong_parameters_is_an_internal_error_or_changes_anything(
    folder: Path,
) -> None:
    async def attack() -> Asking:
        asking = Asking(folder)
        names = [*QUERIES]
        assert len(names) > 15
        seen: set[str] = set()
        for name in names:
            if name in ("setup.save", "approvals.add", "approvals.change"):
                continue  # below: a person asks for what these change
            fixed = UNASKED if name in ASKING else {}
            read: set[str] = set()
            for value in VALUES:
                await asking.ask(name, value)
                everywhere = {**dict.fromkeys((*TEXTS, *OTHERS), value), **fixed}
                for params in (everywhere, {**RIGHT, **fixed}):
                    await asking.ask(name, Noting(params, read))
            for key in sorted(read - fixed.keys()):
                for value in VALUES:
                    await asking.ask(name, {**RIGHT, **fixed, key: value})
            seen |= read
        await asking.session.close()
        assert seen > {"cell_id", "frontmatter", "provider", "uuid"}, seen
        return asking

    before = files(folder)
    asking = asyncio.run(attack())
    assert [repr(error) for error in asking.logged] == []
    assert KEY not in json.dumps(asking.answers)
    assert INTERNAL_ERROR not in json.dumps(asking.answers)
    assert files(folder) == before


def rules_of(asking: Asking) -> list[Any]:
    from msgbook.approval import Rules

    return [item.entry for item in Rules.from_user_files(()).remembered(None)]


WRONG_RULES: list[Message] = [
    {"tool": "shell", "arguments": "", "folder": ""},
    {"tool": "shell", "arguments": '{"command": "*"}', "folder": ""},
    {"tool": "shell", "arguments": '{"command": "g* status"}', "folder": ""},
    {"tool": "python", "arguments": '{"code": "1"}', "folder": ""},
    {"tool": "*", "arguments": "", "folder": ""},
    {"tool": "shell\u202e", "arguments": '{"command": "ls"}', "folder": ""},
    {"tool": "read", "arguments": '{"path": "a", "path": "*"}', "folder": ""},
    {"tool": "read", "arguments": "[1]", "folder": ""},
    {"tool": "read", "arguments": "[" * 10_000, "folder": ""},
    {"tool": "read", "arguments": '{"a":' * 3000 + "1" + "}" * 3000, "folder": ""},
    {"tool": "read", "arguments": '{"n": ' + "9" * 10_000 + "}", "folder": ""},
    {"tool": "read", "arguments": "", "folder": "~nobody-of-that-name/x"},
    {"tool": "read", "arguments": "", "folder": "x" * 5000},
    {"tool": "read", "arguments": "", "folder": "/" + "x" * 300},
    {"tool": "read", "arguments": "", "folder": "relative"},
    {"tool": "read", "arguments": "", "folder": "/" + "a/" * 5000},
]


@pytest.mark.parametrize("query", ["approvals.add", "approvals.change"])
def test_no_rule_is_made_of_what_is_none_or_allows_too_much(query: str, folder: Path) -> None:
    async def attack() -> tuple[Asking, list[Any]]:
        asking = Asking(folder)
        engine = await asking.session.ready_conversation()
        engine.approver.rules.session_tools.append("write")
        listed = (await asking.ask("approvals.list", {}))["result"]["rules"]
        keys = [rule["key"] for rule in listed]
        assert {rule["kind"] for rule in listed} == {"session", "settings"}
        for value in VALUES:
            everywhere = dict.fromkeys((*TEXTS, *OTHERS), value)
            one = ({**RIGHT, key: value} for key in (*TEXTS, *OTHERS))
            for some in (everywhere, *one):
                await asking.ask(query, {**some, "tool": value, "key": keys[0]})
                await asking.ask(query, {**some, "tool": "shell", "key": keys[0]})
        for rule in WRONG_RULES:
            for key in keys:
                await asking.ask(query, {**rule, "key": key})
        await asking.session.close()
        return asking, engine.approver.rules.session_tools

    asking, tools = asyncio.run(attack())
    assert [repr(error) for error in asking.logged] == []
    assert INTERNAL_ERROR not in json.dumps(asking.answers)
    assert rules_of(asking) == []
    assert tools == ["write"]


def test_only_rules_that_a_person_wrote_or_answered_with_can_be_changed(folder: Path) -> None:
    async def attack() -> list[Message]:
        asking = Asking(folder)
        engine = await asking.session.ready_conversation()
        engine.approver.rules.session_tools.append("write")
        listed = (await asking.ask("approvals.list", {}))["result"]["rules"]
        right = {"tool": "read", "arguments": "", "folder": ""}
        for rule in listed:
            await asking.ask("approvals.change", {**right, "key": rule["key"]})
        assert engine.approver.rules.session_tools == ["write"]
        assert rules_of(asking) == []
        await asking.session.close()
        return asking.answers[1:]

    assert all("error" in answer for answer in asyncio.run(attack()))


def test_a_change_never_makes_a_pattern_of_a_call_that_was_approved_as_it_stood(
    folder: Path,
) -> None:
    async def change() -> None:
        asking = Asking(folder)
        engine = await asking.session.ready_conversation()
        engine.approver.rules.add("mkdir", '{"path": "a*"}', engine.approver.folder, "/real/a*")
        [rule] = (await asking.ask("approvals.list", {}))["result"]["rules"][:1]
        same = {key: rule[key] for key in ("key", "tool", "arguments", "folder")}
        before = rules_of(asking)

        assert (await asking.ask("approvals.change", same))["result"] == {}
        assert rules_of(asking) == before
        wider = await asking.ask("approvals.change", {**same, "folder": ""})
        assert "stands for any text" in wider["error"]
        assert rules_of(asking) == before
        await asking.session.close()

    asyncio.run(change())
