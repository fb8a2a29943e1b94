"""The engine of every host: what conversations share, and one conversation.

`turn_run` runs a turn with it. Neither knows Jupyter.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgbook.agents import Identities
from msgbook.approval import Approver, Roots, find_project
from msgbook.background import BackgroundWrites, RunningSubagents
from msgbook.cassette import Cassette
from msgbook.config import Limits, Settings, redact, redact_json
from msgbook.errors import ConfigError
from msgbook.ids import Ids
from msgbook.notebook import Transcript
from msgbook.provider import Paces, Request, Servers, Waits, Wire
from msgbook.request import (
    ActiveAgent,
    AgentChooser,
    PreparedRequest,
    Preview,
    PreviewServices,
    RequestBuilder,
    check_prompt,
    describe_overflow,
    list_prompt_warnings,
    read_prompt,
)
from msgbook.text import repair_surrogates
from msgbook.tools import (
    FileTools,
    Namespace,
    Results,
    ToolHost,
    ToolSet,
    dispatch_tools,
    find_ripgrep,
    load_tools,
    python_tool,
    runs_in_kernel,
    shell_tool,
    task_finish_tool,
)
from msgbook.tools.mcp import McpServers
from msgbook.turn import Purse, RunCall, TurnRecord, run_now
from msgbook_format.agents import DEFAULT_AGENT
from msgbook_format.syntax import CHAT_CELLS, CellRule


class Services:
    """What the conversations of a session share: settings, servers, ids, and what runs or is written beside a turn.

    Args:
        private: Paths that tools neither read nor change without approval.
        problem: Why the settings could not be read; each turn then ends with this error.
        sleep: Waits some seconds before a server is asked again.
        home: Folder of the user's own skills; None for none.
        ids: Makes the ids and times that are saved.
        cassette: Records turns, or replays them, and by default waits and makes the ids; None for neither.
        paces: Of the servers, where several sessions share them; by default this one's own.
        clock: Returns monotonic seconds: those of durations and time budgets.
        purse: What all turns may spend together; None for any amount.

    Attributes:
        ids: Makes the ids and times that are saved.
        identities: Make the AgentMetadata of a conversation with its first turn.
        servers: The configured model servers.
        mcp: The user's MCP servers.
        writes: The files of sub-agents that are being written.
        subagents: Those that run, also for sub-agents.
        limits: The user's, narrowed by the project.
        warnings: Warnings about the settings, for the first turn.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        private: tuple[Path, ...] = (),
        problem: ConfigError | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        home: Path | None = None,
        ids: Ids | None = None,
        cassette: Cassette | None = None,
        paces: Paces | None = None,
        clock: Callable[[], float] = time.monotonic,
        purse: Purse | None = None,
    ) -> None:
        self.settings = settings
        self.purse = purse
        self.private, self.home = private, home
        self.clock = clock
        self.cassette = cassette
        self.ids = ids or (cassette.ids if cassette else Ids())
        self.identities = Identities(self.ids)
        self.waits = Waits(sleep or (cassette.sleep if cassette else asyncio.sleep))
        self.servers = Servers(
            settings,
            problem=problem,
            sleep=self.waits.sleep,
            ids=self.ids,
            wire=cassette.wire if cassette else Wire(),
            paces=paces,
        )
        open_mcp_servers = cassette.open_mcp_servers if cassette else McpServers
        self.mcp = open_mcp_servers(settings.mcp_servers, self.redact)
        self.writes = BackgroundWrites()
        self.subagents = RunningSubagents()
        limits = Limits(**settings.limits)  # type: ignore[arg-type]  # checked when it was read
        self.limits, refusals = limits.narrow(settings.project_limits)
        self.warnings = [*settings.warnings, *(f"The project: {words}" for words in refusals)]
        self._files: dict[Path, FileTools] = {}

    @property
    def saves_files(self) -> bool:
        """Whether a turn writes files: conversations of sub-agents, blobs, the mark of a running turn."""
        return self.cassette is None or self.cassette.saves_files

    @property
    def run_call(self) -> RunCall:
        """Makes each attempt to run a call of a recorded tool."""
        return run_now if self.cassette is None else self.cassette.run_call

    def open_files(self, folder: Path) -> FileTools:
        """Return the file tools of a conversation. Those in the same folder share worker processes."""
        known = self._files.get(folder.resolve())
        if known is not None:
            return known.for_another_conversation()
        made = FileTools(folder, self.private, ripgrep=find_ripgrep())
        self._files[folder.resolve()] = made
        return made

    async def close(self) -> None:
        """Wait for what is still to be written, close the connections, end the processes of tools."""
        await self.writes.finish()
        files = (one.close() for one in self._files.values())
        closing = (*files, self.mcp.close(), self.servers.close())
        # One that fails must not keep the others from ending their processes.
        for outcome in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    def redact(self, text: str) -> str:
        """Return a text without the user's keys and without lone surrogates."""
        return redact(repair_surrogates(text), self.settings.secrets)


