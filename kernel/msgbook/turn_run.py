"""A turn run to its end: the same for every host, whatever ends it.

A host shows the record, asks a person about tool calls and keeps the turn; all else happens here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgbook.approval import Answer, ApprovalRequest, Ask, Decision, Question
from msgbook.display.failure import (
    Failure,
    failure_from_error,
    log_internal_error,
    turn_failure,
)
from msgbook.display.turn_view import TurnView
from msgbook.engine import Conversation
from msgbook.errors import MsgbookError
from msgbook.events import Notice, RetryWait, TurnFinished
from msgbook.notebook import Transcript, is_imported
from msgbook.request import (
    ActiveAgent,
    PreparedRequest,
    TurnServices,
    check_context_window,
    check_prices,
    check_prompt,
    list_prompt_warnings,
    read_prompt,
    warn_once,
)
from msgbook.request.history import SentRequest
from msgbook.subagents import Parent, with_subagents
from msgbook.tools import RunningNotebook, connect_cells
from msgbook.turn import Budgets, TurnRecord, run_turn
from msgbook_format.agent_states import mark_running
from msgbook_format.agents import finished_agent
from msgbook_format.turn import TOOL_CALLS, Block, Turn

_BROKEN_SHOWN = 10
"""Broken references that a question lists."""


class BrokenReferenceError(MsgbookError):
    """The author of a prompt does not want it sent: a reference in it cannot be read."""


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """A turn that has ended."""

    turn: Turn
    failure: Failure | None
    """The error to show below the cell; None for a turn that needs none."""
    transcript: Transcript | None
    """The cells that the request was made from; None when the turn ended before they were read."""


async def run_to_end(
    conversation: Conversation,
    source: str,
    read_transcript: Callable[[], Awaitable[Transcript]],
    record: TurnRecord,
    view: TurnView,
    ask: Ask | None = None,
    keep_agent: Callable[[dict[str, Any]], None] | None = None,
    *,
    within: Budgets | None = None,
    confirm: Ask | None = None,
    notebook: RunningNotebook | None = None,
) -> EndedTurn:
    """Run the turn of a prompt cell until it ends.

    However it ends, `record` keeps everything that has arrived. A cancellation ends the turn as
    interrupted and is not raised again; an internal error is logged and ends the turn. The caller
    keeps the turn and then calls `TurnView.finish`.

    Args:
        source: The cell's source, as written.
        record: New, from `Conversation.new_record`.
        view: Shows the record.
        ask: Asks a person to approve a tool call; None where nobody can be asked.
        keep_agent: Saves AgentMetadata in the notebook, which has others or none; called before the
            first request, and after a turn in which a sub-agent has reported.
        within: Budgets of the turn that started this one as a sub-agent's.
        confirm: Asks the author of the prompt whether it is sent although a reference in it cannot be read. Without
            it, or an answer, it is sent, and a notice says so.
        notebook: What the tools on cells work on; None for nothing.
    """
    transcript = None
    try:
        view.changed()
        found = await asyncio.to_thread(
            conversation.services.identities.identify, await read_transcript()
        )
        transcript = found.transcript
        if found.unsaved is not None and keep_agent is not None:
            keep_agent(found.unsaved)
        if within is None:
            conversation.services.waits.begin_turn((transcript.current or {}).get("id"))
        # Where no page shows the cells, the host writes the file.
        writes = transcript.source == "file"
        mark = partial(mark_running, transcript.path, found.uuid, writes=writes)
        with mark() if conversation.services.saves_files else nullcontext():
            await _TurnRun(
                conversation, source, transcript, record, view, ask, within, confirm, notebook
            ).run()
    except asyncio.CancelledError:
        record.apply(TurnFinished("interrupted"), conversation.services.clock())
    except Exception as error:
        _end_by_failure(
            record,
            log_internal_error(error, conversation.services.settings.secrets),
            conversation.services.clock(),
        )
    if conversation.services.cassette is not None:
        conversation.services.cassette.end_turn(record)
    turn = record.snapshot()
    finished = finished_agent(turn, transcript.metadata) if transcript is not None else None
    if finished is not None and keep_agent is not None:
        keep_agent(finished)
    return EndedTurn(turn, turn_failure(turn), transcript)


def _end_by_failure(record: TurnRecord, failure: Failure, at: float) -> None:
    record.apply(TurnFinished("error", None, failure.name, failure.message), at)


class _TurnRun:
    """One run of a turn; `run_to_end` handles what ends it from outside."""

    def __init__(
        self,
        conversation: Conversation,
        source: str,
        transcript: Transcript,
        record: TurnRecord,
        view: TurnView,
        ask: Ask | None,
        within: Budgets | None,
        confirm: Ask | None,
        notebook: RunningNotebook | None,
    ) -> None:
        self._conversation = conversation
        self._source = source
        self._prompt = read_prompt(source)
        self._transcript = transcript
        self._record = record
        self._view = view
        self._ask = partial(self._show_and_ask, ask) if ask is not None else None
        self._within = within
        self._notebook = notebook
        self._confirm = partial(self._show_and_ask, confirm) if confirm is not None else None
        self._services = TurnServices(
            record,
            conversation.reported,
            view.changed,
            choose_model=partial(
                conversation.services.servers.choose_model, notify=self._show_wait
            ),
            approve=self._approve,
            check_agent=self._check_agent,
            describe=conversation.namespace.describe
            if conversation.namespace is not None
            else None,
            redact=conversation.services.redact,
            cap_result=conversation.results.cap,
            mcp=conversation.services.mcp,
            new_token=conversation.services.ids.new_token,
            approve_read=self._approve_read,
            run_call=conversation.services.run_call,
            clock=conversation.services.clock,
        )

    async def run(self) -> None:
        """Run the turn and show it. An error that the user can correct ends it."""
        self._record.set_head(context={"source": self._transcript.source})
        for notice in self._notices():
            self._record.apply(notice, self._conversation.services.clock())
        try:
            prepared = await self._prepare()
        except MsgbookError as error:
            _end_by_failure(
                self._record, failure_from_error(error), self._conversation.services.clock()
            )
            return
        self._view.changed()
        active_agent = prepared.active_agent
        budgets = self._budgets(active_agent)
        parent = Parent(
            self._conversation, active_agent, self._transcript, budgets, self._ask, run_to_end
        )
        turn = run_turn(
            self._conversation.provider_request(prepared),
            self._record,
            provider=active_agent.provider,
            tools=connect_cells(with_subagents(active_agent.tools, parent), self._notebook),
            approve=self._approve,
            redact=self._conversation.services.redact,
            cap_result=self._conversation.results.cap,
            clock=self._conversation.services.clock,
            limits=active_agent.limits,
            run_call=self._conversation.services.run_call,
            budgets=budgets,
        )
        async with aclosing(turn) as changes:
            async for _ in changes:
                self._view.changed()

    def _budgets(self, active_agent: ActiveAgent) -> Budgets:
        """Return the budgets of the turn, and say once what is not known of its model."""
        services = self._conversation.services
        budgets = Budgets(
            active_agent.limits,
            services.clock,
            self._within,
            find_price=active_agent.find_price,
            # What a sub-agent spends, its parent takes from the purse.
            purse=None if self._within else services.purse,
        )
        warn_once(self._services, [active_agent.unknown] if active_agent.unknown else [])
        for usage, models in self._record.summaries:
            budgets.count_usage(usage, [], [], [*models, *self._record.models])
        return budgets

    def _check_agent(self, active_agent: ActiveAgent) -> None:
        """Refuse models of unknown price where money is limited: of this turn, of its parent's, or of the run."""
        is_limited = (
            active_agent.limits.max_cost is not None
            or self._conversation.services.purse is not None
            or (self._within is not None and self._within.counts_cost)
        )
        if is_limited:
            check_prices(active_agent)

    def _show_wait(self, wait: RetryWait) -> None:
        self._record.apply(wait, self._conversation.services.clock())
        self._view.changed()

    async def _approve(self, question: Question) -> Decision:
        cassette = self._conversation.services.cassette
        if cassette is None:
            return await self._decide(question)
        return await cassette.decide(question, partial(self._decide, question))

    async def _approve_read(self, question: Question) -> Decision:
        cassette = self._conversation.services.cassette
        if cassette is None:
            return await self._decide(question)
        return await cassette.decide_read(question, partial(self._decide, question))

    async def _decide(self, question: Question) -> Decision:
        return await self._conversation.approver.decide(question, self._ask)

    async def _show_and_ask(self, ask: Ask, question: Question) -> Answer | None:
        """Show the turn, to which the question refers, and ask a person."""
        self._view.show()
        return await ask(question)

    async def _prepare(self) -> PreparedRequest:
        """Make the request, and record and keep what it is made of."""
        transcript, services = self._transcript, self._services
        builder = self._conversation.request_builder
        check_prompt(self._source, self._prompt, transcript, self._conversation.services.redact)
        await self._confirm_references()
        prepared = await builder.prepare(self._source, self._prompt, transcript, services)
        active_agent = prepared.active_agent
        self._record.set_head(
            agent=active_agent.agent.name,
            model=active_agent.model,
            provider=active_agent.provider.name,
        )
        check_context_window(prepared, transcript.earlier, services.warn, builder.tokens)
        self._record.set_head(context=prepared.context)
        digests = prepared.digests if self._conversation.services.saves_files else ()
        reasons = await asyncio.to_thread(builder.blobs.write, digests)
        lead = "Referenced texts could not be saved for later requests"
        warn_once(services, [f"{lead}: {why}." for why in reasons])
        builder.sent.append(self._sent_request(prepared))
        return prepared

    async def _confirm_references(self) -> None:
        """Ask before a prompt is sent without something that it was meant to bring.

        Raises:
            BrokenReferenceError: The author does not want it sent.
        """
        is_text = is_imported(self._transcript.current)
        if self._confirm is None or self._conversation.approver.policy != "ask" or is_text:
            return
        text = self._conversation.services.redact(self._prompt.text)
        if "@" not in text:
            return
        from msgbook.request import list_broken_references
        from msgbook.scanner import run_in_thread_if_long

        broken = await run_in_thread_if_long(text, list_broken_references, text)
        if not broken:
            return
        more = len(broken) - _BROKEN_SHOWN
        lines = "\n".join(
            [*broken[:_BROKEN_SHOWN], *([f"... and {more} more"] if more > 0 else [])]
        )
        token = self._conversation.services.ids.new_token(4)
        call: Block = {
            "type": TOOL_CALLS.name,
            "id": f"send-{token}",
            "name": "send",
            "arguments": "",
        }
        wanted = ApprovalRequest(lines, always_asks=True)
        answer = await self._confirm(Question(call, wanted, subject="message"))
        if answer is not None and answer.choice == "no":
            raise BrokenReferenceError(f"Nothing was sent. {broken[0]}")

    def _sent_request(self, prepared: PreparedRequest) -> SentRequest:
        """Return the request as `%cache` compares it."""
        active_agent = prepared.active_agent
        return SentRequest(
            prepared.request,
            [*self._transcript.earlier, self._transcript.current or {}],
            active_agent.model,
            active_agent.agent.name,
            active_agent.tools.schemas,
        )

    def _notices(self) -> list[Notice]:
        """Return the notices of the turn's start.

        Warnings appear once in a session; the one about an approval policy that allows every call
        appears in each turn.
        """
        conversation, transcript = self._conversation, self._transcript
        warnings = [*conversation.warnings, *conversation.approver.rules.take_problems()]
        texts = [text for text in warnings if text not in conversation.reported]
        conversation.reported.update(warnings)
        if conversation.services.settings.approval == "allow":
            texts.append("MSGBOOK_APPROVAL=allow: tools run without asking.")
        if transcript.notice:
            texts.append(transcript.notice)
        texts += list_prompt_warnings(self._source, self._prompt, transcript.current)
        return [Notice(text, "warning") for text in texts]
