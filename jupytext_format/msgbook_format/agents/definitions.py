"""Agents that a notebook names: in its frontmatter, in `%agent` cells, in its turns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgbook_format.syntax.frontmatter import can_hold, parse_frontmatter
from msgbook_format.syntax.frontmatter_key import FrontmatterError, with_frontmatter_key
from msgbook_format.syntax.text_cell import AgentLine, parse_agent_line, parse_msg_line
from msgbook_format.syntax.yaml_nodes import YamlError, compose, entries, last, plain_value, text_of
from msgbook_format.turn import turn_of
from msgbook_format.typed import as_list, as_text, as_texts, msgbook_metadata

DEFAULT_AGENT = "assistant"
"""Agent that answers if nothing names one."""


@dataclass(frozen=True, slots=True)
class FrontmatterAgents:
    """Names of agents in a frontmatter."""

    names: tuple[str, ...] = ()
    """Agents that `agents` defines, in file order."""
    default: str | None = None
    """`default_agent`, if it is a name."""


@dataclass(frozen=True, slots=True)
class AgentTables:
    """Agents of a frontmatter with their properties, which may have any type."""

    tables: dict[str, Any] = field(default_factory=dict)
    """Properties by name of the agent, in file order."""
    default: str | None = None
    """`default_agent`, if it is a name."""
    lines: dict[str, int] = field(default_factory=dict)
    """Line of each of these agents in the user's lines, from 1."""
    problems: tuple[str, ...] = ()
    """Parts that could not be read, a sentence for each."""


def frontmatter_agents(user: str) -> FrontmatterAgents:
    """Return the names in the user's lines of a frontmatter; none if these are not YAML."""
    try:
        found = entries(compose(user))
    except YamlError:
        return FrontmatterAgents()
    agents, default = last(found, "agents"), last(found, "default_agent")
    names = (entry.key for entry in entries(agents.node)) if agents else ()
    return FrontmatterAgents(
        tuple(dict.fromkeys(names)), text_of(default.node) if default else None
    )


def agent_tables(user: str) -> AgentTables:
    """Return the agents in the user's lines of a frontmatter, with their properties."""
    try:
        found = entries(compose(user))
        agents, default = last(found, "agents"), last(found, "default_agent")
        tables = plain_value(agents.node) if agents else {}
    except YamlError as error:
        problem = f"The frontmatter cannot be read: {error} (line {error.line + 1})."
        return AgentTables(problems=(problem,))
    problems = []
    if not isinstance(tables, dict):
        if tables is not None:
            problems.append("agents: expected a mapping of names to properties; it is ignored.")
        tables = {}
    name = text_of(default.node) if default else None
    if default and not name:
        problems.append("default_agent: expected a name; it is ignored.")
    lines = {entry.key: entry.line for entry in entries(agents.node)} if tables and agents else {}
    return AgentTables(tables, name or None, lines, tuple(problems))


def list_agents(notebook: dict[str, Any]) -> list[str]:
    """Return the names of all agents in a notebook, each once, the default first.

    The default is the frontmatter's `default_agent`, else the first of its `agents`, else
    `assistant`. Then come the other agents of the frontmatter, and those that cells and turns
    name, in file order.
    """
    declared = frontmatter_agents(_frontmatter(notebook))
    names = [declared.default or next(iter(declared.names), DEFAULT_AGENT), *declared.names]
    for cell in notebook.get("cells", ()):
        names += _named_in(cell)
    return list(dict.fromkeys(name for name in names if name))


def defined_agents(notebook: dict[str, Any]) -> list[str]:
    """Return the names of agents that the frontmatter and `%agent new` cells define."""
    names = list(frontmatter_agents(_frontmatter(notebook)).names)
    for cell in notebook.get("cells", ()):
        line = _agent_line(cell)
        if line and line.verb == "new":
            names.append(line.name)
    return list(dict.fromkeys(names))


def _named_in(cell: dict[str, Any]) -> Iterator[str]:
    if cell.get("cell_type") == "code":
        if line := _agent_line(cell):
            yield line.name
        if msg := parse_msg_line(_source(cell)):
            yield from as_texts([msg.attributes.get("agent")])
    yield from as_texts([msgbook_metadata(cell).get("agent")])
    outputs = cell.get("outputs")
    for output in as_list(outputs):
        turn: Any = turn_of(output)
        if turn is not None:
            yield from as_texts([turn.get("agent"), *(b.get("agent") for b in turn["blocks"])])


def _agent_line(cell: dict[str, Any]) -> AgentLine | None:
    return parse_agent_line(_source(cell)) if cell.get("cell_type") == "code" else None


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    return as_text(source)


def _frontmatter(notebook: dict[str, Any]) -> str:
    user = msgbook_metadata(notebook).get("frontmatter")
    return as_text(user)


# Setting of `default_agent` in a frontmatter.


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
