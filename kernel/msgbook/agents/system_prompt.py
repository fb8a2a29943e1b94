"""The system prompt: an agent's own prompt, what it may read, and its skills. Pure.

The same agent in the same project gets the same bytes in each request and on each machine: a server's
prefix cache stays valid, and no name of a user or of a home directory is sent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgbook.agents.skills import Skill, build_skills_index
from msgbook.text import repair_surrogates

SUB_AGENT = "You are a sub-agent: your task comes from another agent, not from a person."

_START = "# Files\n\nRelative paths start at the notebook's folder."


def build_system_prompt(
    agent_prompt: str,
    skills: Sequence[Skill],
    readable_paths: Sequence[str] | None = None,
    *,
    is_sub_agent: bool = False,
) -> str:
    """Return the agent's own prompt, what it is told about its rights, and the index of its skills.

    An agent whose own prompt is empty is told only its skills.

    Args:
        readable_paths: Paths that it reads without approval, as `describe_readable_paths` takes them; None
            for an agent that has no tool to read with.
        is_sub_agent: Whether another agent gave it its task.
    """
    parts = [agent_prompt]
    if agent_prompt:
        parts.append(SUB_AGENT if is_sub_agent else "")
        parts.append("" if readable_paths is None else describe_readable_paths(readable_paths))
    return "\n\n".join(part for part in (*parts, build_skills_index(skills)) if part)


def describe_readable_paths(paths: Sequence[str]) -> str:
    """Return a section that tells a model which folders it may read (seed 002).

    Args:
        paths: Relative to the notebook's folder, which is `.`; names of hostile files may be among
            them.
    """
    if not paths:
        return f"{_START} Reading any file needs the user's approval."
    listed = ", ".join(json.dumps(repair_surrogates(path), ensure_ascii=False) for path in paths)
    return (
        f"{_START} You may read these paths and everything below them without approval: {listed}. "
        "Everything else, and a file that may hold a secret, needs the user's approval."
    )
