"""Questions of sub-agents that run side by side: each says whose it is, and gets its own answer."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import ScriptedServer, call, text
from team import dispatch, dispatch_result, play, report

from msgbook_format.turn import TURN_MIME

CELL = {"id": "a", "cell_type": "code", "source": "hi", "metadata": {}, "outputs": []}
FOLDERS = ("first", "second", "third")


@pytest.fixture
def team(kernel: KernelClient, module_server: ScriptedServer, tmp_path: Any) -> dict[str, Any]:
    """Folders that sub-agents want to make, each its own."""
    paths = {name: tmp_path / name for name in FOLDERS}
    module_server.choose = play(
        [dispatch(*(f"Make {name}" for name in FOLDERS)), text("All done.")],
        {
            f"Make {name}": [call("mkdir", {"path": str(path)}), report(f"{name} is made.")]
            for name, path in paths.items()
        },
    )
    return paths


def rows_in(messages: list[Message]) -> list[dict[str, Any]]:
    shown = [m["content"]["data"] for m in messages if "transient" in m["content"]]
    rows: list[dict[str, Any]] = dispatch_result(shown[-1][TURN_MIME])["agents"]
    return rows


def test_a_page_gets_all_questions_and_each_answer_reaches_its_own(kernel, team):
    page = FakePage(kernel, [CELL])

    def decide(asked: Message) -> Message:
        made = json.loads(asked["arguments"]).get("path", "")
        return {"decision": "no" if made.endswith("second") else "once"}

    page.decide = decide
    try:
        reply, messages = kernel.finish(kernel.start("hi", "a"), page.take)
    finally:
        page.close()

    assert reply["status"] == "ok"
    assert [path.is_dir() for path in team.values()] == [True, False, True]
    rows = rows_in(messages)
    first, *asked = page.got("approval.ask")
    assert (first["name"], first["asker"]) == ("dispatch_subagents", [])
    names = {row["uuid"]: row["name"] for row in rows}
    assert len(names) == 3
    for question in asked:
        uuid, _, call_id = question["call_id"].partition("/")
        assert (question["asker"], call_id) == ([names.pop(uuid)], "call_1")
    assert names == {}


def test_the_call_that_starts_sub_agents_and_their_own_calls_can_be_edited(
    kernel, module_server, tmp_path
):
    module_server.choose = play(
        [dispatch("Make wrong"), text("All done.")],
        {"Make right": [call("mkdir", {"path": str(tmp_path / "one")}), report("Made.")]},
    )
    page = FakePage(kernel, [CELL])
    asked: list[Message] = []

    def decide(question: Message) -> Message:
        asked.append(question)
        if question["edited"]:
            return {"decision": "once", "arguments": question["arguments"]}
        edited = question["arguments"].replace("Make wrong", "Make right").replace("one", "other")
        return {"decision": "edit", "edited_arguments": edited}

    page.decide = decide
    try:
        _, messages = kernel.finish(kernel.start("hi", "a"), page.take)
    finally:
        page.close()

    assert [(q["name"], q["edited"]) for q in asked] == [
        ("dispatch_subagents", False),
        ("dispatch_subagents", True),
        ("mkdir", False),
        ("mkdir", True),
    ]
    assert asked[2]["call_id"] == asked[3]["call_id"]
    assert ((tmp_path / "one").exists(), (tmp_path / "other").is_dir()) == (False, True)
    assert [row["status"] for row in rows_in(messages)] == ["done"]


def test_on_a_line_of_input_one_question_comes_after_the_other(kernel, team):
    request = kernel.start("hi", "a", allow_stdin=True)
    answered = []
    for _ in range(4):
        prompt = kernel.client.get_stdin_msg(timeout=300)["content"]["prompt"]
        asker = re.match(r"A call of the sub-agent Make (\w+)", prompt)
        answered.append(asker[1] if asker else "")
        assert asker is None or str(team[asker[1]]) in prompt
        kernel.client.input("n" if answered[-1] == "second" else "y")
    messages = kernel.finish(request)[1]

    assert answered[0] == ""
    assert sorted(answered[1:]) == sorted(FOLDERS)
    assert [path.is_dir() for path in team.values()] == [True, False, True]
    assert [row["status"] for row in rows_in(messages)] == ["done"] * 3
