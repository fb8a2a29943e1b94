"""Which agent answers a cell, and with which model. Pure.

An agent is defined whole in one place. Of several places the first one counts: a `%agent new` cell
above, the notebook's frontmatter, the project's `.msgbook/agents/NAME.md`, the user's
configuration; what a later one says of that name is not mixed in, so that a file cannot lend
itself what the user gave to an agent of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msgbook.agents.agent import Agent, ParsedAgent, parse_agent, parse_temporary
from msgbook.agents.markdown_file import split_markdown
from msgbook.errors import MsgbookError
from msgbook.notebook.cells import Cell, Prompt, metadata_of, model_magic_name, source_of
from msgbook.text import one_line, visible
from msgbook_format.agents import (
    DEFAULT_AGENT,
    AgentTables,
    agent_tables,
)
from msgbook_format.syntax import AgentLine, parse_agent_line

_FRONTMATTER = 200_000
"""Characters of a frontmatter in which agents are looked for."""
_MOST_NAMED = 20
"""Names that an error lists."""


class UnknownAgentError(MsgbookError):
    """Nothing defines an agent of that name."""


class UnreadableAgentError(UnknownAgentError):
    """The line `%agent new NAME ...` that makes the agent cannot be read."""

    def __init__(self, line: AgentLine) -> None:
        name = visible(one_line(line.name, 60))
        super().__init__(f"The cell %agent new {name} makes no agent: {line.problem}.")


@dataclass(frozen=True, slots=True)
class AgentSources:
    """The places where agents are defined, but for the cells."""

    frontmatter: str = ""
    """The user's lines of it: `metadata.msgbook.frontmatter` of the notebook."""
    project: Mapping[str, str] = field(default_factory=dict)
    """Texts of the project's `.msgbook/agents/NAME.md`, by NAME."""
    configuration: Mapping[str, Any] = field(default_factory=dict)
    """`[agents]` of the user's configuration, as it stands."""


class ResolvedAgent(NamedTuple):
    """Who answers a cell."""

    agent: Agent
    model: str | None
    """None where neither the agent nor a cell above names one: the user's settings count."""
    notices: tuple[str, ...]
    """What of the agent's definition is not followed, a line each."""


class AvailableAgent(NamedTuple):
    """An agent that a cell could name."""

    agent: Agent
    is_default: bool


def requested_name(key: str, prompt: Prompt, current: Cell | None) -> str | None:
    """What a prompt says of `agent` or `model`: its `%%msg` line, else its cell's metadata."""
    named: Any = prompt.attributes.get(key) or (metadata_of(current) if current else {}).get(key)
    return named.strip() or None if isinstance(named, str) else None


def resolve_agent(
    wanted: str | None, cells: Sequence[Cell], sources: AgentSources
) -> ResolvedAgent:
    """The agent that answers below the cells, and the model that it names or they name.

    Args:
        wanted: The agent that the cell itself names.
        cells: All cells above.

    Raises:
        UnknownAgentError: The agent is not defined; the message lists those that are.
        UnreadableAgentError: The `%agent new` line above that makes it cannot be read.
    """
    agents = _Agents(cells, sources)
    agent, notices = agents.find(wanted or agents.now)
    model = _model(agent, wanted is not None, agents)
    return ResolvedAgent(agent, model, (*agents.problems, *notices))


def list_agents(cells: Sequence[Cell], sources: AgentSources) -> list[AvailableAgent]:
    """All agents that a cell below these could name: temporary ones, then place by place."""
    agents = _Agents(cells, sources)
    listed = []
    for name in agents.names():
        with suppress(UnreadableAgentError):
            listed.append(AvailableAgent(agents.find(name).agent, name == agents.now))
    return listed


def parse_project_agent(name: str, text: str) -> ParsedAgent:
    """The agent of a `.msgbook/agents/NAME.md`: its frontmatter, with the body as system prompt."""
    table, body, problem = split_markdown(text)
    parsed = parse_agent(name, {"system_prompt": body, **table} if body else table, "project")
    if problem is None:
        return parsed
    return ParsedAgent(parsed.agent, (f"Agent {visible(name)}: {problem}", *parsed.notices))


class _Choice(NamedTuple):
    """What a cell chooses for those below it."""

    kind: Literal["model", "agent"]
    name: str


