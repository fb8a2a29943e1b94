"""Setting of `default_agent` in a frontmatter."""

from __future__ import annotations

import json
import re

from msgbook_format.agents.definitions import frontmatter_agents
from msgbook_format.syntax.frontmatter_key import with_frontmatter_key
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


def _spell(agent: str) -> str:
    """Return a name as YAML: plain if that reads back as the same text."""
    if _PLAIN.fullmatch(agent):
        entry = last(entries(compose(f"{_KEY}: {agent}")), _KEY)
        if entry is not None and text_of(entry.node) == agent:
            return agent
    return json.dumps(agent, ensure_ascii=False)
