"""Quirks in what servers accept: names of keys, refused parts of a request and what to send instead. Pure.

To add one, append an `Adaptation` to `ADAPTATIONS`, and the server's words to
tests/provider/test_request_quirks.py: no server documents them. A refusal that no adaptation recognizes
stays an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from msgbook.provider.base import Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.request_changes import (
    has_option,
    holds_document,
    holds_foreign_id,
    holds_image,
    holds_image_of_tool,
    holds_reasoning_item,
    rename_option,
    with_plain_ids,
    without_documents,
    without_images,
    without_option,
    without_reasoning_items,
    without_tool_images,
)


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Something that a server may refuse in the requests for a model, and the way around it."""

    concerns: Callable[[Request], bool]
    """Returns whether a request contains it."""
    is_refused: Callable[[RefusedError], bool]
    """Returns whether the server's words refuse it."""
    change: Callable[[Request], Request]
    """Returns a copy of the request without it."""
    notice: str
    """Notice for the user; `{model}` stands for the model's name. Empty where the user asked for nothing that
    is left out."""


def find_adaptation(refusal: RefusedError, request: Request) -> Adaptation | None:
    """Return the adaptation to a refusal; None if the refusal names nothing that can be changed."""
    return next((a for a in ADAPTATIONS if a.concerns(request) and a.is_refused(refusal)), None)


_OPENAI_HOSTS = ("openai.com", "openai.azure.com")


def token_limit_key(base_url: str | None) -> str:
    """Return the key that limits the tokens of an answer.

    OpenAI and Azure use `max_completion_tokens`: their reasoning models refuse `max_tokens`, which is
    the key of Ollama, LM Studio and Mistral, and works with vLLM, llama.cpp and the large gateways.

    Args:
        base_url: The server's base URL; None for OpenAI's own.
    """
    host = (urlsplit(base_url).hostname or "") if base_url else "openai.com"
    is_openai = any(host == name or host.endswith(f".{name}") for name in _OPENAI_HOSTS)
    return "max_completion_tokens" if is_openai else "max_tokens"


def reduce_streaming(
    streaming: Mapping[str, Any], refusal: RefusedError
) -> Mapping[str, Any] | None:
    """Return the streaming keys for a server that refused some; None if there is no other way to ask."""
    if refusal.status not in (400, 422):
        return None
    if "stream_options" in refusal.body and "stream_options" in streaming:
        return {"stream": True}
    named = re.search(r"\bstream", refusal.body)
    return {"stream": False} if named and streaming["stream"] else None


_IMAGE = re.compile(
    r"\bimages?\b|image_url|\bvision\b|multi-?\s?modal|\bmmproj\b|non-text content"
    r"|content\b.{0,60}\bstring\b|expected (a )?string",
    re.IGNORECASE,
)
_ONE_IMAGE = re.compile(
    r"invalid[ _](image\b|image_(?!url)|base64|mime)|image_parse|\b(in)?valid image|image is valid"
    r"|image (data|file|format|size|dimension)|unsupported image(?! (input|url|content))"
    r"|decod|corrupt|download|fetch|too (large|big|many|small|long)|larger|exceed|maximum"
    r"|at most (?!0\b)|policy|safety|moderation|violat",
    re.IGNORECASE,
)
"""Words about one image, which the user can change, not about images as such."""
_CANNOT = re.compile(r"support|multi-?\s?modal|\bmmproj\b|missing data", re.IGNORECASE)
_TOOL_MESSAGE = re.compile(r"\brole\W{1,4}tool\b|\btool[ _-]?(message|result|role)", re.IGNORECASE)

_TOOLS = r"(tools?|(tool|function)[ _-]?(use|calls?|calling))"
_NO_TOOLS = re.compile(
    rf"(not|n't) support {_TOOLS}\b|\bthat support tool use"
    rf"|\b{_TOOLS}\b\W{{0,3}}(is|are) not (supported|enabled|available)"
    r"|--enable-auto-tool-choice|tools param requires",
    re.IGNORECASE,
)
"""Words about tools as such. If a schema is refused, its author has to change it."""

_CALL_ID = re.compile(
    r"\btool[ _]call[ _]id\b|\btool_calls\[\d+\]\.id\b|\btool_use\.id\b|\bcall_id\b", re.IGNORECASE
)
_SHAPE = re.compile(r"too long|(maximum|max) length|length of \d|match pattern", re.IGNORECASE)

_REFUSED = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|extra_forbidden|deprecated|instead"
    r"|not (permitted|allowed|enabled|accept|available)|only\b.{0,60}\b(allowed|supported|set)",
    re.IGNORECASE,
)
"""Words about a key as such or all its values. The user can change a value that is out of range."""


def _refuses_images(refusal: RefusedError) -> bool:
    if not _IMAGE.search(refusal.body) or _ONE_IMAGE.search(refusal.body):
        return False
    return refusal.status < 500 or bool(_CANNOT.search(refusal.body))


def _refuses_images_of_tools(refusal: RefusedError) -> bool:
    return _refuses_images(refusal) and bool(_TOOL_MESSAGE.search(refusal.body))