class _Agents:
    """The agents that can be named below some cells."""

    def __init__(self, cells: Sequence[Cell], sources: AgentSources) -> None:
        self._sources = sources
        self._frontmatter = _tables(sources.frontmatter)
        self._found: dict[str, ParsedAgent] = {}
        self._temporary: dict[str, AgentLine] = {}
        self.choices: list[_Choice] = []
        """What `%model` and `%agent default` cells say, in their order."""
        problems = [*self._frontmatter.problems]
        for line in filter(None, map(_magic_line, cells)):
            model, magic = model_magic_name(line), parse_agent_line(line)
            if model:
                self.choices.append(_Choice("model", model))
            elif magic and magic.verb == "new":
                self._temporary[magic.name] = magic
            elif magic and magic.problem:
                words = visible(one_line(line, 60))
                problems.append(f"{words}: {magic.problem}; it is ignored.")
            elif magic:
                self.choices.append(_Choice("agent", magic.name))
        self.problems = tuple(problems)

    @property
    def now(self) -> str:
        """Who answers where the cell itself names nobody."""
        chosen = (choice.name for choice in reversed(self.choices) if choice.kind == "agent")
        return next(chosen, self.default)

    @property
    def default(self) -> str:
        """Who answers where no cell says anything (seed 004)."""
        first = next(iter(self._frontmatter.tables), DEFAULT_AGENT)
        return self._frontmatter.default or first

    def names(self) -> Iterator[str]:
        places = (self._frontmatter.tables, self._sources.project, self._sources.configuration)
        yield from dict.fromkeys(
            [*self._temporary, *(name for place in places for name in place), DEFAULT_AGENT]
        )

    def find(self, name: str) -> ParsedAgent:
        """The agent of a name, from the first place that defines it.

        Raises:
            UnknownAgentError: None does.
        """
        # Hundreds of cells may name one whose definition takes long to read.
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def _read(self, name: str) -> ParsedAgent:
        if name in self._temporary:
            line = self._temporary[name]
            if line.problem:
                raise UnreadableAgentError(line)
            return parse_temporary(name, line.attributes)
        if name in self._frontmatter.tables:
            return parse_agent(name, self._frontmatter.tables[name], "notebook")
        if name in self._sources.project:
            return parse_project_agent(name, self._sources.project[name])
        if name in self._sources.configuration:
            return parse_agent(name, self._sources.configuration[name], "configuration")
        if name == DEFAULT_AGENT:
            return ParsedAgent(Agent(name), ())
        known = list(self.names())
        listed = ", ".join(visible(one_line(known_name, 60)) for known_name in known[:_MOST_NAMED])
        more = ", ..." if len(known) > _MOST_NAMED else ""
        why = f" {self.problems[0]}" if self.problems else ""
        raise UnknownAgentError(
            f"There is no agent {visible(one_line(name, 60))!r}; the agents here are {listed}{more}. "
            "Define it under agents: in the frontmatter, by %agent new in a cell above, in "
            f".msgbook/agents or in msgbook.toml.{why}"
        )


def _model(agent: Agent, is_asked_for: bool, agents: _Agents) -> str | None:
    """The model that an agent or the cells above name.

    An agent that the cell itself names comes first; then the nearest `%model` or `%agent default`
    above that names one; then the default agent.
    """
    if is_asked_for and agent.models:
        return agent.models[0]
    for kind, name in reversed(agents.choices):
        model = name if kind == "model" else _model_of(name, agent, agents)
        if model:
            return model
    return _model_of(agents.default, agent, agents)


@lru_cache(maxsize=4)
def _tables(frontmatter: str) -> AgentTables:
    if len(frontmatter) > _FRONTMATTER:
        words = (
            f"The frontmatter has more than {_FRONTMATTER:,} characters; its agents are not read."
        )
        return AgentTables(problems=(words,))
    return agent_tables(frontmatter)


def _magic_line(cell: Cell) -> str:
    """The line of a code cell that is a single magic; empty for any other cell."""
    source = source_of(cell).lstrip() if cell.get("cell_type") == "code" else ""
    line = source.rstrip() if source.startswith("%") else ""
    return "" if "\n" in line else line


def _model_of(name: str, agent: Agent, agents: _Agents) -> str | None:
    """The model of another agent, for this one; none where that one has another provider."""
    try:
        other = agents.find(name).agent
    except UnknownAgentError:
        return None
    return other.models[0] if other.models and other.provider == agent.provider else None
