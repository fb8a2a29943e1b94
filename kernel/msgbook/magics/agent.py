"""`%agent`, `%model`, `%models`, `%rules`, `%skills`, `%tool`, `%tools`, `%mcp`: who answers below a cell, and with what."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from msgbook.engine import Conversation
from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import Cell, Prompt, metadata_of
from msgbook.provider import describe_demo_model
from msgbook.request import UNKNOWN_MODEL, is_off, switched_off
from msgbook.text import counted, one_line, visible
from msgbook.tools import OWN_NAMES, FunctionTool, Tool, function_tool
from msgbook.tools.mcp import McpError, McpServer, McpTool
from msgbook_format.syntax import AgentLine, parse_agent_line

# `%model` and `%models`: choose the model that answers.


async def model(context: MagicContext, words: Sequence[str]) -> str:
    """Choose the model of the cells below, or return the one that would answer there."""
    conversation = context.conversation
    if not words:
        below = replace(await context.transcript(), current=None)
        project = await conversation.request_builder.read_project()
        return (
            await conversation.request_builder.agent_chooser.choose(Prompt(""), below, project)
        ).model
    chosen = await conversation.services.servers.choose_model(words[0])
    if chosen != words[0]:
        return describe_demo_model(chosen, words[0])
    return f"Model of the cells below: {chosen}"


async def models(context: MagicContext, _words: Sequence[str]) -> str:
    """List the models that the server offers."""
    return (
        "\n".join(await context.conversation.services.servers.list_models())
        or "The server lists no models."
    )


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
    conversation = context.conversation
    transcript = await context.transcript()
    project = await conversation.request_builder.read_project()

    def known_model(model: str | None, provider: str | None) -> str | None:
        own = provider if provider in conversation.services.settings.providers else None
        return conversation.services.servers.choose_known_model(model, own)

    return AgentsBelow(
        transcript.earlier,
        AgentSources.from_notebook(
            transcript.metadata, project, conversation.services.settings.agents
        ),
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


# `%tool` and `%tools`: functions of the notebook that a model may call.


async def tool(context: MagicContext, words: Sequence[str]) -> str:
    """Make functions callable by the model, or with `-d` stop that."""
    removing = "-d" in words
    names = [word for word in words if word != "-d"]
    if not names:
        raise UsageError("Expected names of functions: %tool NAME ... or %tool -d NAME ...")
    tools = context.conversation.tools
    others = {tool.name: tool.origin for tool in tools if not isinstance(tool, FunctionTool)}
    for name in names:
        if name in others or name in OWN_NAMES:
            whose = others.get(name) or "msgbook itself"
            raise UsageError(f"{name} is a tool of {whose}. Give the function another name.")
    if removing:
        found = [tools.find(name) for name in names]
        for tool in found:
            tools.remove(tool.name)
        return f"No longer a tool: {', '.join(names)}"
    if context.conversation.namespace is None:
        raise UsageError("%tool works only in a notebook's kernel: there are no functions here.")
    made = [function_tool(name, context.conversation.namespace) for name in names]
    for tool in made:
        tools.add(tool)
    return "\n".join(_line(tool) for tool in made)


async def tools(context: MagicContext, _words: Sequence[str]) -> str:
    """List the tools.

    Raises:
        UnknownAgentError: The agent that would answer below is not defined.
    """
    below = await find_agents(context)
    agent = below.agent
    off = switched_off("disabled_tools", {"msgbook": below.notebook})

    def left_out(tool: Tool) -> str:
        if is_off(tool.name, off):
            return "switched off in this notebook"
        is_offered = agent.tools is None or tool.name in agent.tools
        return "" if is_offered else f"not offered to {visible(agent.name)}"

    lines = [_line(tool, left_out(tool)) for tool in context.conversation.tools]
    for name in agent.server_tools or ():
        note = "switched off in this notebook" if is_off(name, off) else OF_SERVER
        lines.append(f"{visible(name)}  [{note}]  A tool of the model's server.")
    if context.conversation.services.mcp.servers:
        lines.append("%mcp lists the tools of MCP servers.")
    return "\n".join(lines) or "There are no tools."


OF_SERVER = "no approval: runs at the server"
"""Said of a tool of the model's server."""


