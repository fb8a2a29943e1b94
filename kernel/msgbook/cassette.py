"""What a turn asks of a cassette, if its conversation is recorded or replayed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from msgbook.approval import Decision, Question
from msgbook.config import McpServerSettings
from msgbook.ids import Ids
from msgbook.provider import Wire
from msgbook.tools.mcp import McpServers
from msgbook.turn import Attempt, TurnRecord
from msgbook_format.turn import Block


class Cassette(Protocol):
    """Keeps what a turn gets from the world, or gives what was kept."""

    @property
    def ids(self) -> Ids:
        """Makes the ids and times that are saved."""

    @property
    def wire(self) -> Wire:
        """Stands between the providers and the network."""

    @property
    def saves_files(self) -> bool:
        """Whether a turn writes files: conversations of sub-agents, blobs, the mark of a running turn."""

    async def sleep(self, seconds: float) -> None:
        """Wait before a request is repeated."""

    async def run_call(self, call: Block, run: Callable[[], Awaitable[Attempt]]) -> Attempt:
        """Return the result of one attempt to run a tool call."""

    async def decide(
        self, question: Question, decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Return the decision about a tool call."""

    async def decide_read(
        self, question: Question, decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Return the decision about a file that a prompt names."""

    def end_turn(self, record: TurnRecord) -> None:
        """Keep or set the durations of a turn that has ended."""

    def open_mcp_servers(
        self, settings: Mapping[str, McpServerSettings], redact: Callable[[str], str]
    ) -> McpServers:
        """Return the MCP servers of a session."""


class CellChange(NamedTuple):
    """A change that a tool has made in a cell."""

    position: int
    """Position of the cell, from 0."""
    cell_id: str | None
    before: dict[str, Any] | None
    """The cell before; None for a new one."""


class Recorder(Cassette, Protocol):
    """A cassette that is being recorded, of the cells of one file."""

    def begin_cell(self, notebook: dict[str, Any]) -> None:
        """Note the notebook's metadata before a cell runs."""

    def end_cell(
        self,
        number: int,
        cell_id: str | None,
        notebook: dict[str, Any],
        changes: Sequence[CellChange],
        *,
        is_kept: bool,
    ) -> None:
        """Keep which cell has run, and what its turn has changed in the metadata and in other cells.

        Args:
            number: Position of the cell, from 0.
            changes: Of other cells, by tools, in their order.
            is_kept: Whether the cell keeps its former answer, since the turn failed.
        """
