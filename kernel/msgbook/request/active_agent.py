"""The agent that answers a prompt, with its model, provider, tools, folders and limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.agents import (
    Agent,
    AgentSources,
    ChosenModels,
    ConfiguredNames,
    ProjectFiles,
    ResolvedAgent,
    build_system_prompt,
    make_request_options,
    name_values,
    narrow_agent,
    narrow_roots,
    parse_agent,
    requested_models,
    requested_name,
    resolve_agent,
    select,
    select_server_tools,
    select_servers,
    skills_in_use,
)
from msgbook.approval import MCP_PREFIX, Roots
from msgbook.config import DEMO_MODEL, Settings, known_models
from msgbook.config.known_models import describe_unknown, find_price, find_window
from msgbook.config.prices import FREE, FindPrice
from msgbook.config.searching_models import searches_by_itself
from msgbook.config.settings import Limits
from msgbook.errors import RESTART, MsgbookError, ToolError
from msgbook.messages import ApiName
from msgbook.notebook import Prompt, Transcript, metadata_of
from msgbook.provider import Provider, Servers, describe_demo_model
from msgbook.request.history import View
from msgbook.request.lineage import Lineage, is_off, lineage_of, switched_off
from msgbook.text import join_first, one_line, visible
from msgbook.tools import FileTools, ToolSet
from msgbook.tools.mcp import McpServers, digests_of
from msgbook_format.agents import agent_metadata_of

if TYPE_CHECKING:
    from msgbook.tools.mcp import McpTool

SYSTEM_PROMPT = (
    "You are a helpful assistant in a Jupyter notebook. Each user message is a cell of the "
    "notebook, and your answer appears below it, rendered as Markdown with code and LaTeX."
)

ChooseModel = Callable[[str | None, str | None], Awaitable[str]]
"""Returns the model that answers, given the wanted model and the name of the agent's provider."""

ReadyServers = Callable[[Sequence[str]], Awaitable[None]]
"""Makes the tools of MCP servers known, given their names."""


@dataclass(frozen=True, slots=True)
class ActiveAgent:
    """An agent with everything that it needs to answer one prompt."""

    agent: Agent
    model: str
    """The model that is asked first."""
    model_origin: str
    """Describes what names the model."""
    provider: Provider
    view: View
    api: ApiName
    """The API over which the provider is asked."""
    options: dict[str, Any]
    """Further keys of the request's body, by their names in the chat API."""
    tools: ToolSet
    allowed: tuple[Path, ...] | None
    """Folders below which reading needs no approval; None for the user's roots."""
    limits: Limits
    server_tools: tuple[str, ...]
    """Tools of the model's server that it may use."""
    servers: tuple[str, ...]
    """MCP servers of which it may be offered tools, also if these are not known."""
    mcp: Mapping[str, str]
    """Digest of the tools of each MCP server that is offered, by its name."""
    window: int | None
    """Tokens of request and answer together that the model accepts, as far as is known."""
    models: tuple[str, ...]
    """The models that may be asked, one after the other until the server knows one."""
    find_price: FindPrice
    """Returns what a model of its server costs."""
    unknown: str
    """A notice about what is not known of the model; empty if nothing is missing."""
    notices: tuple[str, ...]


