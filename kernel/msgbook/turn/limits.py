"""The limits of a turn: model calls, tokens, seconds, money, and the length of one answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

from msgbook.config.prices import FindPrice
from msgbook.config.settings import Limits
from msgbook.events import (
    Citations,
    ModelDisplay,
    Notice,
    OutputItem,
    ReasoningDelta,
    ReasoningDetails,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from msgbook_format.turn import Usage

HOW_TO_CONTINUE = "`%continue` in a cell below goes on."


class Purse:
    """Money that several turns may spend together: those of one command.

    Args:
        limit: In the currency of the prices.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.spent = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return self.spent >= self.limit

    @property
    def notice(self) -> str | None:
        """Notice that nothing is left; None while there is something."""
        if not self.is_spent:
            return None
        return (
            f"This run has cost its limit: --max-cost {self.limit:g} is used up ({self.spent:.4f}). "
            "To go on, run it again, or with a higher --max-cost."
        )


class Budgets:
    """The time, the tokens and the money that a turn has used, and its budgets of them.

    Those of a sub-agent lie within its parent's: what it uses, its parent has used as well, and it
    stops when its parent's budget is used up.

    Args:
        clock: Returns monotonic seconds.
        within: The budgets of the turn that started this one; None for a turn of its own.
        find_price: Finds what a model costs; one of unknown price counts as free.
        purse: What the turn may spend together with others; None for any amount. The one of `within` counts
            for this turn as well.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float],
        within: Budgets | None = None,
        *,
        find_price: FindPrice = lambda *_names: None,
        purse: Purse | None = None,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._within = within
        self._ends = None if limits.time_budget is None else clock() + limits.time_budget
        self._find_price = find_price
        self._purse = purse
        self._tokens = 0
        self._cost = 0.0
        self._subagents = 0
        self._out_of_time = False
        self._pauses = 0
        self._paused_at = 0.0
        self._watched: dict[asyncio.Timeout, Budgets] = {}
        """Timeouts that depend on this clock, each with the budgets that it belongs to."""

    @property
    def time_left(self) -> float | None:
        """Seconds left; None without a time budget."""
        return _least(self._own_time_left, self._within.time_left if self._within else None)

    @property
    def _own_time_left(self) -> float | None:
        if self._ends is None:
            return None
        return max(self._ends - (self._paused_at if self._pauses else self._clock()), 0.0)

    @property
    def _time_to_run(self) -> float | None:
        """Seconds until a clock that is not paused has run out; None if there is no such clock."""
        own = None if self._pauses else self._own_time_left
        return _least(own, self._within._time_to_run if self._within else None)

    @property
    def is_timed(self) -> bool:
        """Whether there is a time budget."""
        return any(budgets._ends is not None for budgets in self._chain())

    @asynccontextmanager
    async def timeout(self) -> AsyncIterator[asyncio.Timeout]:
        """Raise `TimeoutError` in the context once the time is used up. Pauses move that moment."""
        async with asyncio.timeout(self._time_to_run) as limit:
            chain = list(self._chain())
            for budgets in chain:
                budgets._watched[limit] = self
            try:
                yield limit
            finally:
                for budgets in chain:
                    del budgets._watched[limit]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time while the context is open, because a person is asked.

        The clocks of the turns that started this one stand as well.
        """
        for budgets in self._chain():
            budgets._pause()
        try:
            yield
        finally:
            for budgets in self._chain():
                budgets._resume()

    def count_usage(
        self, usage: Usage | None, sent: object, received: object, models: Sequence[str] = ()
    ) -> None:
        """Count the tokens of one model call, and what they cost.

        Args:
            usage: What the server reported.
            sent: Messages of the request. If the server reported no tokens, four characters of their JSON
                and of the answer's count as one.
            received: Blocks of the answer.
            models: The names of the model that answered, the most exact first.
        """
        if not self.counts_cost and all(b._limits.token_budget is None for b in self._chain()):
            return
        counts: dict[str, int] = {**(usage or {})}  # type: ignore[dict-item]  # they are numbers
        tokens = counts.get("input_tokens", 0) + counts.get("output_tokens", 0)
        if not tokens or not counts.keys() >= {"input_tokens", "output_tokens"}:
            estimated = {"input_tokens": _estimate(sent), "output_tokens": _estimate(received)}
            tokens = tokens or sum(estimated.values())
            counts = estimated | {key: count for key, count in counts.items() if count}
        price = self._find_price(*models)
        cost = (price and price.cost(counts)) or 0.0
        for budgets in self._chain():
            budgets._tokens += tokens
            budgets._cost += cost
            if budgets._purse is not None:
                budgets._purse.spent += cost

    @property
    def counts_cost(self) -> bool:
        """Whether money is limited."""
        return any(b._limits.max_cost is not None or b._purse is not None for b in self._chain())

    @property
    def subagents_left(self) -> int:
        """Number of sub-agents that may still be started."""
        return min(b._limits.max_subagents - b._subagents for b in self._chain())

    def count_subagents(self, number: int) -> None:
        """Count sub-agents that are started."""
        for budgets in self._chain():
            budgets._subagents += number

    def run_out(self) -> None:
        """Count the time budget as used up, even if the clock lags behind the timeout."""
        own, left = self._own_time_left, self.time_left
        if self._within is None or own == left:
            self._out_of_time = True
        else:
            self._within.run_out()

    @property
    def notice(self) -> str | None:
        """Notice about the budget that is used up; None while every budget has something left."""
        if self._out_of_time or self._own_time_left == 0:
            return (
                f"The time budget of {self._limits.time_budget:g} s is used up. {HOW_TO_CONTINUE}"
            )
        budget = self._limits.token_budget
        if budget is not None and self._tokens >= budget:
            return f"The budget of {budget} tokens is used up ({self._tokens}). {HOW_TO_CONTINUE}"
        money = self._limits.max_cost
        if money is not None and self._cost >= money:
            return (
                f"The max_cost of {money:g} is used up ({self._cost:.4f}). {HOW_TO_CONTINUE} To spend more "
                "in one turn, raise max_cost where it is set: by the agent, %%msg, or [limits] of msgbook.toml."
            )
        if self._purse is not None and self._purse.is_spent:
            return self._purse.notice
        shared = self._within.notice if self._within else None
        return f"{shared} It is shared with the agent that started this one." if shared else None

    def _chain(self) -> Iterator[Budgets]:
        yield self
        if self._within is not None:
            yield from self._within._chain()

    def _pause(self) -> None:
        if not self._pauses:
            self._paused_at = self._clock()
        self._pauses += 1
        self._move_timeouts()

    def _resume(self) -> None:
        self._pauses -= 1
        if not self._pauses and self._ends is not None:
            self._ends += self._clock() - self._paused_at
        self._move_timeouts()

    def _move_timeouts(self) -> None:
        for limit, budgets in self._watched.items():
            if not limit.expired():
                left = budgets._time_to_run
                now = asyncio.get_running_loop().time()
                limit.reschedule(None if left is None else now + left)