def _line(tool: Tool, note: str = "") -> str:
    """Return the parameters of a tool, a note or whether it needs approval, and what it does."""
    function: dict[str, Any] = tool.schema["function"]
    required = function["parameters"].get("required", [])
    names = function["parameters"].get("properties", {})
    parameters = ", ".join(name if name in required else f"{name}?" for name in names)
    first = " ".join(function["description"].partition("\n\n")[0].split())
    notes = ", ".join(
        filter(None, [note or describe_approval(tool), tool.origin and f"from {tool.origin}"])
    )
    return f"{tool.name}({parameters})  [{notes}]  {first}".rstrip()


def describe_approval(tool: Tool) -> str:
    """Return whether calls of a tool need approval."""
    if not tool.read_only:
        return "needs approval"
    return "no approval" if tool.origin else "no approval in the notebook's folder"


# `%mcp`: the MCP servers, what they offer, and which calls need approval.


_SHOWN_SERVERS = 80
"""Characters of a description or a command."""


async def mcp(context: MagicContext, words: Sequence[str]) -> str:
    """List the servers; `refresh` starts one or all anew, and takes the tools that it offers now."""
    servers = context.conversation.services.mcp
    if not servers.servers:
        return "There are no MCP servers. [mcp_servers.NAME] in msgbook.toml configures one. Then restart the kernel."
    if words and words[0] != "refresh":
        raise UsageError("Expected %mcp, %mcp refresh or %mcp refresh NAME.")
    names = list(words[1:]) or list(servers.servers)
    if names[0] not in servers.servers:
        known = ", ".join(servers.servers)
        raise UsageError(f"There is no MCP server {names[0]!r}. Configured are: {known}.")
    if not words:
        await servers.known(names)
        return context.conversation.services.redact(_listing(context.conversation))
    return "\n".join(
        await asyncio.gather(*(_refresh(context.conversation, name) for name in names))
    )


async def _refresh(conversation: Conversation, name: str) -> str:
    try:
        await conversation.services.mcp.refresh(name)
    except McpError as error:
        return f"{visible(name)}: {visible(str(error))}"
    conversation.services.servers.forget_refused_tools()
    return f"{visible(name)}: {counted(len(conversation.services.mcp.servers[name].tools), 'tool')}"


def _listing(conversation: Conversation) -> str:
    lines = (
        [f"No server can be used: {conversation.services.mcp.missing}"]
        if conversation.services.mcp.missing
        else []
    )
    for server in conversation.services.mcp.servers.values():
        lines += _describe_server(server, conversation)
    lines += conversation.services.mcp.clashes(conversation.services.mcp.servers)
    return "\n".join(lines)


def _describe_server(server: McpServer, conversation: Conversation) -> list[str]:
    settings = server.settings
    what = settings.url or " ".join((settings.command, *settings.args))
    shown = visible(one_line(conversation.services.redact(what), _SHOWN_SERVERS))
    known = counted(len(server.tools), "tool") if server.listing else "tools not known yet"
    head = f"{visible(settings.name)}  [{server.state}]  {known}  {shown}".rstrip()
    said = [settings.problem or server.failure, *server.problems]
    if server.has_changed:
        said.append(f"it has changed its tools; run %mcp refresh {settings.name} to load them")
    lines = [f"    ! {visible(line)}" for line in said if line]
    return [head, *lines, *(f"    {_tool(tool)}" for tool in server.tools)]


def _tool(tool: McpTool) -> str:
    first = visible(one_line(tool.listed.description.partition("\n\n")[0], _SHOWN_SERVERS))
    return f"{tool.name}  [{approval_of(tool)}]  {first}".rstrip()


def approval_of(tool: McpTool) -> str:
    """Return whether calls of a tool need approval, and what its server says of it."""
    if tool.read_only:
        return "no approval: it only reads, says the server, whose hints you trust"
    if not tool.listed.reads_only:
        return "needs approval"
    where = "and may reach the network" if tool.listed.open_world else "and nothing outside"
    return f"needs approval; says that it only reads, {where}"