class AgentChooser:
    """Chooses the agent that answers a prompt.

    Args:
        limits: The user's limits, narrowed by the project.
        tools: All tools of the conversation.
        files: Those of the tools that read and write files.
        roots: The folders that the user lets be read without approval.
        mcp: The user's MCP servers.
    """

    def __init__(
        self,
        settings: Settings,
        servers: Servers,
        limits: Limits,
        tools: ToolSet,
        files: FileTools,
        roots: Roots,
        mcp: McpServers,
    ) -> None:
        self._settings = settings
        self._servers = servers
        self._limits = limits
        self._tools = tools
        self._files = files
        self._roots = roots
        self._mcp = mcp

    async def choose(
        self,
        prompt: Prompt,
        transcript: Transcript,
        project: ProjectFiles,
        choose_model: ChooseModel | None = None,
        ready_servers: ReadyServers | None = None,
    ) -> ActiveAgent:
        """Choose the agent and model that answer a prompt.

        Args:
            choose_model: By default `Servers.choose_model`, which may ask a server for its models.
            ready_servers: By default no MCP server is started, and what is known of them counts.

        Raises:
            MsgbookError: There is no such agent or no model, or the server cannot be asked.
        """
        sources = AgentSources.from_notebook(
            transcript.metadata, project, self._settings.agents, transcript.path
        )
        name = requested_name("agent", prompt, transcript.current)
        agent, models, notices = resolve_agent(name, transcript.earlier, sources)
        servers = self._servers_of(agent, transcript) if self._mcp.servers else []
        if servers and ready_servers is not None:
            await ready_servers(servers)
        name_notices: list[str] = []
        if agent.names_configuration:
            agent, name_notices = narrow_agent(agent, self._configured_names(servers))
        models = requested_models(prompt, transcript.current) or models
        check_searching(models, self._settings)
        wanted = models.names[0] if models else None
        model = await (choose_model or self._servers.choose_model)(wanted, agent.provider)
        if self._settings.providers:
            await known_models.ready()
        so_far = (
            *notices,
            *notice_demo_model(model, wanted, self._settings),
            *notice_provider(agent, self._settings),
            *name_notices,
        )
        found = ResolvedAgent(agent, models, so_far)
        return self._equip(found, model, servers, prompt, transcript, project)

    def _servers_of(self, agent: Agent, transcript: Transcript) -> list[str]:
        """Return the names of the MCP servers of which an agent may be offered tools."""
        off = switched_off("disabled_mcp_servers", transcript.metadata)
        offered = (name for name in self._mcp.servers if not is_off(name, off))
        return select_servers(agent, offered, MCP_PREFIX)

    def _equip(
        self,
        resolved: ResolvedAgent,
        model: str,
        servers: Sequence[str],
        prompt: Prompt,
        transcript: Transcript,
        project: ProjectFiles,
    ) -> ActiveAgent:
        """Return an agent with all that it needs.

        Args:
            model: The model that is asked first.
        """
        agent, models, notices = resolved
        allowed, folder_notices = find_allowed_folders(agent, transcript, self._roots)
        view, skill_notices = self.make_view(agent, model, transcript, project)
        limits, limit_notices = self._limits.narrow(agent.limits)
        limits, prompt_limit_notices = limits.narrow(prompt.attributes)
        lineage = lineage_of(transcript)
        server_tools = tuple(filter(lineage.allows_server_tool, agent.server_tools or ()))
        known = select_server_tools(agent, self._mcp.tools(servers)) if servers else []
        of_servers = [tool for tool in known if lineage.allows(tool)]
        tools = self._offered_tools(agent, allowed, lineage, limits)
        server = self._servers.find_settings(model, agent.provider)
        api: ApiName = server.api if server else "chat"
        further = models.names[1:] if models else ()
        return ActiveAgent(
            agent=agent,
            model=model,
            model_origin=models.origin if models else self._origin_of(model),
            provider=self._servers.find_provider(model, agent.provider, further),
            view=view,
            api=api,
            options=make_request_options(
                agent, server.base_url if server else None, api, server_tools
            ),
            tools=with_server_tools(tools, of_servers, agent) if of_servers else tools,
            allowed=allowed,
            limits=limits,
            server_tools=server_tools,
            servers=tuple(servers),
            mcp=digests_of(of_servers) if of_servers else {},
            window=agent.context_window or find_window(server, model),
            models=(model, *further),
            find_price=partial(find_price, server) if server else lambda *_names: FREE,
            unknown=describe_unknown(server, model, has_window=bool(agent.context_window)),
            notices=(
                *notices,
                *skill_notices,
                *(f"Agent {agent.name}: {notice}" for notice in limit_notices),
                *(f"%%msg: {notice}" for notice in prompt_limit_notices),
                *folder_notices,
            ),
        )

    def make_view(
        self, agent: Agent, model: str, transcript: Transcript, project: ProjectFiles
    ) -> tuple[View, list[str]]:
        """Return the view that an agent has of the conversation, and notices about its skills."""
        prompt = agent.system_prompt if agent.system_prompt is not None else SYSTEM_PROMPT
        selected = select("skills", agent, metadata_of({"metadata": transcript.metadata}))
        skills, notices = skills_in_use(project.skills, selected)
        server = self._servers.find_settings(model, agent.provider)
        view = View(
            agent.name,
            build_system_prompt(
                prompt,
                skills,
                self._readable_paths(agent, transcript),
                is_sub_agent=lineage_of(transcript).depth > 0,
            ),
            vision=self._servers.accepts_images(model, agent.provider),
            documents=self._servers.accepts_documents(model, agent.provider),
            reasoning_of=server.name if server and server.keep_reasoning else None,
            alternate=bool(server and server.alternate),
        )
        return view, notices

    def _readable_paths(self, agent: Agent, transcript: Transcript) -> list[str] | None:
        """Return the paths that the agent reads without approval; None if it has no tool to read."""
        allowed, _ = find_allowed_folders(agent, transcript, self._roots)
        tools = self._offered_tools(agent, allowed, lineage_of(transcript), self._limits)
        offered = {tool.name for tool in tools}
        if not any(tool.read_only and tool.name in offered for tool in self._files.tools):
            return None
        return self._roots.narrow_to(allowed).list_readable_paths()

    def _origin_of(self, model: str) -> str:
        """Return a description of what sets a model that neither a cell nor an agent names."""
        own = self._settings
        return own.model_origin if model == own.model else "the server, which lists no other"

    def _configured_names(self, servers: Sequence[str]) -> ConfiguredNames:
        return ConfiguredNames(
            tuple(self._settings.providers),
            (
                *(t.name for t in self._tools),
                *((t.name for t in self._mcp.tools(servers)) if servers else ()),
            ),
            self._settings.mcp_servers,
        )

    def _offered_tools(
        self, agent: Agent, allowed: Sequence[Path] | None, lineage: Lineage, limits: Limits
    ) -> ToolSet:
        """Return the tools that an agent is offered, in the order of all tools."""
        within = {} if allowed is None else {t.name: t for t in self._files.narrow_to(allowed)}
        files = {tool.name: tool for tool in self._files.tools}
        return ToolSet(
            within[tool.name] if tool is files.get(tool.name) and within else tool
            for tool in self._tools
            if lineage.offers(tool, agent, limits)
        )


