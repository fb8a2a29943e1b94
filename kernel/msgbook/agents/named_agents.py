"""The agents that can be named below some cells, and the one that answers a cell. Pure.

The first place that defines an agent's name defines all of it: a `%agent new` cell above, the
notebook's frontmatter, the project's `.msgbook/agents/NAME.md`, the user's configuration. Definitions
are never merged, so a file cannot take over properties that the user gave to an agent of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgbook.agents.agent import Agent, ParsedAgent, parse_agent, parse_temporary
from msgbook.agents.project_files import ProjectFiles, split_markdown
from msgbook.errors import RESTART, MsgbookError
from msgbook.notebook import (
    NOTEBOOK_SUFFIX,
    Cell,
    Prompt,
    describe_cell_with_id,
    metadata_of,
    model_magic_name,
    once,
    source_of,
)
from msgbook.text import join_first, one_line, visible
from msgbook_format.agents import DEFAULT_AGENT, AgentTables, agent_tables, read_text
from msgbook_format.syntax import AgentLine, parse_agent_line
from msgbook_format.typed import as_text

_FRONTMATTER = 200_000
"""Characters of a frontmatter; agents of a longer one are not read. YAML takes seconds for a megabyte."""
_MOST_NAMED = 20
"""Names that an error lists."""


class UnknownAgentError(MsgbookError):
    """No agent with this name is defined."""


class UnreadableAgentError(UnknownAgentError):
    """The line `%agent new NAME ...` that makes the agent cannot be read."""

    def __init__(self, line: AgentLine) -> None:
        name = visible(one_line(line.name, 60))
        super().__init__(f"The cell %agent new {name} makes no agent: {line.problem}.")


@dataclass(frozen=True, slots=True)
class AgentSources:
    """Places where agents are defined, except cells."""

    frontmatter: str = ""
    """The user's lines of the frontmatter: `metadata.msgbook.frontmatter` of the notebook."""
    project: Mapping[str, str] = field(default_factory=dict)
    """Texts of the project's `.msgbook/agents/NAME.md`, by NAME."""
    configuration: Mapping[str, Any] = field(default_factory=dict)
    """`[agents]` of the user's configuration."""
    file: str = ""
    """Name of the message file that the frontmatter is in; empty if it is not known to be in one."""
    model: Any = None
    """`metadata.msgbook.model` of the notebook, of any type: the model of cells for which no cell above
    chooses one."""

    @classmethod
    def from_notebook(
        cls,
        metadata: Mapping[str, Any],
        project: ProjectFiles,
        configuration: Mapping[str, Any],
        path: Path | None = None,
    ) -> AgentSources:
        """Return the sources of a notebook, given its metadata.

        Args:
            path: The notebook's file, if it is known.
        """
        ours = metadata_of({"metadata": metadata})
        frontmatter = ours.get("frontmatter")
        frontmatter = as_text(frontmatter)
        file = path.name if path is not None and path.suffix != NOTEBOOK_SUFFIX else ""
        return cls(frontmatter, project.agents, configuration, file, ours.get("model"))


class Choice(NamedTuple):
    """A model or agent that a cell chooses for the cells below it."""

    kind: Literal["model", "agent"]
    name: str
    position: int
    """Position of the cell, from 0."""


