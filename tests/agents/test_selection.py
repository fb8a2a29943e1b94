"""Project rules and skills that a conversation uses."""

from __future__ import annotations

import pytest

from msgbook.agents.agent import Agent
from msgbook.agents.project_files import (
    TOTAL_LIMIT,
    ProjectRule,
    Skill,
    rules_in_force,
    select,
    skills_in_use,
)

RULES = [
    ProjectRule("AGENTS.md", "Be kind."),
    ProjectRule("py/style.md", "{{A}}"),
    ProjectRule("py/tests.md", "Test."),
]
SKILLS = [Skill("pdf", "Reads PDF.", "p"), Skill("web", "Reads the web.", "w")]


def as_it_is(text):
    return text, []


def names(found):
    return [one.name for one in found]


@pytest.mark.parametrize(
    ("agent", "notebook", "expected"),
    [
        (None, {}, ["AGENTS.md", "py/style.md", "py/tests.md"]),
        (None, {"rules": []}, []),
        (None, {"rules": ["py/tests.md"]}, ["py/tests.md"]),
        (None, {"rules": "py/*"}, ["py/style.md", "py/tests.md"]),
        (("AGENTS.md",), {"rules": ["py/tests.md"]}, ["AGENTS.md"]),
        ((), {}, []),
    ],
)
def test_the_agents_rules_come_first_then_the_notebooks_then_all(agent, notebook, expected):
    selected = select("rules", Agent("a", rules=agent), notebook)

    found, notices = rules_in_force(RULES, selected, as_it_is)

    assert (names(found), notices) == (expected, [])


@pytest.mark.parametrize(
    ("agent", "notebook", "expected"),
    [
        (None, {}, []),
        (None, {"skills": ["web"]}, ["web"]),
        (("*",), {"skills": []}, ["pdf", "web"]),
    ],
)
def test_skills_are_used_where_they_are_named(agent, notebook, expected):
    selected = select("skills", Agent("a", skills=agent), notebook)

    found, notices = skills_in_use(SKILLS, selected)

    assert (names(found), notices) == (expected, [])


def test_a_name_with_brackets_is_itself():
    selected = select("rules", Agent("a", rules=("a[1].md",)), {})

    assert selected.uses("a[1].md")


def test_a_list_that_is_none_is_a_notice_and_counts_as_absent():
    selected = select("rules", Agent("a"), {"rules": {"a": 1}})

    found, notices = rules_in_force(RULES, selected, as_it_is)

    assert len(found) == len(RULES)
    assert notices == ["rules of the notebook: expected a list of names; it is ignored."]


def test_a_rule_or_skill_that_there_is_not_is_a_notice():
    agent = Agent("a", rules=("gone.md", "*"), skills=("gone",))

    assert rules_in_force(RULES, select("rules", agent, {}), as_it_is)[1] == [
        "rules of agent a: there is no 'gone.md'."
    ]
    assert skills_in_use(SKILLS, select("skills", agent, {}))[1] == [
        "skills of agent a: there is no 'gone'."
    ]


def test_macros_are_expanded_in_the_rules_that_are_used_alone():
    asked = []

    def expand(text):
        asked.append(text)
        return text.replace("{{A}}", "v2"), ["line 1: odd"]

    selected = select("rules", Agent("a", rules=("py/style.md",)), {})
    found, notices = rules_in_force(RULES, selected, expand)

    assert found == [ProjectRule("py/style.md", "v2")]
    assert notices == ["Rule py/style.md: line 1: odd"]
    assert asked == ["{{A}}"]


def test_a_rule_without_text_after_expansion_is_left_out():
    assert rules_in_force(RULES, select("rules", Agent("a"), {}), lambda _: (" \n", [])) == (
        [],
        [],
    )


def test_a_rule_that_makes_the_rules_too_long_is_left_out_completely():
    many = [
        ProjectRule("a", "x" * (TOTAL_LIMIT - 1)),
        ProjectRule("b", "yy"),
        ProjectRule("c", "z"),
    ]

    found, notices = rules_in_force(many, select("rules", Agent("a"), {}), as_it_is)

    assert names(found) == ["a", "c"]
    assert notices[0].startswith("Rule b is left out")
