"""Quirks in the shapes of errors: where a server puts its words, and which status they stand for. Pure.

To add one, extend a table here, and add a case to tests/provider/test_failures.py.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from msgbook.errors import ProviderError
from msgbook.provider.json_events import is_too_deep
from msgbook.text import excerpt

_WORDS = ("message", "error", "detail", "msg", "errors")
"""Keys that hold the words of an error, or a value that holds them."""
_DEPTH = 6
"""Values in one another that are searched for words."""
_PAGE_LIMIT = 4000
"""Characters of an HTML page that are searched for words."""
_NOT_SHOWN = re.compile(r"<(head|script|style)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")

_STATUSES = {
    "context_length_exceeded": 400,
    "invalid_encrypted_content": 400,
    "invalid_prompt": 400,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "model_not_found": 404,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "invalid_request_error": 400,
    "server_error": 500,
    "internal_server_error": 500,
    "unavailable_error": 503,
    "overloaded_error": 503,
    "server_is_overloaded": 503,
    "service_unavailable_error": 503,
    "upstream_error": 502,
}
"""HTTP statuses of errors that come inside an answer, by their `code` or `type`."""


class ReportedError(ProviderError):
    """An error that the server reports inside an answer, not yet in words for a person.

    Args:
        error: The `error` value, of any shape.
    """

    def __init__(self, error: Any) -> None:
        super().__init__("APIError", error_message(error))
        self.error = error


_ERROR_TEXTS = ("error", "errors", "error_msg", "error_message", "errorMessage")
"""Keys of an event of an answer that hold an error."""
_NO_ERRORS = frozenset(("", "0", "ok", "success", "none", "null", "no error", "false"))
"""Words under such a key that say there is no error."""

ERROR_KEYS = frozenset((*_ERROR_TEXTS, "error_code", "base_resp"))


def stated_error(event: dict[str, Any], *, is_bare: bool = False) -> Any:
    """Return the error that an event of an answer states in any of its keys; None if it states none.

    Args:
        is_bare: Whether the event has no part of an answer: then its own words may be the error.
    """
    for key in _ERROR_TEXTS:
        value = event.get(key)
        if value is True:
            return event
        is_none = _is_empty(value) if not is_bare or isinstance(value, str) else not value
        if not is_none:
            code = event.get("error_code") or event.get("code")
            return {"message": value, "code": code} if code and isinstance(value, str) else value
    reply = event.get("base_resp")  # MiniMax
    if isinstance(reply, dict) and reply.get("status_code"):
        return {"message": reply.get("status_msg") or reply, "code": reply["status_code"]}
    is_error = "error" in (event.get("object"), event.get("type"), event.get("status"))
    code = event.get("code", event.get("status_code"))
    is_error = is_error or (is_bare and isinstance(code, int) and code >= 400)
    if is_error and not event.get("choices"):
        return event
    return event.get("detail") if is_bare and "type" not in event else None


def _is_empty(error: Any) -> bool:
    """Return whether the value of an error says that there is none, as gateways write it into each event."""
    if isinstance(error, dict):
        return all(map(_is_empty, error.values()))
    return not error or (isinstance(error, str) and error.strip().lower() in _NO_ERRORS)


def find_error(body: object) -> Any:
    """Return the `error` value in the body of an HTTP error; the body itself if it has none."""
    if isinstance(body, list) and len(body) == 1:  # Gemini
        body = body[0]
    error = body.get("error") if isinstance(body, dict) else None
    return error if error and isinstance(error, str | dict | list) else body or ""


def error_message(error: Any) -> str:
    """Return the message of an `error` value of any shape, on one line."""
    if is_page(error):
        return excerpt(f"an HTML page ({_page_text(error[:_PAGE_LIMIT])})")
    return excerpt(_words(error, _DEPTH) or as_text(error))


def full_message(error: Any) -> str:
    """Return the words of an `error` value of any shape, with the place that it names; empty for a page."""
    if is_page(error):
        return ""
    place = error.get("param") if isinstance(error, dict) else None
    words = _words(error, _DEPTH) or as_text(error)
    return f"{place}: {words}" if isinstance(place, str) and place else words


def is_page(error: object) -> bool:
    """Return whether an error is a page for a browser, which no model server sends."""
    return isinstance(error, str) and error.lstrip("\ufeff \t\r\n").startswith("<")


def as_text(body: object) -> str:
    """Return a body that was text or JSON as text; empty if it is nested too deep."""
    if isinstance(body, str):
        return body
    return "" if is_too_deep(body) else json.dumps(body, ensure_ascii=False)


def _words(error: Any, depth: int) -> str:
    """Return the words in an `error` value, each with the place in the request that it is about."""
    if isinstance(error, str) or not depth:
        return error if isinstance(error, str) else ""
    if isinstance(error, list):
        return "; ".join(filter(None, (_words(part, depth - 1) for part in error)))
    if not isinstance(error, dict):
        return ""
    words = next(filter(None, (_words(error.get(key), depth - 1) for key in _WORDS)), "")
    if relayed := _relayed(error.get("metadata"), depth):
        words = f"{words}: {relayed}" if words else relayed
    loc = error.get("loc")
    places = [str(part) for part in loc] if isinstance(loc, list) else []
    place = ".".join(places[places[:1] == ["body"] :])
    return f"{place}: {words}" if place and words else words


def _relayed(metadata: Any, depth: int) -> str:
    """Return the words of the server behind a gateway (OpenRouter), which has none of its own."""
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if not isinstance(raw, str) or raw.lstrip().startswith("<"):
        return ""
    try:
        return _words(json.loads(raw), depth - 1) or raw
    except (ValueError, RecursionError):
        return raw


def _page_text(page: str) -> str:
    body = _TAG.sub(" ", _NOT_SHOWN.sub(" ", page))
    return html.unescape(" ".join((body if body.strip() else _TAG.sub(" ", page)).split()))


def reported_status(error: Any) -> int:
    """Return the HTTP status that an error inside an answer stands for; 0 if that is not known."""
    for name in codes_of(error):
        if re.fullmatch("[45][0-9][0-9]", name):
            return int(name)
        if name in _STATUSES:
            return _STATUSES[name]
    return 0


def codes_of(error: Any) -> tuple[str, ...]:
    """Return the `code` and the `type` of an `error` value, in lower case."""
    table = error if isinstance(error, dict) else {}
    return tuple(str(table[key]).lower() for key in ("code", "type") if table.get(key))
