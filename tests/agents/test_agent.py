"""Agents from definitions of any kind."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents.agent import (
    Agent,
    ConfiguredNames,
    narrow_agent,
    parse_agent,
    parse_temporary,
)
from msgbook_format import check
from msgbook_format.syntax.attributes import parse_attributes

SEED_004 = {
    "models": ["gpt-5", "o3"],
    "context_window": 128_000,
    "max_output_tokens": 4_096,
    "reasoning": True,
    "use_temperature": False,
    "temperature": 0.5,
    "system_prompt": "You review.",
}

OURS = {
    "description": "Reviews code.",
    "provider": "local",
    "reasoning_effort": "high",
    "tools": ["read", "grep"],
    "mcp_servers": [],
    "allowed_uris": ["src"],
    "max_steps": 5,
    "token_budget": 10_000,
    "time_budget": 1.5,
    "max_cost": 0.25,
    "rules": ["style.md"],
    "skills": ["pdf"],
}


def test_all_properties_are_read():
    agent, notices = parse_agent("reviewer", SEED_004 | OURS, "notebook")

    wanted = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in (SEED_004 | OURS).items()
    }
    assert notices == ()
    assert agent == Agent("reviewer", "notebook", **wanted)


def test_tools_of_the_server_are_the_users_own_to_give():
    table = {"server_tools": ["web_search", "time_travel"]}

    own, notices = parse_agent("a", table, "configuration")
    assert (own.server_tools, notices) == (("web_search", "time_travel"), ())
    narrowed, notices = narrow_agent(own, ConfiguredNames())
    assert narrowed.server_tools == ("web_search",)
    assert notices == [
        "Agent a: there is no server tool 'time_travel' (web_search). Others go under tools of its extra."
    ]


@pytest.mark.parametrize("origin", ["built-in", "project", "notebook", "cell"])
def test_nobody_else_gives_tools_of_the_server(origin):
    for value in (["web_search"], "web_search", 7):
        agent, notices = parse_agent("a", {"server_tools": value, "max_steps": 3}, origin)

        assert (agent.server_tools, agent.max_steps) == (None, 3)
        assert notices == (
            "Agent a: server_tools is ignored: only [agents.NAME] of your own msgbook.toml can set it.",
        )


def test_models_may_be_one_name():
    assert parse_agent("a", {"models": "gpt-5"}, "notebook").agent.models == ("gpt-5",)


def test_an_agent_without_properties_is_one():
    assert parse_agent("a", None, "notebook") == (Agent("a", "notebook"), ())


WRONG = pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("models", {"a": 1}, "a list of names, or one name"),
        ("models", ["a", 3], "a list of names, or one name"),
        ("context_window", "128k", "a positive whole number"),
        ("context_window", True, "a positive whole number"),
        ("max_output_tokens", 0, "a positive whole number"),
        ("reasoning", "yes", "true or false"),
        ("use_temperature", 1, "true or false"),
        ("temperature", "hot", "a number from 0 on"),
        ("temperature", float("nan"), "a number from 0 on"),
        ("system_prompt", ["a"], "a text"),
        ("provider", "  ", "a name"),
        ("rules", [""], "a list of names, or one name"),
        ("time_budget", 0, "a positive number of seconds"),
    ],
)


@WRONG
def test_a_wrong_type_is_a_notice_and_the_rest_counts(key, value, expected):
    agent, notices = parse_agent("a", {key: value, "description": "d"}, "notebook")

    assert agent == Agent("a", "notebook", description="d")
    [notice] = notices
    assert notice.startswith(f"Agent a: {key}: expected {expected}, got ")


@WRONG
def test_check_finds_a_wrong_type_that_the_turn_tells(key, value, expected):
    frontmatter = yaml.safe_dump({"agents": {"a": {key: value, "description": "d"}}})

    [finding] = check(f"---\n{frontmatter}---\n")
    assert finding.code == "agents-type"
    assert f"expected {expected} for `{key}` of the agent `a`" in finding.message


@pytest.mark.parametrize("table", [SEED_004 | OURS, dict.fromkeys(SEED_004 | OURS), None])
def test_check_finds_nothing_if_the_turn_has_no_notice(table):
    frontmatter = yaml.safe_dump({"agents": {"a": table}})

    assert parse_agent("a", table, "notebook").notices == ()
    assert check(f"---\n{frontmatter}---\n") == []


@pytest.mark.parametrize("key", ["tools", "mcp_servers", "allowed_uris"])
@pytest.mark.parametrize("value", [[""], 7, {"read": True}, ["x"] * 1000])
def test_a_restriction_that_cannot_be_read_allows_nothing(key, value):
    agent, [notice] = parse_agent("a", {key: value}, "configuration")

    assert getattr(agent, key) == ()
    assert notice.endswith("nothing is allowed.")


def test_what_is_no_table_is_a_notice():
    _, notices = parse_agent("a", "gpt-5", "notebook")

    assert notices == ('Agent a: expected a mapping of properties, got "gpt-5"; it is ignored.',)


def test_an_unknown_property_is_a_notice():
    _, notices = parse_agent("a", {"temprature": 1}, "notebook")

    assert notices == ('Agent a: unknown property "temprature"; it is ignored.',)


def test_a_temporary_agent_has_the_types_of_a_defined_one():
    words = 'models=gpt-5,o3 temperature=0.2 reasoning=true max_steps=5 provider="7"'

    assert parse_temporary("fast", parse_attributes(words).values) == (
        Agent(
            "fast",
            "cell",
            models=("gpt-5", "o3"),
            temperature=0.2,
            reasoning=True,
            max_steps=5,
            provider="7",
        ),
        (),
    )


def test_a_temporary_agent_cannot_set_a_system_prompt():
    agent, notices = parse_temporary("fast", {"system_prompt": "Hurry.", "models": "m"})

    assert agent == Agent("fast", "cell", models=("m",))
    [notice] = notices
    assert "cannot set system_prompt" in notice


@pytest.mark.parametrize("name", ["qwen3", "qwen/qwen3:8b", "gpt-4.1"])
def test_a_temporary_agent_without_models_is_named_after_its_model(name):
    assert parse_temporary(name, {"temperature": "0"}).agent.models == (name,)
    assert parse_temporary(name, {"models": "m"}).agent.models == ("m",)
    assert parse_temporary(name, {"models": "[]"}).agent.models == ()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(), values | st.dictionaries(st.sampled_from([*SEED_004, *OURS, "x"]), values))
def test_no_definition_in_a_file_raises(name, table):
    agent, notices = parse_agent(name, table, "notebook")

    assert agent.name == name
    assert all(isinstance(notice, str) and "\n" not in notice for notice in notices)


@given(st.text())
def test_no_words_of_a_magic_raise(words):
    assert parse_temporary("a", parse_attributes(words).values).agent.system_prompt is None
