"""The events of a plug-in's provider, checked before a turn is made of them."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import ConfigDict, FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from msgbook.config import redact
from msgbook.events import (
    Citations,
    ModelChosen,
    ModelDisplay,
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDetails,
    RetryWait,
    StreamEvent,
    ToolCallDelta,
)
from msgbook.provider.answer_quirks import plain_finish_reason
from msgbook.text import one_line, visible

_EVENTS = typing.get_args(StreamEvent)

_FORMS: dict[str, Any] = {"seconds": FiniteFloat, "usage": dict[str, NonNegativeInt] | None}
"""Types of fields that are narrower than, or not checked by, their annotation."""


class EventCheck:
    """Checks the events of one model call."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secrets)
        self._calls = 0
        self._finished = False

    def passed(self, event: Any) -> StreamEvent:
        """Return an event. Its line for the reader, if it has one, is without secrets.

        Raises:
            TypeError: It is no event, one of its fields has another type, or it comes out of order.
        """
        if not isinstance(event, _EVENTS):
            raise TypeError(f"stream() gave a {type(event).__name__}")
        what = f"stream() gave a {type(event).__name__}"
        if self._finished:
            raise TypeError(f"{what} after ModelFinished")
        for field, adapter in _adapters(event.__class__):
            value = getattr(event, field)
            try:
                adapter.validate_python(value)
            except ValidationError:
                raise TypeError(f"{what} with a wrong {field}: {type(value).__name__}") from None
        _require_json(_json_of(event))
        return self._in_order(event)

    def _in_order(self, event: StreamEvent) -> StreamEvent:
        match event:
            case ToolCallDelta(index=index):
                if not 0 <= index <= self._calls:
                    expected = f"expected 0 to {self._calls}"
                    raise TypeError(f"stream() gave a ToolCallDelta with index {index}, {expected}")
                self._calls = max(self._calls, index + 1)
            case ModelFinished():
                self._finished = True
                return replace(event, finish_reason=plain_finish_reason(event.finish_reason))
            case Notice():
                return replace(event, text=shown_line(event.text, self._secrets))
            case RetryWait():
                return replace(event, reason=shown_line(event.reason, self._secrets))
            case ModelChosen():
                return replace(event, model=shown_line(event.model, self._secrets))
        return event


def shown_line(value: object, secrets: Iterable[str]) -> str:
    """Return a text of a plug-in on one line, without secrets and invisible characters."""
    return visible(one_line(redact(str(value), secrets)))


def _json_of(event: StreamEvent) -> Any:
    """Return the part of an event that is saved as it is; None if it has none."""
    match event:
        case ToolCallDelta(extra=value) | ReasoningDetails(details=value):
            return value
        case OutputItem(item=value) | Citations(citations=value) | ModelDisplay(data=value):
            return value
    return None


def _require_json(value: Any) -> None:
    """Raise `TypeError` for what cannot be saved in a notebook."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise TypeError(f"stream() gave what is no JSON: {error}") from None


@lru_cache(32)
def _adapters(kind: type) -> tuple[tuple[str, TypeAdapter[Any]], ...]:
    """Return the name and the type of each field of an event."""
    hints = {name: _FORMS.get(name, hint) for name, hint in typing.get_type_hints(kind).items()}
    strict = ConfigDict(strict=True)
    return tuple((name, TypeAdapter(hint, config=strict)) for name, hint in hints.items())
