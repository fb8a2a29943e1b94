"""Recording: a conversation runs as always, and what a replay has to repeat becomes a cassette, from its first line to its name."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from msgbook import __version__
from msgbook.approval import Decision, Question
from msgbook.cassette import CellChange
from msgbook.cli.terminal import complain
from msgbook.config import McpServerSettings, Settings, redact_json
from msgbook.extras.cassettes.exchanges import RecordingWire, digest_text
from msgbook.extras.cassettes.lines import VERSION
from msgbook.extras.cassettes.reader import CassetteFile
from msgbook.extras.cassettes.saved import (
    changed_metadata,
    list_offers,
    list_times,
    save_settings,
    turn_metadata,
)
from msgbook.ids import LANE, Ids
from msgbook.tools.mcp import McpServers
from msgbook.turn import Attempt, TurnRecord
from msgbook_format.turn import Block

# What a replay has to repeat.


class Recorder:
    """Writes a cassette.

    Args:
        file: New; the caller completes and closes it.
        name: Name of the conversation's file.
    """

    saves_files = True

    def __init__(self, file: CassetteFile, settings: Settings, name: str) -> None:
        self._file = file
        self._secrets: Sequence[str] = settings.secrets
        self.ids = _RecordedIds()
        self._mcp: McpServers | None = None
        self._offers: set[str] = set()
        self._metadata_before: list[dict[str, Any]] = []
        self.wire = RecordingWire(self._write_raw, self._secrets)
        file.write(
            {
                "cassette": VERSION,
                "msgbook": __version__,
                "file": name,
                "started": Ids().now().isoformat(timespec="seconds"),
                "settings": save_settings(settings),
            }
        )

    async def sleep(self, seconds: float) -> None:
        """Wait before a request is repeated."""
        await asyncio.sleep(seconds)

    async def run_call(self, call: Block, run: Callable[[], Awaitable[Attempt]]) -> Attempt:
        """Run a tool call and keep its result."""
        attempt = await run()
        line: dict[str, Any] = {
            "call": call["id"],
            "tool": call["name"],
            "sha256": digest_text(call["arguments"]),
        }
        if attempt.approval_request is not None:
            line["asks"] = attempt.approval_request._asdict()
        else:
            line["status"] = attempt.status
            line["result"] = attempt.content
            line["duration"] = round(attempt.duration, 3)
            if attempt.displays:
                line["displays"] = list(attempt.displays)
        self._write(line)
        return attempt

    async def decide(
        self, question: Question, decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Keep the decision about a tool call."""
        decision = await decide()
        made = {"approval": decision.approval, "reason": decision.reason}
        if decision.approval == "edited":
            made["arguments"] = decision.arguments
        self._write({"call": question.call["id"], "decision": made})
        return decision

    decide_read = decide

    def open_mcp_servers(
        self, settings: Mapping[str, McpServerSettings], redact: Callable[[str], str]
    ) -> McpServers:
        """Return the MCP servers of a session, whose offers are kept."""
        self._mcp = McpServers(settings, redact)
        return self._mcp

    def end_turn(self, record: TurnRecord) -> None:
        """Keep how a turn has ended, and its durations."""
        turn = record.snapshot()
        for name, offer in list_offers(self._mcp).items():
            if name not in self._offers:
                self._offers.add(name)
                self._write({"mcp": name, **offer})
        reason = turn.get("finish_reason")
        self._write({"turn": turn["status"], "reason": reason, "times": list_times(record)})

    def begin_cell(self, notebook: dict[str, Any]) -> None:
        """Note the notebook's metadata before a cell runs."""
        self._metadata_before = turn_metadata(notebook)

    def end_cell(
        self,
        number: int,
        cell_id: str | None,
        notebook: dict[str, Any],
        changes: Sequence[CellChange],
        *,
        is_kept: bool,
    ) -> None:
        """Write which cell was run, and what its turn has changed in the metadata and in other cells.

        Args:
            number: Position of the cell, from 0.
            changes: Of other cells, by tools, in their order.
            is_kept: Whether the cell keeps its former answer, since the turn failed.
        """
        for change in changes:
            if change.before is None:
                # Behind the notebook's own.
                self._metadata_before.insert(change.position + 1, {})
        changed = changed_metadata(self._metadata_before, notebook)
        cell = {"number": number, "id": cell_id, "kept": is_kept}
        edits = [change._asdict() for change in changes]
        self._write({"cell": cell, "changed": changed, **({"edits": edits} if edits else {})})

    def _write(self, line: dict[str, Any]) -> None:
        self._write_raw(LANE.get(), redact_json(line, self._secrets))

    def _write_raw(self, lane: str, line: dict[str, Any]) -> None:
        for drawn_in, ids in self.ids.take():
            self._file.write_raw({"lane": drawn_in, "ids": ids})
        self._file.write_raw({"lane": lane, **line})


class _RecordedIds(Ids):
    """Ids that are kept until the next line is written."""

    def __init__(self) -> None:
        self._drawn: dict[str, list[str]] = {}

    def new_token(self, size: int) -> str:
        return self._keep(super().new_token(size))

    def new_uuid(self) -> str:
        return self._keep(super().new_uuid())

    def now(self) -> datetime:
        time = super().now()
        self._keep(time.isoformat())
        return time

    def take(self) -> list[tuple[str, list[str]]]:
        """Return the ids since the last call, by lane."""
        drawn, self._drawn = self._drawn, {}
        return list(drawn.items())

    def _keep(self, drawn: str) -> str:
        self._drawn.setdefault(LANE.get(), []).append(drawn)
        return drawn


_VERB = "run"


@contextmanager
def recording(
    path: Path, settings: Settings, name: str
) -> Iterator[tuple[Recorder, Callable[[int], int]]]:
    """Yield the recorder of a run, and the function that takes and returns the run's exit code.

    The cassette gets its name when the run is over. A run that failed replaces no former cassette.

    Args:
        name: Name of the conversation's file.

    Raises:
        CassetteError: The cassette cannot be written.
    """
    file = CassetteFile(path, settings.secrets)
    is_complete = False

    def ended(code: int) -> int:
        nonlocal is_complete
        if file.problem:
            return code or 1
        is_complete = code == 0 or not os.path.lexists(path)
        return code

    try:
        yield Recorder(file, settings, name), ended
    finally:
        if is_complete:
            file.complete()
        else:
            file.close()
            why = f" ({file.problem})" if file.problem else ""
            complain(_VERB, f"{path} was not written{why}; what was recorded is in {file.part}")
