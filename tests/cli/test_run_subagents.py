"""`msgbook run` of a conversation whose agent starts sub-agents, and of a sub-agent's own."""

from __future__ import annotations

import json

from command import with_settings
from scripted_server import call, text
from subagents_chat import (
    ALLOW,
    chat,  # noqa: F401 - fixtures
)
from team import (
    SAID,
    dispatch,
    dispatch_result,
    metadata_in,
    play,
    report,
    said,
    subagent_files,
    turns_in,
)

from msgbook.cli.run import run_file


def test_a_run_starts_the_sub_agents_and_the_parent_reads_their_reports(server, chat):
    server.choose = play(
        [dispatch("count the apples", "count the pears", broadcast="Fruit."), SAID],
        {"apples": report("3 apples"), "pears": report("5 pears")},
    )

    assert with_settings(server, run_file, chat, **ALLOW) == 0

    [turn] = turns_in(chat)
    result = dispatch_result(turn)
    assert [row["status"] for row in result["agents"]] == ["done", "done"]
    assert "### Sub-agent 'count the apples' Finished:\n3 apples" in result["content"]
    assert turn["status"] == "done"
    files = subagent_files(chat.parent)
    assert {str(file.relative_to(chat.parent)) for file in files} == {
        row["file"] for row in result["agents"]
    }
    for file in files:
        [subagent] = turns_in(file)
        assert (subagent["status"], metadata_in(file)["is_task_finished"]) == ("done", True)
    sent = server.requests[-1]["messages"]
    assert "5 pears" in sent[-1]["content"]
    assert "uuid" not in str(sent)


def test_a_sub_agent_that_is_run_later_has_no_more_rights(server, chat):
    (chat.parent / "data").mkdir()
    (chat.parent / "secret.txt").write_text("hidden words")
    chat.write_text(
        "---\nagents: {lead: {tools: [dispatch_subagents, read]}}\n---\n# %% [^q]\n\nask\n", "utf-8"
    )
    task = {"prompt": "read it", "allowed_uris": ["data"]}
    server.choose = play([dispatch(task), SAID], {"read it": text("I wait.")})
    assert with_settings(server, run_file, chat, **ALLOW) == 0
    [file] = subagent_files(chat.parent)
    with file.open("a") as stream:
        stream.write("\n# %% [^more]\n\nGo on.\n")

    server.choose = play(subagents={"read it": [call("read", {"path": "secret.txt"}), text("No.")]})
    assert with_settings(server, run_file, file) == 0

    names = [tool["function"]["name"] for tool in server.requests[-1]["tools"]]
    assert names == ["read", "task_finish"]
    assert "hidden words" not in json.dumps(server.requests)
    assert 'without approval: \\"data\\"' in json.dumps(server.requests[-1]["messages"][0])


def test_the_first_message_of_a_sub_agent_is_the_broadcast_and_its_task(server, chat):
    server.choose = play([dispatch("count", broadcast="Fruit."), SAID], {"Fruit": report("none")})
    assert with_settings(server, run_file, chat, **ALLOW) == 0

    first = next(m for m in server.requests[1]["messages"] if m["role"] == "user")
    assert said(first) == "## Context Summary\n\nFruit.\n\n---\n\ncount"
