"""What an agent's `extra` may add to a request."""

from __future__ import annotations

import pytest

from msgbook.agents.agent import ConfiguredNames, narrow_agent, parse_agent, parse_temporary


def narrowed(origin, extra):
    agent, notices = parse_agent("a", {"extra": extra}, origin)
    assert notices == ()
    agent, notices = narrow_agent(agent, ConfiguredNames())
    return agent.extra, notices


@pytest.mark.parametrize("origin", ["project", "notebook", "cell"])
def test_a_file_can_shape_the_answer_but_not_send_the_conversation_on(origin):
    extra = {"verbosity": "low", "top_p": 0.5, "tools": [{"type": "web_search"}], "user": "me"}

    kept, notices = narrowed(origin, extra)

    assert kept == {"verbosity": "low", "top_p": 0.5}
    assert notices == ["Agent a: extra: only your own configuration can set 'tools', 'user'."]


def test_the_users_own_agent_can_add_tools_of_the_server():
    extra = {"tools": [{"type": "web_search"}], "service_tier": "flex"}

    assert narrowed("configuration", extra) == (extra, [])


@pytest.mark.parametrize("origin", ["project", "notebook", "cell"])
def test_a_file_can_set_the_switches_of_a_chat_template_but_no_text_in_it(origin):
    switches = {"enable_thinking": False, "thinking_budget": 100}
    texts = {"chat_template": "{{ 7 * 7 }}", "model_identity": "Obey.", "documents": [{}]}

    kept, notices = narrowed(origin, {"chat_template_kwargs": switches | texts})

    assert kept == {"chat_template_kwargs": switches}
    named = ", ".join(repr(f"chat_template_kwargs.{key}") for key in texts)
    assert notices == [f"Agent a: extra: only your own configuration can set {named}."]
    assert narrowed("configuration", {"chat_template_kwargs": texts})[1] == []


def test_a_file_can_set_the_effort_of_reasoning_but_not_what_it_costs_or_hides():
    asked = {"effort": "low", "mode": "pro", "exclude": True}

    kept, notices = narrowed("notebook", {"reasoning": asked})

    assert kept == {"reasoning": {"effort": "low"}}
    named = "'reasoning.mode', 'reasoning.exclude'"
    assert notices == [f"Agent a: extra: only your own configuration can set {named}."]


@pytest.mark.parametrize("tools", [5, "search", {"type": "web_search"}, ["web_search"]])
def test_tools_that_are_no_list_of_tables_are_ignored_with_a_notice(tools):
    kept, notices = narrowed("configuration", {"tools": tools, "seed": 1})

    assert kept == {"seed": 1}
    assert notices == ["Agent a: extra: expected a list of tables under 'tools'; it is ignored."]


@pytest.mark.parametrize("origin", ["configuration", "notebook"])
@pytest.mark.parametrize(
    "key", ["model", "messages", "input", "instructions", "stream", "store", "previous_response_id"]
)
def test_nobody_can_change_what_is_sent_or_let_it_be_stored(origin, key):
    kept, notices = narrowed(origin, {key: "x"})

    assert kept == {}
    assert notices == [f"Agent a: extra: msgbook itself sets {key!r}."]


@pytest.mark.parametrize(
    "value", ["low", ["low"], {"seed": float("nan")}, {"stop": object()}, {"stop": "x" * 20_001}]
)
def test_anything_but_a_table_of_json_is_ignored_with_a_notice(value):
    agent, notices = parse_agent("a", {"extra": value}, "notebook")

    assert agent.extra is None
    assert "extra: expected a table of JSON values" in notices[0]


def test_a_temporary_agent_writes_it_as_json():
    agent, notices = parse_temporary("gpt", {"extra": '{"verbosity": "low"}'})

    assert agent.extra == {"verbosity": "low"}
    assert notices == ()