class Conversation:
    """One file's conversation: its tools and approvals, and what it has read and sent.

    Args:
        folder: The notebook's folder.
        approver: Decides about calls that need approval; by default by the settings alone.
        namespace: The notebook's Python, where there is one.
        cell_rule: Tells the messages among the notebook's code cells.
        limits: Those in force; by default the user's, narrowed by the project.
        parent: The conversation that starts this one. It offers no tool that the parent has not.

    Attributes:
        tools: The tools that models can call, except those of MCP servers; may be added to between turns.
        request_builder: The cells that have been read and the requests that have been sent.
        results: Keeps tool results that are too long for a request.
        warnings: Warnings for the first turn.
        reported: What the reader has been warned about in this session; not repeated.
    """

    def __init__(
        self,
        services: Services,
        folder: Path,
        *,
        approver: Approver | None = None,
        namespace: Namespace | None = None,
        cell_rule: CellRule = CHAT_CELLS,
        limits: Limits | None = None,
        parent: Conversation | None = None,
    ) -> None:
        self.services = services
        self.folder = folder
        self.approver = approver or Approver(services.settings.approval, folder)
        self.namespace = namespace
        self._cell_rule = cell_rule
        self.results = Results(folder)
        self._files = services.open_files(folder)
        self.tools, problems = self._make_tools()
        self.warnings = [*services.warnings, *problems]
        self.reported: set[str] = set()
        if parent is not None:
            own = {tool.name: tool for tool in self.tools}
            kept = (tool for tool in parent.tools if not runs_in_kernel(tool))
            self.tools = ToolSet(own.get(tool.name, tool) for tool in kept)
            self.warnings, self.reported = [], set(parent.reported)
        self.request_builder = self._new_builder(limits or services.limits)

    def for_subagent(self, limits: Limits) -> Conversation:
        """Return a sub-agent's conversation, whose folder is the project's and which has no Python.

        Args:
            limits: The limits that are in force for the agent that starts it.
        """
        folder = find_project(self.folder)
        approver = Approver(self.approver.policy, folder, self.approver.rules)
        return Conversation(self.services, folder, approver=approver, limits=limits, parent=self)

    def _make_tools(self) -> tuple[ToolSet, list[str]]:
        """Return the tools for the conversation's folder, and what is wrong with those of plug-ins."""
        plugin_tools, problems = load_tools(
            ToolHost(self.folder), self.services.settings.plugins_off
        )
        tools = ToolSet(
            (
                *self._files.tools,
                shell_tool(self.folder, self.services.settings.secrets),
                *([python_tool(self.namespace)] if self.namespace is not None else ()),
                *(
                    t
                    for t in self._files.cell_tools
                    if self.namespace is not None or not runs_in_kernel(t)
                ),
                *dispatch_tools(self.folder),
                task_finish_tool(),
                *plugin_tools,
            )
        )
        return tools, problems

    def _new_builder(self, limits: Limits) -> RequestBuilder:
        shared = self.services
        roots = Roots(self.folder, shared.private)
        chooser = AgentChooser(
            shared.settings, shared.servers, limits, self.tools, self._files, roots, shared.mcp
        )
        return RequestBuilder(
            self.folder,
            chooser,
            self.results,
            cell_rule=self._cell_rule,
            secrets=shared.settings.secrets,
            private=shared.private,
            home=shared.home,
        )

    def new_record(self) -> TurnRecord:
        """Return the record of a turn that begins now."""
        started = self.services.ids.now().isoformat(timespec="seconds")
        head = {"agent": DEFAULT_AGENT, "started": started.replace("+00:00", "Z")}
        return TurnRecord(head, lambda: self.services.ids.new_token(4))

    async def preview(self, source: str, transcript: Transcript) -> Preview:
        """Return the request of a prompt cell. Asks nobody and runs nothing.

        `{"pending": ...}` stands for what a turn would have to run first.

        Raises:
            MsgbookError: There would be no request; the message says why.
        """
        transcript = self.services.identities.identify(transcript).transcript
        prompt = read_prompt(source)
        check_prompt(source, prompt, transcript, self.services.redact)
        services = self._preview_services()
        prepared = await self.request_builder.prepare(source, prompt, transcript, services)
        active_agent = prepared.active_agent
        too_long = describe_overflow(prepared, transcript.earlier, active_agent.tools.schemas)
        return Preview(
            source,
            prepared,
            self.services.servers.adapt(
                self.provider_request(prepared), active_agent.agent.provider
            ),
            (
                *list_prompt_warnings(source, prompt, transcript.current),
                *services.notices,
                *([too_long] if too_long else []),
            ),
        )

    async def choose_agent(self, source: str, transcript: Transcript) -> ActiveAgent:
        """Return what would answer a prompt cell, without preparing its request. Asks nobody.

        Raises:
            MsgbookError: There is no such agent.
        """
        return await self.request_builder.agent_chooser.choose(
            read_prompt(source),
            self.services.identities.identify(transcript).transcript,
            await self.request_builder.read_project(),
            self._preview_services().choose_model,
        )

    def _preview_services(self) -> PreviewServices:
        return PreviewServices(
            self.approver.allows, self.services.servers.choose_known_model, self.services.mcp
        )

    def provider_request(self, prepared: PreparedRequest) -> Request:
        """Return the request as it is sent, without what the provider adds."""
        active_agent, secrets = prepared.active_agent, self.services.settings.secrets
        schemas = active_agent.tools.schemas
        return Request(
            active_agent.model,
            prepared.request.messages,
            redact_json(schemas, secrets) if secrets else schemas,
            active_agent.options,
            active_agent.model_origin,
            prepared.reasoned,
        )
