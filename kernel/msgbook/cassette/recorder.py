"""Recording: a conversation runs as always, and what a replay has to repeat becomes lines of a cassette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgbook import __version__
from msgbook.approval import Decision, Question
from msgbook.cassette.base import Cassette, Change, list_offers, list_times, save_settings
from msgbook.cassette.exchanges import RecordingWire, digest_text
from msgbook.cassette.lines import VERSION
from msgbook.cassette.reader import CassetteFile
from msgbook.config import McpServerSettings, Settings, redact_json
from msgbook.ids import LANE, Ids
from msgbook.tools.mcp import McpServers
from msgbook.turn import Attempt, TurnRecord
from msgbook_format.turn import Block


class Recorder(Cassette):
    """Writes a cassette.

    Args:
        file: New; the caller completes and closes it.
        name: Name of the conversation's file.
    """

    def __init__(self, file: CassetteFile, settings: Settings, name: str) -> None:
        super().__init__()
        self._file = file
        self._secrets: Sequence[str] = settings.secrets
        ids = _RecordedIds()
        self._ids = self.ids = ids
        self._mcp: McpServers | None = None
        self._offers: set[str] = set()
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

    async def run_call(self, call: Block, run: Callable[[], Awaitable[Attempt]]) -> Attempt:
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
        decision = await decide()
        made = {"approval": decision.approval, "reason": decision.reason}
        if decision.approval == "edited":
            made["arguments"] = decision.arguments
        self._write({"call": question.call["id"], "decision": made})
        return decision

    def open_mcp_servers(
        self, settings: Mapping[str, McpServerSettings], redact: Callable[[str], str]
    ) -> McpServers:
        self._mcp = super().open_mcp_servers(settings, redact)
        return self._mcp

    def end_turn(self, record: TurnRecord) -> None:
        turn = record.snapshot()
        for name, offer in list_offers(self._mcp).items():
            if name not in self._offers:
                self._offers.add(name)
                self._write({"mcp": name, **offer})
        reason = turn.get("finish_reason")
        self._write({"turn": turn["status"], "reason": reason, "times": list_times(record)})

    def end_cell(
        self, number: int, cell_id: str | None, changes: list[Change], *, is_kept: bool
    ) -> None:
        """Write which cell was run.

        Args:
            number: Position of the cell, from 0.
            changes: What the turn changed in the metadata.
            is_kept: Whether the cell keeps its former answer, since the turn failed.
        """
        cell = {"number": number, "id": cell_id, "kept": is_kept}
        self._write({"cell": cell, "changed": changes})

    def _write(self, line: dict[str, Any]) -> None:
        self._write_raw(LANE.get(), redact_json(line, self._secrets))

    def _write_raw(self, lane: str, line: dict[str, Any]) -> None:
        for drawn_in, ids in self._ids.take():
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
