"""The world outside a turn: everything that a replay has to repeat, as it is without a cassette."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from msgbook.approval import Decision, Question
from msgbook.config import McpServerSettings
from msgbook.ids import Ids
from msgbook.provider import Wire
from msgbook.tools.mcp import McpServers
from msgbook.turn import Attempt, TurnRecord
from msgbook_format.turn import Block


class Cassette:
    """No cassette: nothing is kept and nothing repeated.

    Attributes:
        ids: Makes the ids and times that are saved.
        wire: What stands between the providers and the network.
        saves_files: Whether a turn writes files: conversations of sub-agents, blobs, the mark of a running turn. A
            replay writes none.
    """

    saves_files = True

    def __init__(self) -> None:
        self.ids = Ids()
        self.wire = Wire()

    async def sleep(self, seconds: float) -> None:
        """Wait before a request is repeated."""
        await asyncio.sleep(seconds)

    async def run_call(self, _call: Block, run: Callable[[], Awaitable[Attempt]]) -> Attempt:
        """Return the result of one attempt to run a tool call."""
        return await run()

    async def decide(
        self, _question: Question, decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Return the decision about a tool call."""
        return await decide()

    async def decide_read(
        self, question: Question, decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Return the decision about a file that a prompt names."""
        return await self.decide(question, decide)

    def end_turn(self, record: TurnRecord) -> None:
        """Keep or set the durations of a turn that has ended."""

    def open_mcp_servers(
        self, settings: Mapping[str, McpServerSettings], redact: Callable[[str], str]
    ) -> McpServers:
        """Return the MCP servers of a session."""
        return McpServers(settings, redact)