def _names_key(names: str) -> Callable[[RefusedError], bool]:
    named = re.compile(names, re.IGNORECASE)
    return lambda refusal: refusal.status in (400, 422) and bool(named.search(refusal.body))


def _refuses_key(names: str) -> Callable[[RefusedError], bool]:
    is_named = _names_key(names)
    return lambda refusal: is_named(refusal) and bool(_REFUSED.search(refusal.body))


def _renamed(old: str, new: str) -> Adaptation:
    return Adaptation(
        has_option(old),
        _refuses_key(rf"\b{old}\b"),
        rename_option(old, new),
        f"The server of {{model}} refuses {old}; {new} was sent instead.",
    )


_EFFORT = r"reasoning[ _.]?effort|\bthinking\b"
"""The key, and the words of Ollama and xAI."""

_SUMMARY = r"reasoning[ _.]summar|[\"'`]reasoning[\"'`]"
_NO_REASONING_BACK = re.compile(
    r"encrypted[ _]content\b.{0,200}\b(verif|decrypt|invalid|pars)|invalid_encrypted_content"
    r"|without its required|\brs_\w+\W.{0,40}\bnot found",
    re.IGNORECASE,
)
"""Words about reasoning that the server is given back: it comes from another account, or is changed."""


def _refuses_unverified(refusal: RefusedError) -> bool:
    return "verified" in refusal.body and "summar" in refusal.body


_DOCUMENT = re.compile(
    r"\binput_file\b|file_data|\bfiles?\b|\bpdfs?\b|\bdocuments?\b", re.IGNORECASE
)
_NO_DOCUMENT = re.compile(
    r"support|unknown|unrecognized|unexpected|invalid (value|type)|expected one of|not (allowed|permitted|accept)"
    r"|no endpoints|input should be",
    re.IGNORECASE,
)
_ONE_DOCUMENT = re.compile(
    r"too (large|big|many|long)|exceed|maximum|at most|corrupt|damaged|password|encrypt|pages|pars|decod|empty",
    re.IGNORECASE,
)
"""Words about one document, which the user can change, not about documents as such."""


def _refuses_documents(refusal: RefusedError) -> bool:
    body = refusal.body
    return bool(_DOCUMENT.search(body) and _NO_DOCUMENT.search(body)) and not _ONE_DOCUMENT.search(
        body
    )


DOCUMENTS = Adaptation(
    lambda request: any(map(holds_document, request.messages)),
    _refuses_documents,
    without_documents,
    "{model} does not accept PDFs as documents; the name was sent for each. Refer to one again to send its text.",
)

IMAGES = Adaptation(
    lambda request: any(map(holds_image, request.messages)),
    _refuses_images,
    without_images,
    "{model} does not accept images; the word [image] was sent for each.",
)

ADAPTATIONS = (
    DOCUMENTS,
    Adaptation(
        lambda request: any(map(holds_foreign_id, request.messages)),
        lambda refusal: bool(_CALL_ID.search(refusal.body) and _SHAPE.search(refusal.body)),
        with_plain_ids,
        "{model} does not accept the ids that another server gave its tool calls; other ids were sent.",
    ),
    Adaptation(
        lambda request: any(map(holds_image_of_tool, request.messages)),
        _refuses_images_of_tools,
        without_tool_images,
        "{model} does not accept images from tools; the word [image] was sent for each of them.",
    ),
    IMAGES,
    _renamed("max_tokens", "max_completion_tokens"),
    _renamed("max_completion_tokens", "max_tokens"),
    Adaptation(
        has_option("temperature"),
        _refuses_key(r"\btemperature\b"),
        without_option("temperature"),
        "{model} rejects the temperature that you set; it was left out.",
    ),
    Adaptation(
        # `reasoning: false` says no more than this: another effort would be no replacement.
        lambda request: request.options.get("reasoning_effort") == "none",
        _names_key(_EFFORT),
        without_option("reasoning_effort"),
        "The server of {model} has no way to turn reasoning off, so that setting was not sent.",
    ),
    Adaptation(
        has_option("reasoning_effort"),
        _refuses_key(_EFFORT),
        without_option("reasoning_effort"),
        "{model} rejects the reasoning effort that you set; it was left out.",
    ),
    Adaptation(
        lambda request: any(map(holds_reasoning_item, request.messages)),
        lambda refusal: bool(_NO_REASONING_BACK.search(refusal.body)),
        without_reasoning_items,
        "{model} rejected its reasoning from earlier steps; it was left out.",
    ),
    Adaptation(
        has_option("reasoning_summary"),
        _refuses_unverified,
        without_option("reasoning_summary"),
        "The server does not show the reasoning of {model}.",
    ),
    Adaptation(
        has_option("reasoning_summary"),
        _refuses_key(_SUMMARY),
        without_option("reasoning_summary"),
        "",
    ),
    Adaptation(
        has_option("include"),
        _refuses_key(r"\binclude\b|encrypted[ _.]?content"),
        without_option("include"),
        "",
    ),
    Adaptation(
        lambda request: bool(request.tools),
        lambda refusal: bool(_NO_TOOLS.search(refusal.body)),
        lambda request: replace(request, tools=[]),
        "{model} does not support tools, so none were sent and it can only chat.",
    ),
)
"""All adaptations, in the order in which they are tried."""