# Notices about the agent that answers: a model or a provider that the reader may not expect. Pure.


_OF_FILES = {"notebook": "notebook", "project": "project", "cell": "notebook"}
"""Origins of agents that another person may have written, and their names in a notice."""


def notice_demo_model(model: str, wanted: str | None, settings: Settings) -> Iterator[str]:
    """Yield a notice if the demo model answers although another one is set."""
    other = wanted or settings.model
    if model != DEMO_MODEL or other in (None, model):
        return
    yield describe_demo_model(model, other)


def notice_provider(agent: Agent, settings: Settings) -> Iterator[str]:
    """Yield a notice if a file makes another provider answer than the user's default."""
    default = next(iter(settings.providers), None)
    if agent.origin not in _OF_FILES or agent.provider in (None, default):
        return
    yield (
        f"Agent {visible(one_line(agent.name, 60))}, which the {_OF_FILES[agent.origin]} defines, "
        f"answers through your provider {agent.provider}, not through {default}."
    )


class SearchingModelError(MsgbookError):
    """A notebook or a project names a model that searches the web by itself."""


def check_searching(models: ChosenModels | None, settings: Settings) -> None:
    """Refuse models that search by themselves, unless the user's own configuration names them.

    Raises:
        SearchingModelError: The message says where it can be named.
    """
    searching = [*filter(searches_by_itself, models.names)] if models else []
    if not models or not searching:
        return
    own = {settings.model}
    for name, table in settings.agents.items():
        own.update(parse_agent(name, table, "configuration").agent.models)
    for model in searching:
        if model not in own:
            shown = visible(one_line(model, 100))
            raise SearchingModelError(
                f"The model {shown}, set by {models.origin}, searches the web by itself, so nothing was sent. Only "
                f"your own configuration can let it: name it in models of an agent of {settings.file}, "
                f"[agents.NAME], then {RESTART}. Or choose another model."
            )


