"""The agent that answers a cell, and its model."""

from __future__ import annotations

import pytest

from msgbook.agents import (
    AgentSources,
    UnknownAgentError,
    list_available_agents,
    requested_name,
    resolve_agent,
)
from msgbook.agents.agent import Agent
from msgbook.notebook.cells import parse_prompt

FRONTMATTER = """\
# Who speaks here.
agents:
  writer: {models: [gpt-5, o3], temperature: 0.7}
  reviewer:
    models: strict-1
    system_prompt: You review.
  plain:
"""


def code(source):
    return {"cell_type": "code", "source": source}


def test_without_any_agent_the_built_in_one_answers():
    assert resolve_agent(None, [], AgentSources()) == (Agent("assistant"), None, ())


def test_the_first_agent_of_the_frontmatter_is_the_default():
    agent, models, _ = resolve_agent(None, [], AgentSources(FRONTMATTER))

    assert (agent.name, agent.temperature, models.names[0]) == ("writer", 0.7, "gpt-5")


def test_default_agent_is_the_default():
    sources = AgentSources(FRONTMATTER + "default_agent: reviewer\n")

    agent, models, _ = resolve_agent(None, [], sources)

    assert (agent.name, agent.system_prompt) == ("reviewer", "You review.")
    assert models == (("strict-1",), "the agent reviewer in the frontmatter, line 5")


def test_what_the_cell_names_comes_before_all_above():
    cells = [code("%agent default plain"), code("%model above")]

    agent, models, _ = resolve_agent("reviewer", cells, AgentSources(FRONTMATTER))

    assert (agent.name, models.names) == ("reviewer", ("strict-1",))


@pytest.mark.parametrize(
    ("cells", "agent", "model"),
    [
        (["%model m"], "writer", "m"),
        (["%agent default reviewer"], "reviewer", "strict-1"),
        (["%agent default reviewer", "%model m"], "reviewer", "m"),
        (["%model m", "%agent default reviewer"], "reviewer", "strict-1"),
        (["%model m", "%agent default plain"], "plain", "m"),
        (["%agent default plain"], "plain", "gpt-5"),
        (["%agent default reviewer", "%agent default writer"], "writer", "gpt-5"),
    ],
)
def test_the_nearest_cell_above_that_names_a_model_names_it(cells, agent, model):
    found = resolve_agent(None, list(map(code, cells)), AgentSources(FRONTMATTER))

    assert (found.agent.name, found.model) == (agent, model)


def test_a_model_of_an_agent_elsewhere_is_not_asked_of_another_provider():
    sources = AgentSources("agents:\n  far: {models: far-1, provider: far}\n  near: {}\n")

    assert resolve_agent("near", [], sources).model is None
    assert resolve_agent("near", [code("%agent default far")], sources).model is None


def test_a_temporary_agent_exists_below_its_cell():
    cell = code('%agent new critic models=gpt-5 description="two words"')

    agent = resolve_agent("critic", [cell], AgentSources(FRONTMATTER)).agent

    assert agent == Agent("critic", "cell", models=("gpt-5",), description="two words")
    with pytest.raises(UnknownAgentError, match="critic"):
        resolve_agent("critic", [], AgentSources(FRONTMATTER))


def test_a_magic_that_does_not_stand_alone_counts_for_nothing():
    cells = [code("%agent new critic models=m\nHello"), code("%agent default critic\nHello")]

    assert resolve_agent(None, cells, AgentSources()).agent.name == "assistant"


def test_a_markdown_cell_is_no_magic():
    cell = {"cell_type": "markdown", "source": "%agent default nobody"}

    assert resolve_agent(None, [cell], AgentSources()).agent.name == "assistant"


