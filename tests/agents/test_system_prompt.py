"""The system prompt: the agent's own, what it may read, and its skills."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents.for_requests import SUB_AGENT, build_system_prompt, describe_readable_paths
from msgbook.agents.project_files import Skill, build_skills_index

SKILL = Skill("a", "A", "a/SKILL.md")


def test_it_says_what_may_be_read_and_that_a_sub_agent_is_one():
    folders = describe_readable_paths(["."])

    assert build_system_prompt("You help.", [SKILL], ["."], is_sub_agent=True) == "\n\n".join(
        ["You help.", SUB_AGENT, folders, build_skills_index([SKILL])]
    )
    assert '"."' in folders


def test_an_empty_prompt_stays_empty_but_for_skills():
    assert build_system_prompt("", [], ["."], is_sub_agent=True) == ""
    assert build_system_prompt("", [SKILL], ["."]) == build_skills_index([SKILL])


def test_nothing_to_read_without_approval_is_said():
    assert "any file needs the user's approval" in describe_readable_paths([])


@given(st.lists(st.text(min_size=1), min_size=1))
def test_no_name_of_a_folder_can_leave_its_quotes(paths):
    listed = describe_readable_paths(paths).partition("approval: ")[2].rpartition(". Everything")[0]

    assert "\n" not in listed
    clean = [p.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for p in paths]
    assert json.loads(f"[{listed}]") == clean
