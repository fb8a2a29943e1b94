"""A call that cannot be done is one clear line, and nothing is started."""

from __future__ import annotations

import pytest
from team import SAID, dispatch, dispatch_result, play, report


def test_an_empty_prompt_is_named(team):
    team.server.choose = play([dispatch("count", "  \n"), SAID])

    assert team.failure() == (
        "sub_agents[1]: the prompt is empty; write the task into it. Nothing was started."
    )


def test_an_unknown_agent_type_names_those_that_exist(team):
    team.frontmatter = "agents: {lead: {}, worker: {}}\n"
    team.server.choose = play([dispatch({"prompt": "x", "agent_type": "workr"}), SAID])

    failure = team.failure()
    assert failure == (
        "sub_agents[0]: There is no agent 'workr'. Agents that you can start: worker, assistant. "
        "Nothing was started."
    )


def test_fifty_sub_agents_are_refused_with_the_limit(team):
    team.server.choose = play([dispatch(*[f"task {n}" for n in range(50)]), SAID])

    failure = team.failure()
    assert "50 sub-agents were asked for, but this turn may start only 24 more" in failure
    assert "max_subagents" in failure


def test_the_limit_counts_all_calls_of_a_turn(team):
    team.config = "[limits]\nmax_subagents = 2\n"
    team.server.choose = play(
        [dispatch("task one", "task two"), dispatch("three"), SAID], {"task": report("ok")}
    )
    turn = team.run()

    results = [b for b in turn["blocks"] if b["type"] == "tool_result"]
    assert "may start only 0 more" in results[1]["content"]
    assert len(team.files) == 2


@pytest.mark.parametrize("uri", ["../outside", "/etc", "file:///etc/passwd"])
def test_a_folder_outside_the_parents_is_refused(team, uri):
    team.server.choose = play([dispatch({"prompt": "read", "allowed_uris": [uri]}), SAID])

    failure = team.failure()
    assert uri in failure
    assert "outside of your own folders" in failure
    assert "You may read: ." in failure


def test_an_agent_cannot_start_itself_by_name(team):
    team.frontmatter = "agents: {lead: {}}\n"
    team.server.choose = play([dispatch({"prompt": "x", "agent_type": "lead"}), SAID])

    assert "Agent type 'lead' cannot dispatch 'lead'." in team.failure()


def test_an_agent_starts_only_those_that_its_definition_names(team):
    team.frontmatter = "agents: {lead: {allowed_child_types: [worker]}, worker: {}, other: {}}\n"
    team.server.choose = play([dispatch({"prompt": "x", "agent_type": "other"}), SAID])
    assert "Agent type 'lead' cannot dispatch 'other'. Allowed types: worker." in team.failure()

    team.server.reset()
    team.server.choose = play([dispatch("x"), SAID])
    assert "agent_type is missing: name one of worker." in team.failure()


def test_agents_that_may_start_none_are_not_offered_the_tool(team):
    team.frontmatter = "agents: {lead: {allowed_child_types: []}}\n"
    team.server.answers = [SAID]
    team.run()

    names = [tool["function"]["name"] for tool in team.server.requests[0]["tools"]]
    assert "dispatch_subagents" not in names


def test_an_agent_without_a_model_gets_its_parents(team):
    agents = team.folder / ".msgbook" / "agents"
    agents.mkdir()
    (agents / "worker.md").write_text("You work.\n")
    team.frontmatter = "agents: {lead: {models: big}}\n"
    team.server.choose = play(
        [dispatch({"prompt": "count", "agent_type": "worker"}), SAID], {"count": report("3")}
    )
    turn = team.run()

    assert [request["model"] for request in team.server.requests] == ["big", "big", "big"]
    assert team.server.requests[1]["messages"][0]["content"].startswith("You work.")
    assert dispatch_result(turn)["agents"][0]["agent"] == "worker"


def test_a_folder_of_sub_agents_that_is_a_link_is_not_followed(team, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (team.folder / ".msgbook" / "subagents").symlink_to(elsewhere)
    team.server.choose = play([dispatch("count"), SAID])

    assert "is a link" in team.failure()
    assert not list(elsewhere.iterdir())


def test_arguments_of_another_shape_say_what_was_expected(team):
    team.server.choose = play([dispatch({"task": "count"}), SAID])

    assert "sub_agents.0.prompt" in team.failure()
