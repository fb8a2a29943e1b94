"""Replay: a conversation runs again, and its cassette answers in place of servers, tools and persons."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgbook.approval import ApprovalRequest, Decision, Question
from msgbook.config import McpServerSettings, redact_json
from msgbook.extras.cassettes.exchanges import api_of, digest_text, list_key
from msgbook.extras.cassettes.reader import CassetteError, Exchange, Lane, Tape
from msgbook.extras.cassettes.saved import load_settings, recorded_servers, set_times
from msgbook.ids import LANE, Ids
from msgbook.messages import API_TITLES
from msgbook.provider import MakeTransport, RedirectedError, Wire
from msgbook.text import one_line, visible, without_data
from msgbook.tools.mcp import McpServers
from msgbook.turn import Attempt, TurnRecord
from msgbook_format.turn import Block

# The wire during a replay: requests are compared with the recorded ones and answered from the cassette; the first difference is told.


STOPPED = "the turn was stopped while it was recorded. Record it again"
"""A difference: of a request there is no answer, or of a turn no end."""


class Problems:
    """The first difference between a replay and its cassette. Later ones follow from it.

    Args:
        secrets: Redacted from what is shown.
    """

    def __init__(self, path: Path, secrets: Sequence[str]) -> None:
        self._path = path
        self.secrets = tuple(secrets)
        self.place = ""
        """What is being replayed, such as a cell; empty for nothing."""
        self.first: str | None = None
        """One line; None while there is no difference."""
        self.diff: list[str] = []

    def note(self, words: str, line: int | None = None, diff: Sequence[str] = ()) -> None:
        """Keep a difference, unless there is one already.

        Args:
            line: Number of the line of the cassette.
        """
        if self.first is None:
            where = f"{self._path}" if line is None else f"{self._path}, line {line}"
            place = f"{self.place}: " if self.place else ""
            self.first = redact_json(f"{place}{words} ({where})", self.secrets)
            self.diff = redact_json(list(diff), self.secrets)


class PlayingWire(Wire):
    """Answers requests from a cassette.

    Args:
        lane: Returns the lane of what runs.
    """

    is_cassette = True

    def __init__(self, lane: Callable[[], Lane], problems: Problems) -> None:
        self._lane = lane
        self._problems = problems
        self._steps: dict[str, int] = {}

    def begin_turn(self) -> None:
        """Count the steps of a lane from 1 again."""
        self._steps.pop(LANE.get(), None)

    def transport(self, wanted: MakeTransport | None) -> MakeTransport | None:
        return self._make_transport

    def _make_transport(self, http: Any) -> Any:
        async def respond(request: Any) -> Any:
            exchange = self._find(request.method, await request.aread())
            if exchange is None:
                raise http.ConnectError("the replay differs from its cassette", request=request)
            return self._response(http, request, exchange)

        return http.MockTransport(respond)

    def _find(self, method: str, content: bytes) -> Exchange | None:
        """Return the exchange with this request; None after a difference."""
        if self._problems.first is not None:
            return None
        body = redact_json(json.loads(content), self._problems.secrets) if content else None
        name = LANE.get()
        step = self._steps[name] = self._steps.get(name, 0) + (body is not None)
        waiting = [e for e in self._lane().exchanges if not e.is_used]
        of_kind = [e for e in waiting if e.request.request.method == method]
        found = next((e for e in of_kind if e.body == body), None)
        if found is not None:
            found.is_used = True
            return found
        where = f"step {step}" if name == "0" else f"step {step}, lane {name}"
        if not of_kind or body is None or of_kind[0].body is None:
            self._problems.note(f"{where}: the request is not in the cassette")
            return None
        words, diff = describe_difference(of_kind[0].body, body)
        self._problems.note(f"{where}: {words}", of_kind[0].line, diff)
        return None

    def _response(self, http: Any, request: Any, exchange: Exchange) -> Any:
        from msgbook.extras.cassettes.lines import AnswerLine, FailedLine

        answer = exchange.answer
        if isinstance(answer, FailedLine):
            raise _failure(http, answer.failed.type, answer.failed.message, request)
        # An answer that was closed before its first byte is none either: the turn was stopped.
        if not isinstance(answer, AnswerLine) or (answer.end == "closed" and not answer.events):
            self._problems.note(STOPPED, exchange.line)
            raise http.ConnectError("the cassette has no answer", request=request)

        async def body() -> AsyncIterator[bytes]:
            for _, text in answer.events:
                yield text.encode("utf-8", "surrogatepass")
            if answer.failed is not None:
                raise _failure(http, answer.failed.type, answer.failed.message, request)

        return http.Response(answer.status, headers=answer.headers, content=body(), request=request)


def _failure(http: Any, name: str, message: str, request: Any) -> Exception:
    """Return a failure of the network as the HTTP library raises it."""
    if name == RedirectedError.__name__:
        return RedirectedError(message)
    kind = getattr(http, name, None)
    if isinstance(kind, type) and issubclass(kind, http.TransportError):
        failure: Exception = kind(message, request=request)
        return failure
    return ConnectionError(message)


# The first difference between a recorded request and the one that is made now. Pure.


_ENTRIES = {"messages": "message", "input": "input item"}
"""What an entry is called, by the key of the list."""

_LINES, _WIDTH = 80, 300
"""Lines and characters of a line that a difference shows."""


def describe_difference(recorded: dict[str, Any], now: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what differs first, in words, and its unified diff.

    Args:
        recorded: The body of the recorded request.
        now: Another body.
    """
    name = list_key(now)
    before, after = (API_TITLES[api_of(body)] for body in (recorded, now))
    if before != after:
        return f"it was recorded over the {before}, and is sent over the {after} now", []
    old, new = recorded.get(name, []), now.get(name, [])
    for number in range(max(len(old), len(new))):
        before, after = old[number : number + 1], new[number : number + 1]
        if before == after:
            continue
        which = f"{_ENTRIES[name]} {number + 1} ({_kind((before or after)[0])})"
        if not before:
            return f"{which} is new", diff_texts("", _text(after[0]))
        if not after:
            return f"{which} is missing", diff_texts(_text(before[0]), "")
        return f"{which} differs", diff_texts(_text(before[0]), _text(after[0]))
    for key in dict.fromkeys((*recorded, *now)):
        if key != name and recorded.get(key) != now.get(key):
            texts = (_pretty(body[key]) if key in body else "" for body in (recorded, now))
            return f"`{key}` differs", diff_texts(*texts)
    return "the requests are equal", []


def diff_texts(recorded: str, now: str) -> list[str]:
    """Return the lines of a unified diff, cut where it is long."""
    found = difflib.unified_diff(
        recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=2
    )
    lines = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in found]
    left = len(lines) - _LINES
    return lines if left <= 0 else [*lines[:_LINES], f"… {left} more lines"]


def _kind(message: dict[str, Any]) -> str:
    return str(message.get("role") or message.get("type"))


def _text(message: dict[str, Any]) -> str:
    """Return a message as lines: its text as it is, all else as JSON."""
    name = "output" if "output" in message else "content"
    rest = {key: value for key, value in message.items() if key != name}
    return without_data(f"{_pretty(rest)}\n{_pretty(message.get(name))}")


def _pretty(value: Any) -> str:
    """Return a text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)


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
