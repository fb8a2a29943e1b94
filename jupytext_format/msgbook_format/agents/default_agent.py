"""Setting of `default_agent` in a frontmatter."""

from __future__ import annotations

import json
import re

from msgbook_format.agents.definitions import frontmatter_agents
from msgbook_format.syntax.frontmatter import can_hold, parse_frontmatter
from msgbook_format.syntax.frontmatter_key import FrontmatterError, with_frontmatter_key
from msgbook_format.syntax.yaml_nodes import compose, entries, last, text_of

_KEY = "default_agent"
_PLAIN = re.compile(r"[A-Za-z_][\w.+/-]*", re.A)


def with_default_agent(text: str, agent: str) -> str:
    """Return `text` with `agent` as `default_agent`; a frontmatter is added if there is none.

    Raises:
        FrontmatterError: One line of the frontmatter cannot set the key.
    """

    def has_value(user: str) -> bool:
        return frontmatter_agents(user).default == agent

    return with_frontmatter_key(text, _KEY, _spell(agent), has_value)


def lines_with_default_agent(user: str, agent: str) -> str:
    """Return the user's lines of a frontmatter with `agent` as `default_agent`.

    Raises:
        FrontmatterError: As `with_default_agent`, or no frontmatter can hold the lines.
    """
    user += "" if not user or user.endswith("\n") else "\n"
    if not can_hold(user):
        raise FrontmatterError("the notebook's `frontmatter` cannot be written in a message file")
    return parse_frontmatter(with_default_agent(f"---\n{user}---", agent))[0]


def _spell(agent: str) -> str:
    """Return a name as YAML: plain if that reads back as the same text."""
    if _PLAIN.fullmatch(agent):
        entry = last(entries(compose(f"{_KEY}: {agent}")), _KEY)
        if entry is not None and text_of(entry.node) == agent:
            return agent
    return json.dumps(agent, ensure_ascii=False)
