"""Requests that adapt to what a server refuses: the turn continues without it, and a notice says so."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from msgbook.events import AdaptationNotice, Notice, StreamEvent
from msgbook.provider.base import Provider, Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.request_quirks import DOCUMENTS, IMAGES, Adaptation, find_adaptation
from msgbook.text import excerpt, one_line, visible


class AdaptingProvider:
    """Repeats a request that a server refused, with adaptations, and remembers them for the model.

    Each adaptation is tried once per request, and none after the first event of an answer. An
    adaptation is remembered, and a notice shown, when the changed request is answered: a server that
    refuses that too had another reason.

    Args:
        takes_documents: Whether the server is known to take PDFs as documents. Else none is sent.
    """

    def __init__(self, provider: Provider, *, takes_documents: bool = False) -> None:
        self._takes_documents = takes_documents
        self.name = provider.name
        self._provider = provider
        self._learned: dict[str, list[Adaptation]] = {}

    def accepts_images(self, model: str) -> bool:
        """Return whether a model accepts images, as far as is known."""
        return IMAGES not in self._learned.get(model, ())

    def accepts_documents(self, model: str) -> bool:
        """Return whether a model accepts PDFs as documents, as far as is known."""
        return self._takes_documents and DOCUMENTS not in self._learned.get(model, ())

    def adapt(self, request: Request) -> Request:
        """Return the request with the adaptations that are known for its model."""
        return self._adapted(request)[0]

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        request, used = self._adapted(request)
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
                found = None if begun else find_adaptation(refusal, request)
                if found is None or found in used:
                    raise
                fresh.append((found, refusal))
            used.append(found)
            request = found.change(request)

    async def models(self) -> list[str]:
        return await self._provider.models()

    async def close(self) -> None:
        await self._provider.close()

    def _adapted(self, request: Request) -> tuple[Request, list[Adaptation]]:
        used = []
        # A conversation may come here with documents that another server took.
        never = () if self._takes_documents else (DOCUMENTS,)
        for known in (*never, *self._learned.get(request.model, ())):
            if known.concerns(request):
                request = known.change(request)
                used.append(known)
        return request, used

    def _learn(
        self, model: str, fresh: Sequence[tuple[Adaptation, RefusedError]]
    ) -> Sequence[Notice]:
        """Remember adaptations, and return the notices that were not shown yet."""
        learned = self._learned.setdefault(model, [])
        notices: list[Notice] = []
        for adaptation, refusal in fresh:
            if adaptation not in learned:
                learned.append(adaptation)
                if not adaptation.notice:
                    continue
                words = adaptation.notice.format(model=visible(one_line(model, 100)))
                quote = f" It said: {visible(excerpt(refusal.said))}" if refusal.said else ""
                notices.append(AdaptationNotice(words + quote, "warning"))
        return notices