class UnknownPriceError(MsgbookError):
    """Money is limited, and what a model costs is not known."""


def check_prices(active: ActiveAgent) -> None:
    """Refuse to ask models of unknown price: a limit of money could not be held.

    Raises:
        UnknownPriceError: The message says what to write where.
    """
    unknown = [model for model in active.models if active.find_price(model) is None]
    if unknown:
        names = join_first([visible(one_line(model, 100)) for model in unknown], _MODELS)
        raise UnknownPriceError(
            f"Money is limited (max_cost), and the price of {names} is not known, so nothing was sent. Set it in "
            f"[providers.{active.provider.name}.prices] of msgbook.toml, per million tokens, with 0 for what costs "
            f"nothing: {_toml_key(unknown[0])} = {{ input = 1.25, output = 10.0 }}. Then {RESTART}."
        )


_MODELS = 8
"""Most models that an error lists."""


def _toml_key(model: str) -> str:
    return json.dumps(visible(one_line(model, 100)), ensure_ascii=False)


# Folders that an agent may read without approval: those that the notebook and the agent allow.


def find_allowed_folders(
    agent: Agent, transcript: Transcript, roots: Roots
) -> tuple[tuple[Path, ...] | None, list[str]]:
    """Return the real paths that both notebook and agent allow to be read without approval.

    Returns:
        The paths, or None if neither leaves anything of the notebook's folder out; and a line for
        each path that allows nothing.
    """

    def resolve(path: str) -> Path | None:
        try:
            return roots.resolve(path)
        except ToolError:
            return None

    restrictions = [
        uris for uris in (_allowed_uris(transcript), agent.allowed_uris) if uris is not None
    ]
    allowed: tuple[Path, ...] = (roots.folder,)
    notices = []
    for uris in restrictions:
        allowed, outside = narrow_roots(replace(agent, allowed_uris=uris), allowed, resolve)
        notices += outside
    return (None if roots.folder in allowed else allowed), notices


def _allowed_uris(transcript: Transcript) -> tuple[str, ...] | None:
    """Return `allowed_uris` of the notebook's AgentMetadata; None if they are not set."""
    uris = agent_metadata_of(transcript.metadata).get("allowed_uris")
    if uris is None:
        return None
    try:
        return name_values(uris)
    except ValueError:
        return ()


# The tools of MCP servers behind the agent's other tools, as far as model servers take them.


TOOL_LIMIT = 128
"""Tools of one request that common model servers take."""


class TooManyToolsError(MsgbookError):
    """An agent is offered more tools than a request can have."""


def with_server_tools(tools: ToolSet, server_tools: Sequence[McpTool], agent: Agent) -> ToolSet:
    """Return tools with those of MCP servers behind them. One of the same name stays as it is.

    Raises:
        TooManyToolsError: There are more than `TOOL_LIMIT`; the message counts them.
    """
    if not server_tools:
        return tools
    own = list(tools)
    names = {tool.name for tool in own}
    added = [tool for tool in server_tools if tool.name not in names]
    if len(own) + len(added) > TOOL_LIMIT:
        counts = Counter(tool.server for tool in added)
        listed = ", ".join(f"{visible(name)} {count}" for name, count in counts.most_common())
        raise TooManyToolsError(
            f"Agent {visible(agent.name)} is offered {len(own) + len(added)} tools, and model servers "
            f"take at most {TOOL_LIMIT}. Tools of MCP servers: {listed}; others: {len(own)}. Choose fewer "
            "with enabled_tools or disabled_tools of [mcp_servers.NAME] in msgbook.toml, or with "
            f"mcp_servers of the agent. After a change of the file, {RESTART}."
        )
    return ToolSet([*own, *added])
