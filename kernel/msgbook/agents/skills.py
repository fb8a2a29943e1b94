"""Skills: instructions that a model reads when it needs them. Pure.

A skill is a folder with a `SKILL.md`. The system prompt has the `name` and `description` from its
frontmatter; the model reads the rest with the tool `read`.
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
"""Characters, as the Agent Skills format limits them."""

_FRONTMATTER_LIMIT = 5_000
"""Characters at the start of a file that are read: each turn reads all skills, and YAML is slow."""

_HEADING = """\
# Installed Skills

Each skill below is a file of instructions for one kind of task. When a task fits the description
of a skill, read the file at its path first and follow it. Do not guess what a skill says."""


class SkillError(ValueError):
    """A `SKILL.md` without a valid skill; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, as the system prompt lists it."""

    name: str
    description: str
    path: str
    """Path of its `SKILL.md` for the tool `read`."""


def parse_skill(text: str, path: str) -> Skill:
    """Parse the frontmatter of a `SKILL.md`.

    Raises:
        SkillError: The name or description is missing or too long.
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
    """Return the skills in use, and one line for each problem."""
    notices = [*selected.notices, *selected.unknown([skill.name for skill in skills])]
    return [skill for skill in skills if selected.uses(skill.name)], notices


def build_skills_index(skills: Sequence[Skill]) -> str:
    """Return the list of skills for a model; empty if there are none."""
    if not skills:
        return ""
    entries = (
        {"name": skill.name, "description": skill.description, "path": skill.path}
        for skill in sorted(skills, key=lambda skill: skill.name)
    )
    listed = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"{_HEADING}\n\n```json\n[\n{listed}\n]\n```"