class NamedAgents:
    """The agents that can be named below some cells."""

    def __init__(self, cells: Sequence[Cell], sources: AgentSources) -> None:
        self._cells = cells
        self._sources = sources
        self._frontmatter = _tables(sources.frontmatter)
        self._found: dict[str, ParsedAgent] = {}
        self._temporary: dict[str, tuple[AgentLine, int]] = {}
        self.choices: list[Choice] = []
        """Choices of `%model` and `%agent default` cells, in their order."""
        problems = [*self._frontmatter.problems]
        self.model, problem = _notebook_model(sources.model)
        """The model that the notebook's metadata names; None without."""
        problems += [problem] if problem else []
        for position, cell in enumerate(cells):
            line = _magic_line(cell)
            if not line:
                continue
            model, magic = model_magic_name(line), parse_agent_line(line)
            if model:
                self.choices.append(Choice("model", model, position))
            elif magic and magic.verb == "new":
                self._temporary[magic.name] = magic, position
            elif magic and magic.problem:
                shown = visible(one_line(line, 60))
                problems.append(f"{shown}: {magic.problem}; it is ignored.")
            elif magic:
                self.choices.append(Choice("agent", magic.name, position))
        self.problems = tuple(problems)

    @property
    def current(self) -> str:
        """The agent that answers if the cell itself names none."""
        chosen = (choice.name for choice in reversed(self.choices) if choice.kind == "agent")
        return next(chosen, self.default)

    @property
    def default(self) -> str:
        """The agent that answers if no cell names one (seed 004)."""
        first = next(iter(self._frontmatter.tables), DEFAULT_AGENT)
        return self._frontmatter.default or first

    def names(self) -> Iterator[str]:
        places = (self._frontmatter.tables, self._sources.project, self._sources.configuration)
        yield from dict.fromkeys(
            [*self._temporary, *(name for place in places for name in place), DEFAULT_AGENT]
        )

    def find(self, name: str) -> ParsedAgent:
        """Return the agent with a name, from the first place that defines it.

        Raises:
            UnknownAgentError: No place defines it.
        """
        # Hundreds of cells may name an agent whose definition takes long to read.
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def origin_of(self, name: str) -> str:
        """Return a description of what defines an agent, which exists."""
        shown = f"the agent {visible(one_line(name, 60))}"
        if name in self._temporary:
            return self.describe_cell(self._temporary[name][1])
        if name in self._frontmatter.tables:
            file = f" of {visible(self._sources.file)}" if self._sources.file else ""
            line = self._frontmatter.lines.get(name)
            # The first line of the file is `---`.
            return f"{shown} in the frontmatter{file}" + (f", line {line + 1}" if line else "")
        if name in self._sources.project:
            return f".msgbook/agents/{visible(one_line(name, 60))}.md"
        return f"{shown} in msgbook.toml"

    def describe_cell(self, position: int) -> str:
        """Return the name of one of the cells."""
        return describe_cell_with_id(self._cells, position)

    def _read(self, name: str) -> ParsedAgent:
        if name in self._temporary:
            line, _ = self._temporary[name]
            if line.problem:
                raise UnreadableAgentError(line)
            return parse_temporary(name, line.attributes)
        if name in self._frontmatter.tables:
            return parse_agent(name, self._frontmatter.tables[name], "notebook")
        if name in self._sources.project:
            return _parse_project_agent(name, self._sources.project[name])
        if name in self._sources.configuration:
            return parse_agent(name, self._sources.configuration[name], "configuration")
        if name == DEFAULT_AGENT:
            return ParsedAgent(Agent(name), ())
        known = [visible(one_line(known, 60)) for known in self.names()]
        listed = (
            f"there is only the agent {known[0]}"
            if len(known) == 1
            else f"the known agents are {join_first(known, _MOST_NAMED)}"
        )
        why = f" {self.problems[0]}" if self.problems else ""
        raise UnknownAgentError(
            f"There is no agent {visible(one_line(name, 60))!r}; {listed}. "
            "Define it under agents: in the frontmatter, by %agent new in a cell above, in "
            f".msgbook/agents or in msgbook.toml (then {RESTART}).{why}"
        )


def _parse_project_agent(name: str, text: str) -> ParsedAgent:
    """Parse a `.msgbook/agents/NAME.md`: properties in the frontmatter, the body as system prompt."""
    table, body, problem = split_markdown(text)
    parsed = parse_agent(name, {"system_prompt": body, **table} if body else table, "project")
    if problem is None:
        return parsed
    return ParsedAgent(parsed.agent, (f"Agent {visible(name)}: {problem}", *parsed.notices))


@lru_cache(maxsize=4)
def _tables(frontmatter: str) -> AgentTables:
    if len(frontmatter) > _FRONTMATTER:
        problem = (
            f"The frontmatter has more than {_FRONTMATTER:,} characters; its agents are not read."
        )
        return AgentTables(problems=(problem,))
    return agent_tables(frontmatter) if frontmatter else AgentTables()


