"""A row of the table of `request_quirks`: something that a server may refuse, and the way around it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from msgbook.provider.base import Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.refused_elements import Elements
from msgbook.text import join_first, one_line, visible

_NAMED = 8
"""Most elements that a notice names."""

ALL: Elements = frozenset()
"""All elements of a row's kind, since a refusal names none of them."""


T = TypeVar("T")
"""What a refusal says: the elements that are refused, or the number of them that a request may hold."""


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """Something that a server may refuse in a request, and the way around it."""

    find: Callable[[RefusedError, Request], T | None]
    """Returns which elements of a request the server's words refuse, or how many it takes; None for none."""
    concerns: Callable[[Request, T], bool]
    """Returns whether a request contains them."""
    change: Callable[[Request, T], Request]
    """Returns a copy of the request without them."""
    notice: str
    """Notice for the user; `{model}` and `{elements}` stand for names. Empty where the user asked for nothing that
    is left out."""
    remedy: str = ""
    """The setting that helps for good, for the notice and for the error if nothing else helps. `{provider}` and
    `{elements}` stand for names. Empty for none."""
    widen: Callable[[Request, T], T] | None = None
    """Returns more elements, after a server has refused several one by one."""
    names: Callable[[Any], list[str]] = sorted
    """Returns what stands for `{elements}`."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """A row, and the elements that a server refused."""

    row: Row[Any]
    elements: Any = ALL

    def concerns(self, request: Request) -> bool:
        """Return whether a request contains what is refused."""
        return self.row.concerns(request, self.elements)

    def change(self, request: Request) -> Request:
        """Return a copy of the request without it."""
        return self.row.change(request, self.elements)

    def notice(self, model: str, provider: str) -> str:
        """Return the notice with its remedy; empty for none."""
        words = f"{self.row.notice} {self.row.remedy}".strip() if self.row.notice else ""
        return self._filled(words, model, provider)

    def remedy(self, model: str, provider: str) -> str:
        """Return the setting that helps for good; empty for none."""
        return self._filled(self.row.remedy, model, provider)

    def _filled(self, words: str, model: str, provider: str) -> str:
        listed = join_first(
            [visible(one_line(e, 100)) for e in self.row.names(self.elements)], _NAMED
        )
        names = {"model": model, "provider": provider, "elements": listed or "NAME"}
        return words.format(**{key: visible(one_line(name, 400)) for key, name in names.items()})


def whole(
    concerns: Callable[[Request], bool],
    is_refused: Callable[[RefusedError], bool],
    change: Callable[[Request], Request],
    notice: str,
    remedy: str = "",
) -> Row[Elements]:
    """Return a row for something that has no elements, or of which all are refused."""
    return Row(
        lambda refusal, _request: ALL if is_refused(refusal) else None,
        lambda request, _all: concerns(request),
        lambda request, _all: change(request),
        notice,
        remedy,
    )
