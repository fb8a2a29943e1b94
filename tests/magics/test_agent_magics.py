"""`%agent`, `%rules` and `%skills`."""

from __future__ import annotations

import pytest

from msgbook.agents import AgentSources, UnknownAgentError, UnreadableAgentError
from msgbook.agents.project_files import ProjectFiles, ProjectRule, Skill
from msgbook.magics.agent import AgentsBelow, list_rules, list_skills, run_agent_line
from msgbook.magics.base import UsageError

SOURCES = AgentSources(
    "agents:\n"
    "  writer: {models: [gpt-5, o3], description: Writes prose.}\n"
    "  reviewer: {models: strict-1, temperature: 0.2, rules: [style.md]}\n"
)


def below(*cells, notebook=None, **project):
    above = [{"cell_type": "code", "source": source} for source in cells]
    return AgentsBelow(above, SOURCES, ProjectFiles(**project), notebook or {})


def test_it_says_who_answers_below():
    assert run_agent_line("%agent", below()) == "writer (frontmatter, gpt-5)\nmodel: gpt-5"
    assert run_agent_line("%agent", below("%model m")) == "writer (frontmatter, gpt-5)\nmodel: m"
    mine = AgentsBelow(known_model=lambda model, provider: "mine")
    assert run_agent_line("%agent", mine) == "assistant (built in)\nmodel: mine"
    assert (
        run_agent_line("%agent", AgentsBelow())
        == "assistant (built in)\nmodel: the server's only model"
    )


def test_it_lists_the_agents():
    assert run_agent_line(
        "%agent list", below("%agent new fast models=small-1", "%agent default reviewer")
    ) == (
        "   fast       %agent new   small-1\n"
        "   writer     frontmatter  gpt-5, o3  Writes prose.\n"
        "*  reviewer   frontmatter  strict-1\n"
        "   assistant  built in     -\n"
        "\n"
        "* answers below this cell"
    )


def test_a_default_has_to_be_known():
    assert run_agent_line("%agent default reviewer", below()) == (
        "The cells below are answered by reviewer (frontmatter, strict-1, temperature 0.2)"
    )
    with pytest.raises(UnknownAgentError, match="writer, reviewer, assistant"):
        run_agent_line("%agent default nobody", below())


def test_a_new_agent_is_told_with_what_is_not_followed():
    line = '%agent new fast models=m temperature=hot system_prompt="a  b"'

    assert run_agent_line(line, below()) == (
        "Made the agent fast: model m. For one message: %%msg agent=fast. For all below: %agent default "
        "fast.\n"
        "Agent fast: a temporary agent cannot set system_prompt; define it under agents: in the "
        "frontmatter.\n"
        'Agent fast: temperature: expected a number from 0 on, got "hot"; it is ignored.'
    )


def test_a_new_agent_is_told_with_all_its_models_in_order():
    assert run_agent_line("%agent new multi models=bad,good temperature=0", below()) == (
        "Made the agent multi: models bad, then good; temperature 0. For one message: %%msg "
        "agent=multi. For all below: %agent default multi."
    )


@pytest.mark.parametrize(
    ("rest", "advice"),
    [
        ("models=a, b", "a list has no spaces"),
        ("models='a b'", "use double quotes, not single quotes"),
    ],
)
def test_a_line_that_cannot_be_read_says_how_lists_and_quotes_are_written(rest, advice):
    with pytest.raises(UnreadableAgentError, match=advice):
        run_agent_line(f"%agent new x {rest}", below())


@pytest.mark.parametrize(
    "words", ["what", "new", "new models=m", "default", "default a b", "list a"]
)
def test_other_words_are_refused(words):
    with pytest.raises(UsageError, match="%agent"):
        run_agent_line(f"%agent {words}", below())


@pytest.mark.parametrize("words", ["m", "tools=[read, grep]", "models = m", "system_prompt='a b'"])
def test_a_new_agent_that_cannot_be_read_is_an_error_that_names_the_place(words):
    with pytest.raises(UnreadableAgentError, match=r"column (17|30):"):
        run_agent_line(f"%agent new fast {words}", below())


def test_rules_are_listed_with_those_in_use():
    given = {
        "rules": [ProjectRule("AGENTS.md", "x" * 1200), ProjectRule("style.md", "y")],
        "notices": ["odd"],
    }

    assert list_rules(below(**given)) == (
        "*  AGENTS.md  length 1,200\n*  style.md   length 1\n\n* in use (by default). To choose others, set rules of the agent or of the notebook.\nodd"
    )
    assert list_rules(below("%agent default reviewer", **given)) == (
        "   AGENTS.md  length 1,200\n*  style.md   length 1\n\n* in use (agent reviewer). To choose others, set rules of the agent or of the notebook.\nodd"
    )


def test_skills_are_listed_with_those_in_use():
    given = {"skills": [Skill("pdf", "Reads PDF.", "p")], "notebook": {"skills": ["pdf", "gone"]}}

    assert list_skills(below(**given)) == (
        "*  pdf  Reads PDF.\n\n* in use (the notebook). To choose others, set skills of the agent or of the notebook.\nskills of the notebook: there is no 'gone'."
    )


def test_skills_that_nobody_names_are_not_in_use():
    given = {"skills": [Skill("pdf", "Reads PDF.", "p")]}

    assert "None is in use (by default)" in list_skills(below(**given))


def test_nothing_to_list_is_said():
    assert "no rules" in list_rules(below())
    assert "no skills" in list_skills(below())