def _estimate(exchanged: object) -> int:
    return len(json.dumps(exchanged, ensure_ascii=False)) // 4


def _least(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else min(one, other)


def max_steps_notice(limits: Limits) -> str:
    """Return the notice of a turn that has used all its model calls."""
    return f"The limit of {limits.max_steps} model calls (max_steps) is reached. {HOW_TO_CONTINUE}"


# The bound of one answer: an answer without an end fills no memory. Pure.


MAX_PARTS = 2000
"""Most texts, calls, items and notices of one answer: each becomes a block."""

MAX_DATA = 32_000_000
"""Most characters of what an answer holds beside texts and calls, such as pictures."""


class AnswerSize:
    """Counts the events of one answer, and cuts it at its bound.

    Args:
        limit: Most characters of text, reasoning and arguments.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left, self._data_left, self._parts_left = limit, MAX_DATA, MAX_PARTS
        self._part: Hashable = None
        self._calls = 0
        self.notice = ""
        """Says which bound is reached; empty as long as none is."""

    def fit(self, event: StreamEvent) -> StreamEvent | None:
        """Return as much of the next event as the answer may hold; None for nothing."""
        match event:
            case TextDelta(text=text, refusal=refusal):
                return self._text(event, text, (TextDelta, refusal))
            case ReasoningDelta(text=text):
                return self._text(event, text, ReasoningDelta)
            case ToolCallDelta():
                return self._call(event)
            case OutputItem(item=data) | Citations(citations=data) | ReasoningDetails(details=data):
                return self._data(event, len(json.dumps(data, ensure_ascii=False)))
            case ModelDisplay(data=pictures, item=item):
                further = json.dumps(item, ensure_ascii=False) if item else ""
                return self._data(event, sum(map(len, pictures.values())) + len(further))
            case Notice(text=text):
                return self._data(event, len(text))
        return event

    def _text(
        self, event: TextDelta | ReasoningDelta, text: str, part: Hashable
    ) -> StreamEvent | None:
        if part != self._part and not self._begin(part):
            return None
        room = self._take(len(text))
        if room == len(text):
            return event
        return replace(event, text=text[:room]) if room else None

    def _call(self, event: ToolCallDelta) -> StreamEvent | None:
        if event.index == self._calls:
            if not self._begin("call"):
                return None
            self._calls += 1
        self._take(len(event.name))
        room = self._take(len(event.arguments))
        return (
            event
            if room == len(event.arguments)
            else replace(event, arguments=event.arguments[:room])
        )

    def _data(self, event: StreamEvent, size: int) -> StreamEvent | None:
        if not self._begin(None):
            return None
        if size > self._data_left:
            self.notice = (
                f"The answer holds more than {MAX_DATA:,} characters of data beside its text, "
                "so its rest was not read."
            )
            return None
        self._data_left -= size
        return event

    def _begin(self, part: Hashable) -> bool:
        """Count a part; return whether the answer may have it."""
        self._part = part
        if not self._parts_left:
            self.notice = f"The answer has more than {MAX_PARTS:,} parts, so its rest was not read."
            return False
        self._parts_left -= 1
        return True

    def _take(self, size: int) -> int:
        """Return how many of some characters the answer may have."""
        if size > self._left:
            self.notice = f"The answer is longer than {self._limit:,} characters (answer_limit), so its rest was not read."
        room = min(size, self._left)
        self._left -= room
        return room
