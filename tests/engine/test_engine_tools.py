"""Turns through the engine and the real SDK: what tools may do, and what models get of it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest
from apis import over_all_apis
from engine_turns import results, run_prompt
from scripted_server import Answer, ScriptedServer, call, delta, finish, text

pytestmark = over_all_apis


@pytest.fixture
def ask(server: ScriptedServer, tmp_path: Path):
    """Runs one prompt with the given settings and returns the turn."""
    return partial(run_prompt, server, tmp_path)


def test_a_tool_reads_nothing_outside_the_notebooks_folder(server, ask, tmp_path):
    secret = tmp_path.parent / "outside.txt"
    secret.write_text("classified")
    (tmp_path / "link").symlink_to(secret)
    (tmp_path / ".env").write_text("classified")
    (tmp_path / "fine.txt").write_text("public")
    paths = [str(secret), "../outside.txt", "link", ".env", "/proc/self/environ", "fine.txt"]
    server.answers = [call("read", {"path": path}) for path in paths] + [text("ok")]

    turn = ask()

    assert [result["status"] for result in results(turn)] == ["denied"] * 5 + ["success"]
    assert "classified" not in str(server.requests)
    assert results(turn)[-1]["content"] == "public"
    approvals = [b["approval"] for b in turn["blocks"] if b["type"] == "tool_call"]
    assert approvals == ["denied"] * 5 + ["auto"]


def test_every_turn_says_that_all_calls_are_allowed(server, ask, tmp_path):
    secret = tmp_path.parent / "outside.txt"
    secret.write_text("allowed")
    server.answers = [call("read", {"path": str(secret)}), text("ok")]

    turn = ask(MSGBOOK_APPROVAL="allow")

    assert results(turn)[0]["content"] == "allowed"
    assert turn["blocks"][0]["type"] == "notice"
    assert "MSGBOOK_APPROVAL=allow" in turn["blocks"][0]["text"]


def test_an_unknown_approval_policy_allows_nothing(server, ask, tmp_path):
    server.answers = [call("read", {"path": ".."}), text("ok")]

    turn = ask(MSGBOOK_APPROVAL="always")

    assert results(turn)[0]["status"] == "denied"
    assert "expected ask, deny or allow" in turn["blocks"][0]["text"]


def test_wrong_arguments_and_unknown_tools_are_results_for_the_model(server, ask):
    server.answers = [
        call("read", {"file": "x"}),
        call("fly", {}),
        Answer(
            [
                delta(
                    tool_calls=[
                        {
                            "index": 0,
                            "id": "c",
                            "function": {"name": "read", "arguments": "{broken"},
                        }
                    ]
                ),
                finish("tool_calls"),
            ]
        ),
        call("read", {"path": "."}),
        text("ok"),
    ]

    turn = ask()

    assert turn["status"] == "done"
    said = [(result["status"], result["content"]) for result in results(turn)]
    assert [status for status, _ in said] == ["error", "error", "error", "success"]
    assert "arguments do not fit" in said[0][1]
    assert "no tool named 'fly'" in said[1][1]
    assert "arguments do not fit" in said[2][1]


def test_a_turn_ends_after_max_steps_model_calls(server, ask):
    server.answers = [call("read", {"path": str(number)}) for number in range(31)]

    turn = ask()

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "max_steps")
    assert len(server.requests) == 30


def test_a_message_can_lower_the_limits_of_its_turn_but_not_raise_them(server, ask):
    server.answers = [call("read", {"path": str(number)}) for number in range(40)]

    lower = ask("%%msg max_steps=2\nhi")
    higher = ask("%%msg max_steps=99\nhi")

    asked = [sum(b["type"] == "tool_call" for b in turn["blocks"]) for turn in (lower, higher)]
    assert asked == [2, 30]
    assert "max_steps=99 is ignored: your own limit is 30" in higher["blocks"][0]["text"]


def test_each_call_of_a_step_gets_its_own_result(server, ask, tmp_path):
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    pieces = [
        {"index": i, "id": f"c{i}", "function": {"name": "read", "arguments": f'{{"path": "{n}"}}'}}
        for i, n in enumerate("ab")
    ]
    server.answers = [
        Answer([delta(content="Two at once."), delta(tool_calls=pieces), finish("tool_calls")]),
        text("ok"),
    ]

    ask()

    assistant, *tools = server.messages()[2:]
    assert assistant["content"] == "Two at once."
    assert [c["id"] for c in assistant["tool_calls"]] == ["c0", "c1"]
    assert [(m["tool_call_id"], m["content"]) for m in tools] == [("c0", "A"), ("c1", "B")]


def test_reasoning_is_sent_back_only_within_its_turn(server, ask):
    thinking = [delta(reasoning_content="hm"), *call("read", {"path": "."}).chunks]
    server.answers = [Answer(thinking), text("ok")]

    ask()

    assert server.messages()[2]["reasoning_content"] == "hm"


def test_file_names_that_are_not_unicode_do_no_harm(server, ask, tmp_path):
    (tmp_path / os.fsdecode(b"\xff.txt")).write_text("")
    server.answers = [call("read", {"path": "."}), text("ok")]

    turn = ask("a lone \ud83d half")

    assert turn["status"] == "done"
    assert results(turn)[0]["content"] == "\ufffd.txt"