def test_places_count_in_order_and_are_not_mixed():
    sources = AgentSources(
        "agents:\n  a: {temperature: 1}\n",
        {"a": "---\ntemperature: 2\n---\nProject.", "b": "---\nmodels: p\n---\nProject."},
        {
            "a": {"models": "c"},
            "b": {"models": "c", "system_prompt": "Mine."},
            "c": {"models": "c"},
        },
    )

    found = {name: resolve_agent(name, [], sources).agent for name in "abc"}

    assert found["a"] == Agent("a", "notebook", temperature=1)
    assert found["b"] == Agent("b", "project", models=("p",), system_prompt="Project.")
    assert found["c"] == Agent("c", "configuration", models=("c",))
    above = [code("%agent new a models=t")]
    assert resolve_agent("a", above, sources).agent == Agent("a", "cell", models=("t",))


def test_an_agents_file_without_a_body_may_have_its_prompt_in_front():
    sources = AgentSources(project={"a": "---\nsystem_prompt: Short.\n---\n"})

    assert resolve_agent("a", [], sources).agent.system_prompt == "Short."


def test_an_agents_file_without_frontmatter_is_a_prompt():
    sources = AgentSources(project={"a": "You review.\r\n\r\nAll of it.\r\n"})

    assert resolve_agent("a", [], sources).agent.system_prompt == "You review.\n\nAll of it."


def test_an_unknown_agent_is_an_error_that_names_the_known_ones():
    sources = AgentSources(FRONTMATTER, {"tester": ""}, {"mine": {}})
    cells = [code("%agent new critic")]

    with pytest.raises(UnknownAgentError) as caught:
        resolve_agent("revewer", cells, sources)

    assert "critic, writer, reviewer, plain, tester, mine, assistant" in str(caught.value)


def test_a_default_that_nothing_defines_is_an_error():
    with pytest.raises(UnknownAgentError, match="'nobody'"):
        resolve_agent(None, [], AgentSources("default_agent: nobody\n"))


@pytest.mark.parametrize(
    ("frontmatter", "words"),
    [
        ("agents: [unclosed\n", "The frontmatter cannot be read: "),
        ("agents: [a, b]\n", "agents: expected a mapping"),
        ("default_agent: [a]\n", "default_agent: expected a name"),
        ("a: &a [*a]\nagents: *a\n", "The frontmatter cannot be read: "),
        ("x: &x [1, 1]\n" + "y: " + "[" * 300, "The frontmatter cannot be read: "),
    ],
)
def test_a_broken_frontmatter_is_a_notice_and_the_turn_goes_on(frontmatter, words):
    agent, _, notices = resolve_agent(None, [], AgentSources(frontmatter))

    assert agent == Agent("assistant")
    assert any(notice.startswith(words) for notice in notices)


def test_aliases_that_grow_without_bound_are_not_expanded():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    frontmatter = "\n".join([*lines, "agents: {a: {models: *a8}}"])

    agent, _, notices = resolve_agent(None, [], AgentSources(frontmatter))

    assert agent == Agent("assistant")
    assert "nested too deep" in notices[0]


def test_a_wrong_property_is_a_notice_only_for_the_agent_that_answers():
    sources = AgentSources("agents:\n  a: {models: a}\n  b: {temperature: hot}\n")

    assert resolve_agent("a", [], sources).notices == ()
    assert len(resolve_agent("b", [], sources).notices) == 1


def test_the_list_of_agents_marks_the_one_that_answers():
    cells = [code("%agent new critic models=m"), code("%agent default reviewer")]

    listed = list_available_agents(cells, AgentSources(FRONTMATTER))

    assert [(one.agent.name, one.agent.origin, one.is_default) for one in listed] == [
        ("critic", "cell", False),
        ("writer", "notebook", False),
        ("reviewer", "notebook", True),
        ("plain", "notebook", False),
        ("assistant", "built-in", False),
    ]


def test_the_line_of_a_prompt_wins_over_its_metadata():
    cell = {"metadata": {"msgbook": {"agent": "b", "model": 3}}}

    assert requested_name("agent", parse_prompt("%%msg agent=a\nHello"), cell) == "a"
    assert requested_name("agent", parse_prompt("Hello"), cell) == "b"
    assert requested_name("model", parse_prompt("Hello"), cell) is None
    assert requested_name("agent", parse_prompt("Hello"), None) is None
