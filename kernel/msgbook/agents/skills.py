"""Skills: instructions that a model reads when it needs them. Pure.

A skill is a folder with a `SKILL.md`. Its frontmatter's `name` and `description` stand in the
system prompt; the model reads the rest with the tool `read`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from msgbook.agents.agent import text_value
from msgbook.agents.markdown_file import split_markdown
from msgbook.agents.selection import Selection
from msgbook.text import one_line

_NAME_LIMIT, _DESCRIPTION_LIMIT = 64, 1024
"""Characters, as the Agent Skills format bounds them."""

_FRONTMATTER_LIMIT = 5_000
"""Characters in which it has to end: those of all skills are read each turn, and YAML takes long."""

_HEADING = """\
# Installed Skills

Each skill below is a file of instructions for one kind of task. When a task fits the description
of a skill, read the file at its path first and follow it. Do not guess what a skill says."""


class SkillError(ValueError):
    """A `SKILL.md` that makes no skill; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill."""

    name: str
    description: str
    path: str
    """Of its `SKILL.md`, as the tool `read` takes it."""


def parse_skill(text: str, path: str) -> Skill:
    """The skill of a `SKILL.md`.

    Raises:
        SkillError: Name or description are missing or too long.
    """
    table, _, problem = split_markdown(text[:_FRONTMATTER_LIMIT])
    if problem is not None:
        raise SkillError(problem)
    values = []
    for key, limit in (("name", _NAME_LIMIT), ("description", _DESCRIPTION_LIMIT)):
        try:
            value = one_line(text_value(table.get(key)), limit + 1)
        except ValueError:
            value = ""
        if not 0 < len(value) <= limit:
            raise SkillError(f"expected {key}: in its frontmatter, 1 to {limit} characters.")
        values.append(value)
    return Skill(values[0], values[1], path)


def skills_in_use(skills: Sequence[Skill], selected: Selection) -> tuple[list[Skill], list[str]]:
    """The skills that are used, and what is wrong, a line each."""
    notices = [*selected.notices, *selected.unknown([skill.name for skill in skills])]
    return [skill for skill in skills if selected.uses(skill.name)], notices


def build_system_prompt(agent_prompt: str, skills: Sequence[Skill]) -> str:
    """The system prompt: the agent's own, then the index of its skills.

    The same agent and skills give the same bytes: no clock, no order of a file system, so that a
    server's prefix cache holds.
    """
    return "\n\n".join(part for part in (agent_prompt, build_skills_index(skills)) if part)


def build_skills_index(skills: Sequence[Skill]) -> str:
    """What a model is told of the skills; empty without any."""
    if not skills:
        return ""
    entries = (
        {"name": skill.name, "description": skill.description, "path": skill.path}
        for skill in sorted(skills, key=lambda skill: skill.name)
    )
    listed = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"{_HEADING}\n\n```json\n[\n{listed}\n]\n```"
