"""Quirks in how servers say that they cannot answer: the shapes and words of their errors. Pure.

No server documents its words. To add some, extend a table here, and add a case to
tests/provider/test_failures.py or tests/provider/test_alternatives.py.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from msgbook.errors import ProviderError
from msgbook.text import one_line

_WORDS = ("message", "error", "detail", "msg", "errors")
"""Keys that hold the words of an error, or a value that holds them."""
_DEPTH = 6
"""Values in one another that are searched for words."""
_PAGE_LIMIT = 4000
"""Characters of an HTML page that are searched for words."""
_NOT_SHOWN = re.compile(r"<(head|script|style)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum (model|context) length|prompt is too long"
    r"|(input|prompt) tokens? count|too many (input |prompt )?tokens|input is too long",
    re.IGNORECASE,
)
_UNKNOWN_MODEL_CODES = {
    "model_not_found",  # OpenAI, Groq, LM Studio
    "invalid_model",  # Mistral
    "model_not_available",  # Together
    "model_not_supported",  # Hugging Face
    "deploymentnotfound",  # Azure
}
_UNKNOWN_MODEL = re.compile(
    r"\bmodel\b.{0,40}?\b(not found|(not|n't) exist|is(n't| not) found)"
    r"|\b(invalid|unknown) model\b(?! (out|in)put| param)|model identifier is invalid"
    r"|\bnot a valid model\b|\bno endpoints found for NAME|\bunable to access model\b"
    r"|\bmodels/NAME is not found|^model: NAME$|\bpublisher model\b.{0,200}\bnot found"
    r"|\bno such model\b|\bno model named\b",
    re.IGNORECASE,
)
"""The words of LiteLLM, vLLM, Ollama, OpenRouter, DeepSeek, Gemini and others, as they are and with NAME for the model."""
_NOT_FOR_THIS_KEY = "_model_access_denied"
"""End of LiteLLM's words for a model that this key, user or team may not use."""
_WRONG_KEY_CODES = {"no_db_connection", "invalid_api_key"}
"""`no_db_connection`: LiteLLM's proxy without a data base knows only its master key."""
_WRONG_KEY = re.compile(
    r"\bno connected db\b|\bapi[ _-]?key (is )?(not valid|invalid)|\b(invalid|incorrect) api[ _-]?key\b",
    re.IGNORECASE,
)
"""The words of LiteLLM, Gemini and xAI, which do not answer 401."""
_LOADING = re.compile(
    r"^loading model\b|\bserver loading model\b|\b(is|still|currently|being) loading\b|\bbeing loaded\b"
    r"|\bmodel\b.{0,200}\bis not (yet )?ready\b",
    re.IGNORECASE,
)
"""The words of llama.cpp, Ollama, Hugging Face, KServe and Dynamo. vLLM and TGI do not listen until they are ready."""
_NOT_LOADING = re.compile(r"\bfail|\berror loading|\btimed out", re.IGNORECASE)
_STATUSES = {
    "context_length_exceeded": 400,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "model_not_found": 404,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "server_error": 500,
    "internal_server_error": 500,
    "unavailable_error": 503,
    "overloaded_error": 503,
}
"""HTTP statuses of errors that come inside an answer, by their `code` or `type`."""
_TOKEN_LIMIT = re.compile(r"\bmax_(completion_|output_)?tokens\b")
"""Found in words about a limit that is too large, not about a request that is too long."""


class ReportedError(ProviderError):
    """An error that the server reports inside an answer, not yet in words for a person.

    Args:
        error: The `error` value, of any shape.
    """

    def __init__(self, error: Any) -> None:
        super().__init__("APIError", error_message(error))
        self.error = error


def find_error(body: object) -> Any:
    """Return the `error` value in the body of an HTTP error; the body itself if it has none."""
    if isinstance(body, list) and len(body) == 1:  # Gemini
        body = body[0]
    error = body.get("error") if isinstance(body, dict) else None
    return error if error and isinstance(error, str | dict | list) else body or ""


def error_message(error: Any) -> str:
    """Return the message of an `error` value of any shape, on one line."""
    if isinstance(error, str) and error.lstrip().startswith("<"):
        return one_line(f"an HTML page ({_page_text(error[:_PAGE_LIMIT])})")
    return one_line(_words(error, _DEPTH) or as_text(error))


def as_text(body: object) -> str:
    """Return a body that was text or JSON as text; empty if it is nested too deep."""
    try:
        return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    except RecursionError:
        return ""


def _words(error: Any, depth: int) -> str:
    """Return the words in an `error` value, each with the place in the request that it is about."""
    if isinstance(error, str) or not depth:
        return error if isinstance(error, str) else ""
    if isinstance(error, list):
        return "; ".join(filter(None, (_words(part, depth - 1) for part in error)))
    if not isinstance(error, dict):
        return ""
    words = next(filter(None, (_words(error.get(key), depth - 1) for key in _WORDS)), "")
    loc = error.get("loc")
    places = [str(part) for part in loc] if isinstance(loc, list) else []
    place = ".".join(places[places[:1] == ["body"] :])
    return f"{place}: {words}" if place and words else words


def _page_text(page: str) -> str:
    body = _TAG.sub(" ", _NOT_SHOWN.sub(" ", page))
    return html.unescape(" ".join((body if body.strip() else _TAG.sub(" ", page)).split()))


def reported_status(error: Any) -> int:
    """Return the HTTP status that an error inside an answer stands for; 0 if that is not known."""
    for name in sorted(_codes(error)):
        if re.fullmatch("[45][0-9][0-9]", name):
            return int(name)
        if name in _STATUSES:
            return _STATUSES[name]
    return 0


def is_wrong_key(status: int, error: Any) -> bool:
    """Return whether an HTTP error that is not 401 or 403 says that the key is wrong.

    Args:
        error: The `error` value, of any shape.
    """
    return status in (400, 422) and (
        not _WRONG_KEY_CODES.isdisjoint(_codes(error))
        or bool(_WRONG_KEY.search(error_message(error)))
    )


def _codes(error: Any) -> set[str]:
    table = error if isinstance(error, dict) else {}
    return {str(table.get(key)).lower() for key in ("code", "type")}


def is_unknown_model(status: int, error: Any, model: str) -> bool:
    """Return whether an HTTP error says that the server does not know the model.

    Args:
        error: The `error` value, of any shape.
        model: The requested model.
    """
    codes = _codes(error)
    if status in (401, 403) and any(code.endswith(_NOT_FOR_THIS_KEY) for code in codes):
        return True
    if status not in (400, 403, 404, 422):
        return False
    if not _UNKNOWN_MODEL_CODES.isdisjoint(codes):
        return True
    words = error_message(error)
    named = re.sub(rf"(?<!\w){re.escape(model)}(?!\w)", "NAME", words)
    return status != 403 and any(map(_UNKNOWN_MODEL.search, (words, named)))


def is_loading(status: int, error: Any) -> bool:
    """Return whether an error says that the server is loading the model, and will be ready later."""
    words = error_message(error)
    says_so = _LOADING.search(words) and not _NOT_LOADING.search(words)
    return bool(says_so) and (not status or status >= 500)


def is_too_long(error: Any) -> bool:
    """Return whether an `error` value says that the request is longer than the context window."""
    words = error_message(error)
    says_so = "context_length_exceeded" in _codes(error) or _TOO_LONG.search(words)
    return bool(says_so) and not _TOKEN_LIMIT.search(words)
