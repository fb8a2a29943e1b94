"""Learning what a server refuses, so that a turn goes on without it, and the user knows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from msgbook.events import Notice, StreamEvent
from msgbook.provider.base import Provider, Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.request_quirks import IMAGES, Adaptation, adaptation_to
from msgbook.text import one_line, visible

_SHOWN = 200
"""Characters of a server's words that a notice shows."""


class AdaptingProvider:
    """Makes a request again without what another provider's server refused, and so from then on.

    Each thing at most once per request, and never after the first event of an answer. A thing counts
    as learned for a model, and is told by a notice, when a request without it is answered: what is
    refused all the same was refused for another reason.
    """

    def __init__(self, provider: Provider) -> None:
        self.name = provider.name
        self._provider = provider
        self._learned: dict[str, list[Adaptation]] = {}

    def sees(self, model: str) -> bool:
        """Whether the model takes images, as far as is known."""
        return IMAGES not in self._learned.get(model, ())

    def adapted(self, request: Request) -> Request:
        """The request as it is sent, as far as is known."""
        return self._without_refused(request)[0]

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        request, used = self._without_refused(request)
        fresh: list[tuple[Adaptation, RefusedError]] = []
        while True:
            begun = False
            try:
                async with aclosing(self._provider.stream(request)) as events:
                    async for event in events:
                        if not begun:
                            begun = True
                            for notice in self._learn(request.model, fresh):
                                yield notice
                        yield event
                return
            except RefusedError as refusal:
                found = None if begun else adaptation_to(refusal, request)
                if found is None or found in used:
                    raise
                fresh.append((found, refusal))
            used.append(found)
            request = found.change(request)

    async def models(self) -> list[str]:
        return await self._provider.models()

    async def close(self) -> None:
        await self._provider.close()

    def _without_refused(self, request: Request) -> tuple[Request, list[Adaptation]]:
        used = []
        for known in self._learned.get(request.model, ()):
            if known.concerns(request):
                request = known.change(request)
                used.append(known)
        return request, used

    def _learn(self, model: str, fresh: Sequence[tuple[Adaptation, RefusedError]]) -> list[Notice]:
        """Remember what was refused, and the words on what nobody was told yet."""
        learned = self._learned.setdefault(model, [])
        notices = []
        for adaptation, refusal in fresh:
            if adaptation not in learned:
                learned.append(adaptation)
                words = adaptation.notice.format(model=visible(one_line(model, 100)))
                said = (
                    f" It said: {visible(one_line(refusal.said, _SHOWN))}" if refusal.said else ""
                )
                notices.append(Notice(words + said, "warning"))
        return notices
