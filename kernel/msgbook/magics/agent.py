"""`%agent`, `%rules` and `%skills`: the agent that answers below a cell, its rules and its skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook.agents import (
    Agent,
    AgentSources,
    ProjectFiles,
    Selection,
    UnreadableAgentError,
    list_available_agents,
    parse_temporary,
    resolve_agent,
    select,
)
from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import Cell, metadata_of
from msgbook.request import UNKNOWN_MODEL
from msgbook.text import one_line, visible
from msgbook_format.syntax import AgentLine, parse_agent_line

_USAGE = (
    "Expected %agent, %agent list, %agent default NAME or %agent new NAME KEY=VALUE ... "
    "%help explains them."
)
_PLACES = {
    "cell": "%agent new",
    "notebook": "frontmatter",
    "project": ".msgbook/agents",
    "configuration": "msgbook.toml",
    "built-in": "built in",
}
_SHOWN = 100
"""Characters of a description."""


@dataclass(frozen=True, slots=True)
class AgentsBelow:
    """Agents, rules and skills that the cells below a magic can use."""

    cells: Sequence[Cell] = ()
    """All cells above."""
    sources: AgentSources = field(default_factory=AgentSources)
    project: ProjectFiles = field(default_factory=ProjectFiles)
    notebook: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's `metadata.msgbook`."""
    known_model: Callable[[str | None, str | None], str | None] = lambda model, _provider: model
    """Returns the model that answers, given the requested model and the agent's provider; None if the
    server would have to be asked. Raises `ConfigError`."""

    @property
    def agent(self) -> Agent:
        """Agent that answers if a cell names none.

        Raises:
            UnknownAgentError: It is not defined.
        """
        return resolve_agent(None, self.cells, self.sources).agent


async def find_agents(context: MagicContext) -> AgentsBelow:
    """Return the agents, rules and skills for the cells below a magic."""
    engine = context.engine
    transcript = await context.transcript()
    project = await engine.request_builder.read_project()

    def known_model(model: str | None, provider: str | None) -> str | None:
        own = provider if provider in engine.settings.providers else None
        return engine.servers.choose_known_model(model, own)

    return AgentsBelow(
        transcript.earlier,
        AgentSources.from_notebook(transcript.metadata, project, engine.settings.agents),
        project,
        metadata_of({"metadata": transcript.metadata}),
        known_model,
    )


async def agent(context: MagicContext, _words: Sequence[str]) -> str:
    """Show or choose who answers below, list the agents, or make a temporary one."""
    return run_agent_line(context.source, await find_agents(context))


async def rules(context: MagicContext, _words: Sequence[str]) -> str:
    """List the project's rules."""
    return list_rules(await find_agents(context))


async def skills(context: MagicContext, _words: Sequence[str]) -> str:
    """List the skills of the project and of the user."""
    return list_skills(await find_agents(context))


def run_agent_line(source: str, below: AgentsBelow) -> str:
    """Return what a cell `%agent ...` prints.

    Raises:
        UsageError: The line is none of the forms of `%agent`.
        UnreadableAgentError: The attributes of a temporary agent cannot be read.
        UnknownAgentError: The agent that is named, or that would answer, is not defined.
    """
    words = source.split()[1:]
    if not words:
        return _describe_default(below)
    if words == ["list"]:
        return _list_agents(below)
    line = parse_agent_line(source)
    if line is None:
        raise UsageError(_USAGE)
    if line.verb == "new":
        return _describe_new(line)
    if line.problem:
        raise UsageError(f"%agent default {visible(line.name)}: {line.problem}.")
    found = resolve_agent(line.name, below.cells, below.sources)
    return "\n".join([f"The cells below are answered by {_describe(found.agent)}", *found.notices])


def list_rules(below: AgentsBelow) -> str:
    """List the project's rules and mark those that the model gets below.

    Raises:
        UnknownAgentError: The agent that would answer is not defined.
    """
    selected = select("rules", below.agent, below.notebook)
    lines = [(rule.name, f"length {len(rule.text):,}") for rule in below.project.rules]
    empty = "This project has no rules: there is no AGENTS.md, and .msgbook/rules has no files."
    return _mark_used(selected, lines, empty, below.project.notices)


def list_skills(below: AgentsBelow) -> str:
    """List the skills and mark those that the model gets below.

    Raises:
        UnknownAgentError: The agent that would answer is not defined.
    """
    selected = select("skills", below.agent, below.notebook)
    lines = [(skill.name, one_line(skill.description, _SHOWN)) for skill in below.project.skills]
    empty = (
        "There are no skills in .agents/skills, neither in the project nor in your home directory."
    )
    return _mark_used(selected, lines, empty, below.project.notices)


def _describe_default(below: AgentsBelow) -> str:
    found = resolve_agent(None, below.cells, below.sources)
    model = below.known_model(found.model, found.agent.provider) or UNKNOWN_MODEL
    return "\n".join([f"{_describe(found.agent)}\nmodel: {visible(model)}", *found.notices])


def _list_agents(below: AgentsBelow) -> str:
    rows = []
    for listed in list_available_agents(below.cells, below.sources):
        agent = listed.agent
        mark = "*" if listed.is_default else " "
        models = ", ".join(agent.models) or "-"
        description = visible(one_line(agent.description or "", _SHOWN))
        rows.append(
            (mark, visible(agent.name), _PLACES[agent.origin], visible(models), description)
        )
    return _columns(rows) + "\n\n* answers below this cell"


def _describe_new(line: AgentLine) -> str:
    if line.problem:
        raise UnreadableAgentError(line)
    made = parse_temporary(line.name, line.attributes)
    agent, name = made.agent, visible(made.agent.name)
    number = "model" if len(agent.models) == 1 else "models"
    properties = "; ".join([f"{number} {', then '.join(agent.models)}", *_list_settings(agent)])
    how = f"For one message: %%msg agent={name}. For all below: %agent default {name}."
    told = f"Made the agent {name}: {visible(properties)}. {how}"
    return "\n".join([told, *made.notices])


def _describe(agent: Agent) -> str:
    properties = [_PLACES[agent.origin], *agent.models[:1], *_list_settings(agent)]
    return f"{visible(agent.name)} ({visible(', '.join(properties))})"


def _list_settings(agent: Agent) -> list[str]:
    """Return the provider and the temperature of an agent, if they are set."""
    settings = [f"provider {agent.provider}"] if agent.provider else []
    if agent.temperature is not None and agent.use_temperature:
        settings.append(f"temperature {agent.temperature:g}")
    return settings


def _mark_used(
    selected: Selection, lines: Sequence[tuple[str, str]], empty: str, notices: Sequence[str]
) -> str:
    """List names and their descriptions, with `*` before those that are used."""
    names = [name for name, _ in lines]
    rows = [
        ("*" if selected.uses(name) else " ", visible(name), visible(description))
        for name, description in lines
    ]
    some = "* in use" if any(map(selected.uses, names)) else "None is in use"
    how = f"To choose others, set {selected.kind} of the agent or of the notebook."
    listed = f"{_columns(rows)}\n\n{some} ({selected.by}). {how}" if rows else empty
    return "\n".join([listed, *selected.notices, *selected.unknown(names), *notices])


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
