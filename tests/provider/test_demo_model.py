"""The demo model: how it works with sub-agents."""

from __future__ import annotations

import json

import pytest
from asked_demo_model import ask, called

from msgbook.messages import assistant, user

TEAM = "Look at this together:\n\n- writer: Write a haiku.\n- reviewer: Find a mistake: any.\n"


def test_a_list_of_tasks_becomes_sub_agents():
    _, name, arguments, reason = ask(user(TEAM), tools=("read", "dispatch_subagents"))

    assert (name, reason) == ("dispatch_subagents", "tool_calls")
    assert [(task["agent_type"], task["prompt"]) for task in arguments["sub_agents"]] == [
        ("writer", "Write a haiku."),
        ("reviewer", "Find a mistake: any."),
    ]


@pytest.mark.parametrize("tools", [("read",), ()])
def test_without_the_tool_a_list_of_tasks_is_a_message_like_any_other(tools):
    _, name, _, _ = ask(user(TEAM), tools=tools)

    assert name == ("read" if tools else "")


def test_a_later_list_of_tasks_becomes_sub_agents_too():
    _, name, _, _ = ask(user("hi"), assistant("hello"), user(TEAM), tools=("dispatch_subagents",))

    assert name == "dispatch_subagents"


def test_after_the_reports_it_answers_how_many_there_are():
    reports = "### Sub-agent 'Write a haiku....' Finished:\nx\n### Sub-agent 'Find...' Finished:\ny"

    text, name, _, reason = ask(
        user(TEAM), *called("dispatch_subagents", reports), tools=("dispatch_subagents",)
    )

    assert (name, reason) == ("", "stop")
    assert "have reported: 2." in text


def test_a_sub_agent_reads_the_folder_and_reports():
    task = user("Write a haiku.")

    _, first, _, _ = ask(task, tools=("read", "task_finish"))
    _, then, arguments, reason = ask(
        task, *called("read", "a.txt\nb.txt"), tools=("read", "task_finish")
    )

    assert (first, then, reason) == ("read", "task_finish", "tool_calls")
    assert "“Write a haiku”" in arguments["context_summary"]
    assert "the names in the folder: 2." in arguments["context_summary"]


def test_a_task_for_the_assistant_goes_to_an_agent_like_itself():
    _, _, arguments, _ = ask(user("- assistant: Count."), tools=("dispatch_subagents",))

    assert arguments["sub_agents"] == [{"prompt": "Count."}]


def test_it_says_so_if_no_sub_agent_was_started():
    text, _, _, _ = ask(user(TEAM), *called("dispatch_subagents", "Denied: no."), tools=("read",))

    assert "No sub-agent was started" in text


def test_the_answer_names_what_a_message_brought_along():
    block = {"rules": [], "files": {"cell:hello": "Hello", "a.md": "x"}, "tools": []}
    element = f"<content_reference>\n{json.dumps(block, indent=1)}\n</content_reference>"
    before = [user("Hello"), assistant("Hi")]
    text, *_ = ask(*before, user(f"@[cell:hello] Look.\n\n{element}"), tools=("read",))
    assert "brought along: `cell:hello`, `a.md`." in text
    for broken in ("", "<content_reference>\n[]\n</content_reference>", element[:-5]):
        text, *_ = ask(*before, user(f"Look.\n\n{broken}"), tools=("read",))
        assert "brought" not in text
