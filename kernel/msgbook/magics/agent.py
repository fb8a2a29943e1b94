"""`%agent`, `%rules` and `%skills`: who answers below a cell, and by which rules and skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook.agents.agent import Agent, parse_temporary
from msgbook.agents.project_rules import ProjectRule
from msgbook.agents.resolve import AgentSources, UnreadableAgentError, list_agents, resolve_agent
from msgbook.agents.selection import Selection, select
from msgbook.agents.skills import Skill
from msgbook.magics.base import UsageError
from msgbook.notebook.cells import Cell
from msgbook.request import UNKNOWN_MODEL
from msgbook.text import one_line, visible
from msgbook_format.syntax.magic_lines import AgentLine, parse_agent_line

_USAGE = (
    "Expected %agent, %agent list, %agent new NAME KEY=VALUE ... or %agent default NAME; see %help."
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
class AgentMagicContext:
    """What these magics can see of where they run."""

    cells: Sequence[Cell] = ()
    """All cells above."""
    sources: AgentSources = field(default_factory=AgentSources)
    rules: Sequence[ProjectRule] = ()
    skills: Sequence[Skill] = ()
    notebook: Mapping[str, Any] = field(default_factory=dict)
    """Its `metadata.msgbook`."""
    known_model: Callable[[str | None, str | None], str | None] = lambda model, _provider: model
    """The model that answers, given the one that agent or cells want, and the agent's provider;
    None where the server would have to be asked. Raises `ConfigError`."""
    notices: Sequence[str] = ()
    """What of the project could not be read."""
    source: str = ""
    """Source of the magic's cell."""


def agent(scene: AgentMagicContext, words: Sequence[str]) -> str:
    """Say or choose who answers below, list the agents, or make a temporary one.

    Raises:
        UsageError: The words mean nothing.
        UnreadableAgentError: The attributes of a temporary agent cannot be read.
        UnknownAgentError: The agent that is named, or that would answer, is not defined.
    """
    match [*words]:
        case []:
            return _who_answers(scene)
        case ["list"]:
            return _listing(scene)
    line = parse_agent_line(scene.source)
    if line is None:
        raise UsageError(_USAGE)
    if line.verb == "new":
        return _new(line)
    if line.problem:
        raise UsageError(f"%agent default {visible(line.name)}: {line.problem}.")
    found = resolve_agent(line.name, scene.cells, scene.sources)
    return "\n".join([f"The cells below are answered by {_described(found.agent)}", *found.notices])


def rules(scene: AgentMagicContext, _words: Sequence[str]) -> str:
    """List the project's rules: those that hold below this cell, and the others.

    Raises:
        UnknownAgentError: The agent that would answer is not defined.
    """
    selected = select("rules", _agent_below(scene), scene.notebook)
    lines = [(rule.name, f"length {len(rule.text):,}") for rule in scene.rules]
    empty = "This project has no rules: no AGENTS.md and nothing in .msgbook/rules."
    return _used_or_not(selected, lines, empty, scene.notices)


def skills(scene: AgentMagicContext, _words: Sequence[str]) -> str:
    """List the skills: those that the model is told of below this cell, and the others.

    Raises:
        UnknownAgentError: The agent that would answer is not defined.
    """
    selected = select("skills", _agent_below(scene), scene.notebook)
    lines = [(skill.name, one_line(skill.description, _SHOWN)) for skill in scene.skills]
    empty = "There are no skills: nothing in .agents/skills of the project and of your home."
    return _used_or_not(selected, lines, empty, scene.notices)


def _who_answers(scene: AgentMagicContext) -> str:
    found = resolve_agent(None, scene.cells, scene.sources)
    model = scene.known_model(found.model, found.agent.provider) or UNKNOWN_MODEL
    return "\n".join([f"{_described(found.agent)}\nmodel: {visible(model)}", *found.notices])


def _listing(scene: AgentMagicContext) -> str:
    rows = []
    for listed in list_agents(scene.cells, scene.sources):
        one = listed.agent
        mark = "*" if listed.is_default else " "
        models = ", ".join(one.models) or "-"
        words = one_line(one.description or "", _SHOWN)
        rows.append((mark, visible(one.name), _PLACES[one.origin], visible(models), visible(words)))
    return _columns(rows) + "\n\n* answers below this cell"


def _new(line: AgentLine) -> str:
    if line.problem:
        raise UnreadableAgentError(line)
    made = parse_temporary(line.name, line.attributes)
    name = visible(made.agent.name)
    how = f"%%msg agent={name}, %agent default {name}"
    return "\n".join([f"{_described(made.agent)} can be named below: {how}", *made.notices])


def _agent_below(scene: AgentMagicContext) -> Agent:
    return resolve_agent(None, scene.cells, scene.sources).agent


def _described(one: Agent) -> str:
    said = [_PLACES[one.origin], *one.models[:1]]
    if one.provider:
        said.append(f"provider {one.provider}")
    if one.temperature is not None and one.use_temperature:
        said.append(f"temperature {one.temperature:g}")
    return f"{visible(one.name)} ({visible(', '.join(said))})"


def _used_or_not(
    selected: Selection,
    lines: Sequence[tuple[str, str]],
    empty: str,
    notices: Sequence[str],
) -> str:
    """Names with a word on each, `*` before those that are used."""
    names = [name for name, _ in lines]
    rows = [
        ("*" if selected.uses(name) else " ", visible(name), visible(words))
        for name, words in lines
    ]
    some = "* in use" if any(map(selected.uses, names)) else "None is in use"
    how = f"agent or notebook name them under {selected.kind}:"
    listed = f"{_columns(rows)}\n\n{some} ({selected.by}; {how})" if rows else empty
    return "\n".join([listed, *selected.notices, *selected.unknown(names), *notices])


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
