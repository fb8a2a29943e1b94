"""What a server refuses, and what is tried instead. Imported when a server refuses something for the first time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from msgbook.events import AdaptationNotice, Notice
from msgbook.provider.base import Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.refused_elements import is_placed, of_others
from msgbook.provider.refused_media import EVERY_DOCUMENT, Adaptation
from msgbook.provider.request_quirks import (
    DOCUMENTS,
    IMAGES,
    NO_TOOLS,
    OF_TOOLS,
    TOOLS,
    find_adaptations,
)
from msgbook.text import excerpt, visible

_ONE_BY_ONE = 2
"""Elements of a row that are left out one by one. A server that refuses a third one refuses more of them."""

_NO_DOCUMENTS = Adaptation(DOCUMENTS, EVERY_DOCUMENT)

Fresh = tuple[Adaptation, RefusedError]
"""An adaptation that is tried, and the refusal that it answers."""


class Adaptations:
    """Those of the requests to one server, by model, as it has made them necessary.

    An adaptation is remembered, and a notice shown, when the changed request is answered: a server that
    refuses that too had another reason. Tools that did not help are offered again.

    Args:
        name: Of the provider.
        takes_documents: Whether the server is known to take PDFs as documents. Else none is sent.
    """

    def __init__(self, name: str, *, takes_documents: bool = False) -> None:
        self._name = name
        self._takes_documents = takes_documents
        self._learned: dict[str, list[Adaptation]] = {}
        self._passing: set[tuple[str, str]] = set()
        """Models and notices of adaptations that were for one request."""

    def accepts_images(self, model: str) -> bool:
        """Return whether a model accepts images, as far as is known."""
        return all(known.row is not IMAGES for known in self._learned.get(model, ()))

    def accepts_documents(self, model: str) -> bool:
        """Return whether a model accepts PDFs as documents, as far as is known."""
        return self._takes_documents and _NO_DOCUMENTS not in self._learned.get(model, ())

    def adapt(self, request: Request) -> Request:
        """Return the request with the adaptations that are known for its model."""
        return self.adapted(request)[0]

    def forget_tools(self) -> None:
        """Offer all tools again, since they may be others of the same names."""
        for model, learned in self._learned.items():
            self._learned[model] = [
                known for known in learned if known.row not in OF_TOOLS or known.row is NO_TOOLS
            ]

    def adapted(self, request: Request) -> tuple[Request, list[Adaptation]]:
        """Return the request with the known adaptations, and those that it needed."""
        used = []
        # A conversation may come here with documents that another server took.
        never = () if self._takes_documents else (_NO_DOCUMENTS,)
        for known in (*never, *self._learned.get(request.model, ())):
            if known.concerns(request):
                request = known.change(request)
                used.append(known)
        return request, used

    def learn(self, model: str, fresh: Sequence[Fresh]) -> Sequence[Notice]:
        """Remember adaptations, and return the notices that were not shown yet."""
        learned = self._learned.setdefault(model, [])
        notices: list[Notice] = []
        for adaptation, refusal in fresh:
            if adaptation not in learned and (model, adaptation.row.notice) not in self._passing:
                if adaptation.row.lasts:
                    learned.append(adaptation)
                else:
                    self._passing.add((model, adaptation.row.notice))
                words = adaptation.notice(model, self._name)
                if not words:
                    continue
                quote = f" It said: {visible(excerpt(refusal.said))}" if refusal.said else ""
                notices.append(AdaptationNotice(words + quote, "warning"))
        return notices


def find_adaptation(
    refusal: RefusedError,
    request: Request,
    used: Sequence[Adaptation],
    fresh: Sequence[Fresh],
) -> Adaptation | None:
    """Return the next adaptation to try; None if there is none."""
    found = next((a for a in find_adaptations(refusal, request) if a not in used), None)
    if found is None or found.row.widen is None:
        return found
    if sum(tried.row is found.row for tried, _ in fresh) < _ONE_BY_ONE:
        return found
    return replace(found, elements=found.row.widen(request, found.elements))


def changed(request: Request, fresh: Sequence[Fresh]) -> Request:
    """Return a request with adaptations."""
    for adaptation, _ in fresh:
        request = adaptation.change(request)
    return request


def was_no_help(
    tried: Adaptation, before: RefusedError, refusal: RefusedError, request: Request
) -> bool:
    """Return whether a server refuses the same again after tools were left out that it had not named.

    A place that moves on is another tool, unless the one before was msgbook's own: servers take those.
    """
    if tried.row not in OF_TOOLS:
        return False
    if tried.row is TOOLS:
        if not is_placed(before, request):
            return False
        if not of_others(tried.elements):
            return re.sub(r"\d+", "", before.words) == re.sub(r"\d+", "", refusal.words)
    return before.words == refusal.words