def _notebook_model(value: Any) -> tuple[str | None, str]:
    """Return the model that the notebook's metadata names, and what is wrong with it, if anything."""
    if value is None:
        return None, ""
    try:
        name = read_text(value)
    except ValueError:
        return None, "model of the notebook: expected a name; it is ignored."
    return name, ""


@once
def _magic_line(cell: Cell) -> str:
    """Return the line of a code cell with a single line magic; empty for any other cell."""
    source = source_of(cell).lstrip() if cell.get("cell_type") == "code" else ""
    line = source.rstrip() if source.startswith("%") else ""
    return "" if "\n" in line else line


# The agent that answers a cell, and its models. Pure.


class ChosenModels(NamedTuple):
    """Models that a cell or an agent names."""

    names: tuple[str, ...]
    """At least one. The first one answers; a later one only if the server knows none before it."""
    origin: str
    """Describes what names them: `cell 2 [5fb8acd8] (%model large)`."""


class ResolvedAgent(NamedTuple):
    """The agent that answers a cell."""

    agent: Agent
    models: ChosenModels | None
    """None if neither the agent nor a cell above names a model; then the user's settings decide."""
    notices: tuple[str, ...]
    """One line for each part of the definition that is ignored."""

    @property
    def model(self) -> str | None:
        """The model that is asked first."""
        return self.models.names[0] if self.models else None


class AvailableAgent(NamedTuple):
    """An agent that a cell can name."""

    agent: Agent
    is_default: bool


def requested_name(key: str, prompt: Prompt, current: Cell | None) -> str | None:
    """Return the `agent` or `model` that a prompt names in its `%%msg` line, else in its metadata."""
    named: Any = prompt.attributes.get(key) or (metadata_of(current) if current else {}).get(key)
    return as_text(named).strip() or None


def requested_models(prompt: Prompt, current: Cell | None) -> ChosenModels | None:
    """Return the model that a prompt itself names."""
    model = requested_name("model", prompt, current)
    in_line = bool(prompt.attributes.get("model"))
    origin = "the %%msg line of this cell" if in_line else "model= of this cell"
    return ChosenModels((model,), origin) if model else None


def resolve_agent(
    wanted: str | None, cells: Sequence[Cell], sources: AgentSources
) -> ResolvedAgent:
    """Return the agent and model that answer below some cells.

    Args:
        wanted: The agent that the cell itself names; None if it names none.
        cells: All cells above.

    Raises:
        UnknownAgentError: The agent is not defined; the message lists those that are.
        UnreadableAgentError: The `%agent new` line above that makes it cannot be read.
    """
    agents = NamedAgents(cells, sources)
    agent, notices = agents.find(wanted or agents.current)
    models = _find_models(agent, wanted is not None, agents)
    return ResolvedAgent(agent, models, (*agents.problems, *notices))


def list_available_agents(cells: Sequence[Cell], sources: AgentSources) -> list[AvailableAgent]:
    """Return all agents that a cell below these can name: temporary ones first."""
    agents = NamedAgents(cells, sources)
    listed = []
    for name in agents.names():
        with suppress(UnreadableAgentError):
            listed.append(AvailableAgent(agents.find(name).agent, name == agents.current))
    return listed


def _find_models(agent: Agent, is_named_by_cell: bool, agents: NamedAgents) -> ChosenModels | None:
    """Return the models that an agent or the cells above name.

    First comes an agent that the cell itself names; then the nearest `%model` or `%agent default`
    above that names a model; then the notebook's metadata; then the default agent.
    """
    if is_named_by_cell and agent.models:
        return ChosenModels(agent.models, agents.origin_of(agent.name))
    for kind, name, position in reversed(agents.choices):
        if kind == "model":
            return ChosenModels((name,), agents.describe_cell(position))
        models = _models_from(name, agent, agents)
        if models:
            return models
    if agents.model:
        return ChosenModels((agents.model,), "model in the notebook's metadata")
    return _models_from(agents.default, agent, agents)


def _models_from(name: str, agent: Agent, agents: NamedAgents) -> ChosenModels | None:
    """Return the models that another agent names for this one; None if their providers differ."""
    try:
        other = agents.find(name).agent
    except UnknownAgentError:
        return None
    if not other.models or other.provider != agent.provider:
        return None
    return ChosenModels(other.models, agents.origin_of(name))
