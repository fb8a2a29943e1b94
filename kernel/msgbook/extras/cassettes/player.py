"""Replay: a conversation runs again, and its cassette answers in place of servers, tools and persons."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from msgbook.approval import ApprovalRequest, Decision, Question
from msgbook.config import McpServerSettings
from msgbook.extras.cassettes.exchanges import digest_text
from msgbook.extras.cassettes.playback import STOPPED, PlayingWire, Problems
from msgbook.extras.cassettes.reader import CassetteError, Lane, Tape
from msgbook.extras.cassettes.saved import load_settings, recorded_servers, set_times
from msgbook.ids import LANE, Ids
from msgbook.text import one_line, visible
from msgbook.tools.mcp import McpServers
from msgbook.turn import Attempt, TurnRecord
from msgbook_format.turn import Block

_DIFFERS = "The replay was stopped: it differs from the cassette."


class Player:
    """Replays a cassette. It grants nothing: no tool runs, and reads are decided as always.

    Args:
        secrets: The user's own keys, which no difference shows.

    Raises:
        CassetteError: The settings of the cassette cannot be used.

    Attributes:
        settings: Those of the recording.
        problems: The first difference, once there is one.
    """

    saves_files = False

    def __init__(self, tape: Tape, secrets: Sequence[str] = ()) -> None:
        try:
            self.settings = load_settings(tape.head.settings)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            words = f"the settings cannot be used: {type(error).__name__}: {error}"
            raise CassetteError(f"{tape.path}, line 1: {visible(one_line(words, 200))}.") from None
        self.problems = Problems(tape.path, secrets)
        self._tape = tape
        self._lanes = tape.lanes
        self.ids: Ids = _ReplayedIds(self._lane, self.problems)
        self.wire = PlayingWire(self._lane, self.problems)

    async def sleep(self, seconds: float) -> None:
        """Wait no time at all."""

    async def run_call(self, call: Block, _run: Callable[[], Awaitable[Attempt]]) -> Attempt:
        """Return the recorded result; nothing runs."""
        name = visible(one_line(call["name"], 60))
        calls = self._lane().calls
        found = next((entry for entry in calls if entry[1].call == call["id"]), None)
        if found is None:
            self.problems.note(f"the call of {name} is not in the cassette")
            return Attempt("error", _DIFFERS)
        calls.remove(found)
        number, line = found
        if line.tool != call["name"] or line.sha256 != digest_text(call["arguments"]):
            self.problems.note(
                f"the call of {name} has other arguments than the recorded one", number
            )
        if line.asks is not None:
            return Attempt(
                line.status, line.result, approval_request=ApprovalRequest(**line.asks.model_dump())
            )
        return Attempt(line.status, line.result, line.duration, line.displays)

    async def decide(
        self, question: Question, _decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Return the recorded decision."""
        return self._recorded_decision(question) or Decision("denied", _DIFFERS)

    async def decide_read(
        self, question: Question, decide: Callable[[], Awaitable[Decision]]
    ) -> Decision:
        """Return the decision about a file. A cassette can deny a read, and never allow one."""
        recorded = self._recorded_decision(question)
        if recorded is None or recorded.approval == "edited":
            return Decision("denied", _DIFFERS)
        if recorded.approval == "denied":
            return recorded
        decision = await decide()
        if decision.approval == "denied":
            path = visible(question.approval_request.path or "a file")
            self.problems.note(
                f"{path} was read after approval, which a cassette cannot give. Add a rule for it to "
                "[approval] of your msgbook.toml"
            )
            return decision
        return recorded

    def open_mcp_servers(
        self, settings: Mapping[str, McpServerSettings], redact: Callable[[str], str]
    ) -> McpServers:
        """Return servers that offer what they offered, and that cannot be started."""
        return recorded_servers(settings, redact, self._tape.offers)

    def end_turn(self, record: TurnRecord) -> None:
        """Set the recorded durations."""
        lane, turn = self._lane(), record.snapshot()
        self.wire.begin_turn()
        if self.problems.first is not None:
            return
        if not lane.turns:
            self.problems.note(STOPPED)
            return
        number, line = lane.turns.popleft()
        if line.turn == "interrupted":
            self.problems.note(STOPPED, number)
        elif (line.turn, line.reason) != (turn["status"], turn.get("finish_reason")):
            now = _end(turn["status"], turn.get("finish_reason"))
            words = f"the turn ended as {now}, the recorded one as {_end(line.turn, line.reason)}"
            self.problems.note(visible(one_line(words)), number)
        elif not set_times(record, line.times):
            self.problems.note("the turn has other durations than the recorded one", number)

    def check_unused(self) -> None:
        """Note the first line that the replay has not used."""
        unused: list[tuple[int, str]] = []
        for name, lane in self._lanes.items():
            where = "" if name == "0" else f" of lane {name}"
            unused += [
                (exchange.line, f"a request{where} was not made again")
                for exchange in lane.exchanges
                if not exchange.is_used
            ]
            unused += [
                (n, f"a call of {line.tool}{where} was not made again") for n, line in lane.calls
            ]
            unused += [(n, f"a decision{where} was not needed again") for n, _ in lane.decisions]
            unused += [(n, f"a turn{where} was not run again") for n, _ in lane.turns]
        if unused:
            number, words = min(unused)
            self.problems.note(visible(one_line(words)), number)

    def _recorded_decision(self, question: Question) -> Decision | None:
        decisions = self._lane().decisions
        found = next((entry for entry in decisions if entry[1].call == question.call["id"]), None)
        if found is None:
            name = visible(one_line(question.call["name"], 60))
            self.problems.note(f"no decision about the call of {name} is in the cassette")
            return None
        decisions.remove(found)
        made = found[1].decision
        return Decision(made.approval, made.reason, made.arguments)

    def _lane(self) -> Lane:
        return self._lanes.setdefault(LANE.get(), Lane())


def _end(status: str, reason: str | None) -> str:
    return f"{status} ({reason})" if reason else status


class _ReplayedIds(Ids):
    """The ids of a cassette, checked: they become parts of file names."""

    def __init__(self, lane: Callable[[], Lane], problems: Problems) -> None:
        self._lane = lane
        self._problems = problems

    def new_token(self, size: int) -> str:
        return self._next(rf"[0-9a-f]{{{2 * size}}}") or super().new_token(size)

    def new_uuid(self) -> str:
        return self._next(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}") or super().new_uuid()

    def now(self) -> datetime:
        drawn = self._next(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00")
        try:
            return datetime.fromisoformat(drawn) if drawn else datetime.now(UTC)
        except ValueError:
            self._problems.note("expected a time among the ids")
            return datetime.now(UTC)

    def _next(self, pattern: str) -> str | None:
        """Return the lane's next id; None after a difference."""
        ids = self._lane().ids
        if not ids:
            self._problems.note("more ids are needed than the cassette holds")
            return None
        number, drawn = ids.popleft()
        if re.fullmatch(pattern, drawn) is None:
            self._problems.note("another kind of id is needed than the cassette holds", number)
            return None
        return drawn
