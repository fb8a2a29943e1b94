"""Skills, and the system prompt that names them."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents.for_requests import build_system_prompt
from msgbook.agents.project_files import (
    Skill,
    SkillError,
    build_skills_index,
    parse_skill,
)

TEXT = """\
---
name: pdf
description: >
  Reads PDF files,
  page by page.
license: BSD
---
# How
"""


def test_a_skill_is_its_frontmatter():
    assert parse_skill(TEXT, "p/SKILL.md") == Skill(
        "pdf", "Reads PDF files, page by page.", "p/SKILL.md"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# How", "expected name:"),
        ("---\nname: pdf\n---\n", "expected description:"),
        ("---\nname: ''\ndescription: d\n---\n", "expected name:"),
        ("---\nname: [pdf]\ndescription: d\n---\n", "expected name:"),
        (f"---\nname: pdf\ndescription: {'d' * 1025}\n---\n", "expected description:"),
        ("---\nname: [pdf\n---\n", "is not YAML"),
        ("---\n- name\n---\n", "to map names to values"),
    ],
)
def test_a_file_without_name_and_description_is_no_skill(text, words):
    with pytest.raises(SkillError, match=words):
        parse_skill(text, "p")


@given(st.text())
def test_no_text_of_a_skill_raises_anything_else(text):
    with contextlib.suppress(SkillError):
        assert parse_skill(f"---\n{text}\n---\n", "p").name


def test_the_index_is_the_same_in_any_order_of_the_skills():
    skills = [Skill("b", "B", "b/SKILL.md"), Skill("a", 'A "quoted"', "a/SKILL.md")]

    assert build_skills_index(skills) == build_skills_index(skills[::-1])
    listed = build_skills_index(skills).partition("```json\n")[2].removesuffix("\n```")
    assert json.loads(listed) == [
        {"name": "a", "description": 'A "quoted"', "path": "a/SKILL.md"},
        {"name": "b", "description": "B", "path": "b/SKILL.md"},
    ]


def test_the_system_prompt_is_the_agents_and_what_the_skills_add():
    skill = Skill("a", "A", "a/SKILL.md")

    assert build_system_prompt("You help.", []) == "You help."
    assert (
        build_system_prompt("You help.", [skill]) == f"You help.\n\n{build_skills_index([skill])}"
    )
    assert build_system_prompt("", []) == ""
    assert build_system_prompt("", [skill]).startswith("# Installed Skills\n")
