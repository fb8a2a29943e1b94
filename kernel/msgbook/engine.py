"""The engine of every host: settings, servers, tools and the conversation, put together once.

`turn_run` runs a turn with it. Neither knows Jupyter.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from copy import copy
from pathlib import Path

from msgbook.agents import Identities
from msgbook.approval import Approver, Roots, find_project
from msgbook.background import BackgroundWrites, RunningSubagents
from msgbook.cassette import Cassette
from msgbook.config import Limits, Settings, redact, redact_json
from msgbook.errors import ConfigError
from msgbook.ids import Ids
from msgbook.notebook import IsMagic, Transcript, any_magic
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
from msgbook.turn import RunCall, TurnRecord, run_now
from msgbook_format.agents import DEFAULT_AGENT


class Engine:
    """Settings, servers and tools of one conversation.

    Args:
        folder: The notebook's folder.
        private: Paths that tools neither read nor change without approval.
        approver: Decides about calls that need approval; by default by the settings alone.
        namespace: The notebook's Python, where there is one.
        problem: Why the settings could not be read; each turn then ends with this error.
        sleep: Waits some seconds before a server is asked again.
        is_magic: Returns whether a magic runs as code.
        home: Folder of the user's own skills; None for none.
        ids: Makes the ids and times that are saved.
        cassette: Records turns, or replays them, and by default waits and makes the ids; None for neither.
        paces: Of the servers, where several engines share them; by default this one's own.
        clock: Returns monotonic seconds: those of durations and time budgets.

    Attributes:
        ids: Makes the ids and times that are saved.
        identities: Make the AgentMetadata of a conversation with its first turn.
        servers: The configured model servers.
        tools: The tools that models can call, except those of MCP servers; may be added to between turns.
        mcp: The user's MCP servers.
        request_builder: The cells that have been read and the requests that have been sent.
        writes: The files of sub-agents that are being written.
        subagents: Those that run, also for sub-agents.
        results: Keeps tool results that are too long for a request.
        warnings: Warnings about the settings, for the first turn.
        reported: What the reader has been warned about in this session; not repeated.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        *,
        private: tuple[Path, ...] = (),
        approver: Approver | None = None,
        namespace: Namespace | None = None,
        problem: ConfigError | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        is_magic: IsMagic = any_magic,
        home: Path | None = None,
        ids: Ids | None = None,
        cassette: Cassette | None = None,
        paces: Paces | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.clock = clock
        self.settings = settings
        self.folder = folder
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
        self.approver = approver or Approver(settings.approval, folder)
        self.results = Results(folder)
        self.namespace = namespace
        self.writes = BackgroundWrites()
        self.subagents = RunningSubagents()
        self._private, self._is_magic, self._home = private, is_magic, home
        self._files = FileTools(folder, private, ripgrep=find_ripgrep())
        self._subagent_files: FileTools | None = None
        self.tools, problems = self._make_tools()
        open_mcp_servers = cassette.open_mcp_servers if cassette else McpServers
        self.mcp = open_mcp_servers(settings.mcp_servers, self.redact)
        limits = Limits(**settings.limits)  # type: ignore[arg-type]  # checked when it was read
        limits, refusals = limits.narrow(settings.project_limits)
        too_wide = (f"The project: {words}" for words in refusals)
        self.warnings = [*settings.warnings, *too_wide, *problems]
        self.reported: set[str] = set()
        self.request_builder = self._new_builder(limits)

    def for_subagent(self, limits: Limits) -> Engine:
        """Return an engine for a sub-agent's conversation, whose folder is the project's.

        It has the same settings, servers and approvals, but no Python, and it remembers only what its
        own conversation reads and sends. Close the engine that made it, not this one.

        Args:
            limits: The limits that are in force for the agent that starts it.
        """
        engine = copy(self)
        engine.folder = find_project(self.folder)
        engine.warnings, engine.reported = [], set(self.reported)
        engine.namespace = None
        engine.approver = Approver(self.approver.policy, engine.folder, self.approver.rules)
        engine.results = Results(engine.folder)
        engine._files = self._open_subagent_files(engine.folder).for_another_conversation()
        own = {tool.name: tool for tool in engine._make_tools()[0]}
        kept = (tool for tool in self.tools if not runs_in_kernel(tool))
        engine.tools = ToolSet(own.get(tool.name, tool) for tool in kept)
        engine.request_builder = engine._new_builder(limits)
        return engine

    @property
    def saves_files(self) -> bool:
        """Whether a turn writes files: conversations of sub-agents, blobs, the mark of a running turn."""
        return self.cassette is None or self.cassette.saves_files

    @property
    def run_call(self) -> RunCall:
        """Makes each attempt to run a call of a recorded tool."""
        return run_now if self.cassette is None else self.cassette.run_call

    def _make_tools(self) -> tuple[ToolSet, list[str]]:
        """Return the tools for the engine's folder, and what is wrong with those of plug-ins."""
        plugin_tools, problems = load_tools(ToolHost(self.folder), self.settings.plugins_off)
        tools = ToolSet(
            (
                *self._files.tools,
                shell_tool(self.folder, self.settings.secrets),
                *([python_tool(self.namespace)] if self.namespace is not None else ()),
                *dispatch_tools(self.folder),
                task_finish_tool(),
                *plugin_tools,
            )
        )
        return tools, problems

    def _open_subagent_files(self, folder: Path) -> FileTools:
        """Return file tools for sub-agents; they share their worker processes."""
        if folder == self.folder.resolve():
            return self._files
        if self._subagent_files is None:
            self._subagent_files = FileTools(folder, self._private, ripgrep=find_ripgrep())
        return self._subagent_files

    def _new_builder(self, limits: Limits) -> RequestBuilder:
        roots = Roots(self.folder, self._private)
        chooser = AgentChooser(
            self.settings, self.servers, limits, self.tools, self._files, roots, self.mcp
        )
        return RequestBuilder(
            self.folder,
            chooser,
            self.results,
            is_magic=self._is_magic,
            secrets=self.settings.secrets,
            private=self._private,
            home=self._home,
        )

    def new_record(self) -> TurnRecord:
        """Return the record of a turn that begins now."""
        started = self.ids.now().isoformat(timespec="seconds")
        head = {"agent": DEFAULT_AGENT, "started": started.replace("+00:00", "Z")}
        return TurnRecord(head, lambda: self.ids.new_token(4))

    async def preview(self, source: str, transcript: Transcript) -> Preview:
        """Return the request of a prompt cell. Asks nobody and runs nothing.

        `{"pending": ...}` stands for what a turn would have to run first.

        Raises:
            MsgbookError: There would be no request; the message says why.
        """
        transcript = self.identities.identify(transcript).transcript
        prompt = read_prompt(source)
        check_prompt(source, prompt, transcript, self.redact)
        services = self._preview_services()
        prepared = await self.request_builder.prepare(source, prompt, transcript, services)
        active_agent = prepared.active_agent
        too_long = describe_overflow(prepared, transcript.earlier, active_agent.tools.schemas)
        return Preview(
            source,
            prepared,
            self.servers.adapt(self.provider_request(prepared), active_agent.agent.provider),
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
            self.identities.identify(transcript).transcript,
            await self.request_builder.read_project(),
            self._preview_services().choose_model,
        )

    def _preview_services(self) -> PreviewServices:
        return PreviewServices(self.approver.allows, self.servers.choose_known_model, self.mcp)

    def provider_request(self, prepared: PreparedRequest) -> Request:
        """Return the request as it is sent, without what the provider adds."""
        active_agent = prepared.active_agent
        return Request(
            active_agent.model,
            prepared.request.messages,
            redact_json(active_agent.tools.schemas, self.settings.secrets),
            active_agent.options,
            active_agent.model_origin,
            prepared.reasoned,
        )

    async def close(self) -> None:
        """Wait for what is still to be written, close the connections, end the processes of tools."""
        await self.writes.finish()
        files = filter(None, (self._files, self._subagent_files))
        closing = (*(one.close() for one in files), self.mcp.close(), self.servers.close())
        # One that fails must not keep the others from ending their processes.
        for outcome in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    def redact(self, text: str) -> str:
        """Return a text without the user's keys and without lone surrogates."""
        return redact(repair_surrogates(text), self.settings.secrets)
