"""Quirks of errors: where a server puts its words, and which status and kind of error they stand for. Pure.

To add one, extend a table here, and add a case to tests/provider/test_failures.py.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from msgbook.errors import ProviderError
from msgbook.messages import ApiName
from msgbook.provider.json_events import is_too_deep
from msgbook.text import excerpt
from msgbook_format.html_references import unescape
from msgbook_format.typed import as_dict, as_list, as_text

_WORDS = ("message", "error", "detail", "msg", "errors")
"""Keys that hold the words of an error, or a value that holds them."""
_DEPTH = 6
"""Values in one another that are searched for words: gateways put an error of a server into one of their own."""
_PAGE_LIMIT = 4000
"""Characters of an HTML page that are searched for words: the title comes first, scripts and styles follow."""
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
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "server_error": 500,
    "api_error": 500,
    "timeout_error": 504,
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
_NO_ERRORS = frozenset(
    (
        "",
        "0",
        "ok",
        "success",
        "succeed",
        "succeeded",
        "successful",
        "none",
        "null",
        "no error",
        "false",
    )
)
"""Words under such a key that say there is no error."""

ERROR_KEYS = frozenset((*_ERROR_TEXTS, "error_code", "base_resp"))


def stated_error(event: dict[str, Any], *, is_bare: bool = False) -> Any:
    """Return the error that an event of an answer states in any of its keys; None if it states none.

    Args:
        is_bare: Whether the event has no part of an answer, which has not ended: then its own words may be the
            error. Behind the end they are a trailer, whatever their code.
    """
    for key in _ERROR_TEXTS:
        value = event.get(key)
        if value is True:
            return event
        is_none = _is_empty(value) if not is_bare or isinstance(value, str) else not value
        if not is_none:
            code = event.get("error_code") or event.get("code")
            return {"message": value, "code": code} if code and isinstance(value, str) else value
    reply = as_dict(event.get("base_resp"))  # MiniMax
    if reply.get("status_code"):
        return {"message": reply.get("status_msg") or reply, "code": reply["status_code"]}
    is_error = "error" in (event.get("object"), event.get("type"), event.get("status"))
    is_error = is_error or (is_bare and _states_failure(event))
    if is_error and not event.get("choices"):
        return event
    return event.get("detail") if is_bare and "type" not in event else None


_STATUS_KEYS = ("code", "status_code", "statusCode", "status", "errcode")
_MESSAGE_KEYS = ("message", "msg", "detail", "errmsg")


def _states_failure(event: dict[str, Any]) -> bool:
    """Return whether an event that is no part of an answer has the status of a failure, or the name of one beside words."""
    name = event.get("code")
    is_named = isinstance(name, str) and not name.isdecimal() and name.lower() not in _NO_ERRORS
    if (
        is_named
        and "type" not in event
        and any(isinstance(event.get(k), str) and not _is_empty(event[k]) for k in _MESSAGE_KEYS)
    ):
        return True
    statuses = (
        str(event[key])[:9] for key in _STATUS_KEYS if isinstance(event.get(key), int | str)
    )
    return event.get("success") is False or any(s.isdecimal() and int(s) >= 400 for s in statuses)


def _is_empty(error: Any) -> bool:
    """Return whether the value of an error says that there is none, as gateways write it into each event."""
    if isinstance(error, dict):
        return all(map(_is_empty, error.values()))
    return not error or (isinstance(error, str) and error.strip().lower() in _NO_ERRORS)


def find_error(body: object) -> Any:
    """Return the `error` value in the body of an HTTP error; the body itself if it has none."""
    if isinstance(body, list) and len(body) == 1:  # Gemini
        body = body[0]
    error = as_dict(body).get("error")
    return error if error and isinstance(error, str | dict | list) else body or ""


def error_message(error: Any) -> str:
    """Return the message of an `error` value of any shape, on one line."""
    if is_page(error):
        return excerpt(f"an HTML page ({_page_text(error[:_PAGE_LIMIT])})")
    return excerpt(_words(error, _DEPTH) or body_text(error))


def full_message(error: Any) -> str:
    """Return the words of an `error` value of any shape, with the place that it names; empty for a page."""
    if is_page(error):
        return ""
    place = as_dict(error).get("param")
    words = _words(error, _DEPTH) or body_text(error)
    return f"{place}: {words}" if as_text(place) else words


def is_page(error: object) -> bool:
    """Return whether an error is a page for a browser, which no model server sends."""
    return isinstance(error, str) and error.lstrip("\ufeff \t\r\n").startswith("<")


def body_text(body: object) -> str:
    """Return a body that was text or JSON as text; empty if it is nested too deep."""
    if isinstance(body, str):
        return body
    return "" if is_too_deep(body) else json.dumps(body, ensure_ascii=False)


def _words(error: Any, depth: int) -> str:
    """Return the words in an `error` value, each with the place in the request that it is about."""
    if isinstance(error, str):
        return _with_inner_words(error, depth)
    if not depth:
        return ""
    if isinstance(error, list):
        return "; ".join(filter(None, (_words(part, depth - 1) for part in error)))
    if not isinstance(error, dict):
        return ""
    words = next(filter(None, (_words(error.get(key), depth - 1) for key in _WORDS)), "")
    if relayed := _relayed(error.get("metadata"), depth):
        words = f"{words}: {relayed}" if words else relayed
    loc = error.get("loc")
    places = [str(part) for part in as_list(loc)]
    place = ".".join(places[places[:1] == ["body"] :])
    return f"{place}: {words}" if place and words else words


def _with_inner_words(error: str, depth: int) -> str:
    """Return a text with the words of the JSON that it ends with, as gateways quote another server."""
    before, brace, rest = error.partition("{")
    if not (brace and depth and rest.rstrip().endswith("}")):
        return error
    try:
        inner = find_error(json.loads(brace + rest))
        said = _words(inner, depth - 1)
    except (ValueError, RecursionError):
        return error
    place = as_dict(inner).get("param")
    placed = f"{place}: {said}" if as_text(place) else said
    return before + placed if said else error


def _relayed(metadata: Any, depth: int) -> str:
    """Return the words of the server behind a gateway (OpenRouter), which has none of its own."""
    raw = as_dict(metadata).get("raw")
    if not isinstance(raw, str) or raw.lstrip().startswith("<"):
        return ""
    try:
        return _words(json.loads(raw), depth - 1) or raw
    except (ValueError, RecursionError):
        return raw


def _page_text(page: str) -> str:
    body = _TAG.sub(" ", _NOT_SHOWN.sub(" ", page))
    return unescape(" ".join((body if body.strip() else _TAG.sub(" ", page)).split()))


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
    table = as_dict(error)
    return tuple(str(table[key]).lower() for key in ("code", "type") if table.get(key))


# Kinds of errors, told by a server's words: an unknown model, a wrong key, a missing route and others. Pure.
#
# No server documents its words. To add some, extend a table here, and add a case to
# tests/provider/test_error_kinds.py or tests/provider/test_alternatives.py.


ErrorKind = Literal[
    "model", "key", "route", "other_api", "stored", "loading", "length", "policy", "region"
]
"""What an error is about: an unknown model, a wrong key, a path that the server does not have, a request that
only the other API can serve, something that the server should have stored, a model that is being loaded, a
conversation that is too long, content that a policy forbids, a country or network that is not served."""

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum (model|context) length|prompt is too long"
    r"|(input|prompt) tokens? count|too many (input |prompt )?tokens|input is too long",
    re.IGNORECASE,
)
_ABOVE_RATE = re.compile(r"\brequest too large for\b", re.IGNORECASE)
"""The words of OpenAI and Groq for one request above the limit of a minute. No wait helps."""
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
_NO_ROUTE = re.compile(
    r"^(error\W*)?(404\W*)?((page|file|resource|route|endpoint|path|url)\W+)?not found\W*$"
    r"|\bcannot post\b|\bmethod not allowed\b|^not (implemented|allowed)\W*$|\binvalid url\b|\bno route\b"
    r"|\bunknown (request )?(url|endpoint|route|path)\b|\bunexpected endpoint\b"
    r"|\b(route|path|url)\b.{0,80}\bnot found\b",
    re.IGNORECASE,
)
"""The words of FastAPI, Go, Express, Fastify, llama.cpp, Kong, Groq and OpenAI for a path that they do not have."""
_LM_STUDIO_NO_ROUTE = re.compile(r"^unexpected endpoint or method\b", re.IGNORECASE)
"""LM Studio answers 200 to it."""
_COMPLETIONS = re.compile(r"\bv1/completions\b")
"""The API before that of chats, which msgbook does not speak."""
_NOT_IN = r"\bnot support(ed)?\b.{0,80}?"
_NOT_IN_THIS_API: dict[ApiName, re.Pattern[str]] = {
    "chat": re.compile(
        rf"{_NOT_IN}\bchat[/ ]completions\b|\bchat/completions is not supported|\bonly supported in v1/responses",
        re.IGNORECASE,
    ),
    "responses": re.compile(
        rf"{_NOT_IN}(\bresponses api\b|/responses\b)|/responses is not supported", re.IGNORECASE
    ),
    "anthropic": re.compile(
        rf"{_NOT_IN}(\bmessages api\b|/messages\b)|/messages is not supported", re.IGNORECASE
    ),
}
"""The words of OpenAI, vLLM and gateways about what only another API can do."""
_NOT_STORED = re.compile(r"\b(response|item) with id\b.{0,200}\bnot found\b", re.IGNORECASE)
_POLICY = re.compile(
    r"\bmoderation\b|\bflagged\b|\bcontent[ _-]?(policy|filter)|\bsafety\b", re.IGNORECASE
)
"""Words about what is said or shown, which OpenRouter and gateways send with 403."""
_REGION = re.compile(
    r"\b(country|countries|region|territory|geograph\w+|location)\b.{0,80}?\b(not|n't|un\w+|block\w*|restrict\w*)\b"
    r"|\b(not|un)(available| available|supported| supported)\b.{0,60}?\b(country|region|territory|location)\b",
    re.IGNORECASE,
)
"""The words of OpenAI, Anthropic, Gemini and gateways for a place that is not served, sent with 400 and 403."""
_REGION_CODES = {"unsupported_country_region_territory"}
_TOKEN_LIMIT = re.compile(r"\bmax_(completion_|output_)?tokens\b")
"""Found in words about a limit that is too large, not about a request that is too long."""
_NO_ROOM = re.compile(r"\bexceed context limit\W{1,3}(\d{1,9}) \+ \d+ > (\d{1,9})")
"""Words of Anthropic about a limit of the answer above what the request leaves of the context window."""
_LEAST_ROOM = 1024
"""Tokens that an answer needs to be of use."""


def is_wrong_key(status: int, error: Any) -> bool:
    """Return whether an HTTP error that is not 401 or 403 says that the key is wrong.

    Args:
        error: The `error` value, of any shape.
    """
    return status in (400, 422) and (
        not _WRONG_KEY_CODES.isdisjoint(codes_of(error))
        or bool(_WRONG_KEY.search(error_message(error)))
    )


def is_unknown_model(status: int, error: Any, model: str) -> bool:
    """Return whether an HTTP error says that the server does not know the model.

    Args:
        error: The `error` value, of any shape.
        model: The requested model.
    """
    codes = codes_of(error)
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


def is_missing_route(status: int, error: Any) -> bool:
    """Return whether an HTTP error is about the path of the request, which the server does not have."""
    words = error_message(error) if error else ""
    if status in (404, 405, 501):
        return status == 405 or not words or is_page(error) or bool(_NO_ROUTE.search(words))
    return status in (0, 200) and bool(_LM_STUDIO_NO_ROUTE.search(words))


def _names_other_api(status: int, error: Any, api: ApiName) -> bool:
    words = error_message(error)
    if status not in (0, 400, 404, 422, 501) or _COMPLETIONS.search(words):
        return False
    return bool(_NOT_IN_THIS_API[api].search(words))


def is_wrong_place(status: int, error: Any) -> bool:
    """Return whether an error says that the server does not serve this country or network."""
    if status not in (400, 403, 451) or is_page(error):
        return False
    return not _REGION_CODES.isdisjoint(codes_of(error)) or bool(
        _REGION.search(error_message(error))
    )


_OF_AN_ELEMENT = re.compile(
    r"\b(image|picture|photo|pdf|document|attachment|file)\b(?!s? and).{0,40}\b(too (large|big)|exceed|larger|over)", re.IGNORECASE
)  # fmt: skip
"""Words about one element that is too large, and not the request."""


def find_room(words: str) -> int | None:
    """Return the tokens that a request leaves of the context window for its answer; None if words do not say it."""
    found = _NO_ROOM.search(words)
    return int(found[2]) - int(found[1]) if found else None


def is_too_long(status: int, error: Any) -> bool:
    """Return whether an error says that the request is longer than the context window, or than the server takes.

    Args:
        status: HTTP status; 0 for an error inside an answer that names none.
        error: The `error` value, of any shape.
    """
    words = error_message(error)
    if status == 429:
        return bool(_ABOVE_RATE.search(words))
    if status not in (0, 400, 422, 500):
        return status == 413 and not _OF_AN_ELEMENT.search(words)
    says_so = "context_length_exceeded" in codes_of(error) or _TOO_LONG.search(words)
    room = find_room(words)
    if room is not None:
        return room < _LEAST_ROOM
    return bool(says_so) and not _TOKEN_LIMIT.search(words)


def find_kind(status: int, error: Any, model: str | None, api: ApiName) -> ErrorKind | None:
    """Return what an error is about; None if its words do not tell.

    Args:
        status: HTTP status; 0 for an error inside an answer that names none.
        error: The `error` value, of any shape.
        model: The requested model; None for a request that lists the models.
        api: The API over which the server was asked.
    """
    if model is not None and is_unknown_model(status, error, model):
        return "model"
    if is_wrong_key(status, error):
        return "key"
    if model is not None and _names_other_api(status, error, api):
        return "other_api"
    if model is not None and is_missing_route(status, error):
        return "route"
    if api == "responses" and status in (400, 404) and _NOT_STORED.search(error_message(error)):
        return "stored"
    if is_loading(status, error):
        return "loading"
    if is_too_long(status, error):
        return "length"
    if is_wrong_place(status, error):
        return "region"
    if status == 403 and _POLICY.search(error_message(error)) and not is_page(error):
        return "policy"
    return None
