"""Quirks in what servers send: the many names and places of one value. Pure.

To add one, extend a table here, and add a case to tests/provider/chat/test_decode*.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgbook.text import one_line, repair_surrogates
from msgbook_format.turn import Usage
from msgbook_format.typed import as_dict, as_dicts, as_items, as_list, as_text, has

REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought")

_INNER_TEXTS = ("text", "content", "thinking", "reasoning", "summary")
"""Keys of reasoning that is an object."""

_TEXT_KEYS = ("text", "content", "value")
_TEXT_TYPES = (None, "text", "output_text")
"""Keys and types of a part that is text."""

FINISH_KEYS = (
    "finish_reason",
    "finishReason",
    "stop_reason",
    "done_reason",
    "native_finish_reason",
)
"""Keys of a finish reason. Beside the first, vLLM's `stop_reason` is what the text was stopped at."""

_FINISH_REASONS = {
    "stop": (
        "stop",
        "eos",  # Together, Mistral's engines
        "eos_token",  # TGI, Hugging Face
        "end",
        "end_turn",  # gateways to Anthropic
        "stop_sequence",
        "stop_token",
        "stop_tokens",
        "complete",  # Cohere
        "completed",
        "finish_reason_stop",  # Gemini
        "eot",
        "done",
        "finished",
        "endoftext",
        "natural_stop",
    ),
    "tool_calls": ("tool_calls", "tool_call", "tool_use", "function_call", "function_calls"),
    "length": (
        "length",
        "model_length",  # Mistral
        "max_tokens",  # gateways to Anthropic, Gemini
        "max_output_tokens",  # the Responses API
        "max_new_tokens",
        "max_length",
        "token_limit",
        "token_limit_reached",
        "limit",
        "context_length",
        "context_length_exceeded",
        "context_window_exceeded",
        "model_context_window_exceeded",  # Anthropic
        "finish_reason_max_tokens",
        "error_limit",  # Cohere
    ),
    "content_filter": (
        "content_filter",
        "content_filtered",  # Bedrock
        "guardrail_intervened",
        "sensitive",  # Zhipu
        "safety",  # Gemini
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_safety",
        "image_prohibited_content",
        "error_toxic",  # Cohere
        "moderation",
    ),
    "insufficient_system_resource": ("insufficient_system_resource",),  # DeepSeek
    "error": ("error",),  # OpenRouter
}
"""Finish reasons of servers, whatever their case and hyphens, by their name in the chat API. A reason that
is not here never ends a turn as done: the reader is told what it is."""

_NO_REASONS = frozenset(("null", "none", "nil", "undefined"))
"""Words of servers that have no finish reason yet."""

_NOT_IN_REASONS = re.compile("[^a-z0-9]")

_PLAIN_REASONS = {
    _NOT_IN_REASONS.sub("", theirs): ours
    for ours, names in _FINISH_REASONS.items()
    for theirs in names
}

_REASON_LENGTH = 200
"""Characters of an unknown finish reason that are kept."""

_USAGE = {
    "input_tokens": (
        "prompt_tokens",
        "input_tokens",
        "promptTokenCount",  # Gemini
        "promptTokens",
        "inputTokens",
        "inputTokenCount",  # Bedrock
        "prompt_eval_count",  # Ollama
        "tokens.input",
    ),
    "cached_tokens": (
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",  # DeepSeek
        "cached_tokens",  # Moonshot
        "cache_read_input_tokens",  # gateways to Anthropic
        "cachedContentTokenCount",
        "cacheReadInputTokens",
        "cacheReadInputTokenCount",
        "cache_n",  # llama.cpp
    ),
    "cache_write_tokens": (
        "prompt_tokens_details.cache_write_tokens",
        "input_tokens_details.cache_write_tokens",
        "prompt_tokens_details.cache_creation_tokens",  # LiteLLM
        "cache_creation_input_tokens",  # gateways to Anthropic
        "cacheWriteInputTokens",
    ),
    "output_tokens": (
        "completion_tokens",
        "output_tokens",
        "candidatesTokenCount",
        "completionTokens",
        "outputTokens",
        "outputTokenCount",
        "eval_count",
        "predicted_n",
        "tokens.output",
    ),
    "reasoning_tokens": (
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "reasoning_tokens",  # Perplexity
        "thoughtsTokenCount",
    ),
    "web_searches": (
        "server_tool_use.web_search_requests",  # Anthropic, and gateways to it
        "prompt_tokens_details.web_search_requests",  # LiteLLM
        "web_search.num_requests",  # `tool_usage` of the Responses API
    ),
}
"""Places where a server may state a number of tokens, or of searches, the most common first. Of llama.cpp's `prompt_n` see `_counts`."""

_RARE = {"cache_write_tokens", "web_searches"}
"""Counts that are noted only if there is something to count."""

USAGE_KEYS = ("usage", "usageMetadata", "usage_metadata")
"""Keys that hold them, as OpenAI and as Gemini spell them."""

_NO_USAGE = frozenset(("tools", "instructions", "input", "logprobs", "function", "text", "content"))
"""Keys that repeat the request or say the answer."""

_MOST_PLACES = 200
"""Objects of an event in which numbers of tokens are looked for: an event may be megabytes of nested objects."""

_MAX_TOKENS = 10**12
"""Most tokens of an answer that are believed. JSON allows numbers that cannot be added up, priced or saved."""

_DIGITS = re.compile(r"[0-9]{1,12}")

ECHOED_KEYS = ("extra_content", "provider_specific_fields")
"""Keys of a tool call beside `function` that hold Gemini's thought signature, which has to be sent back."""


def join_text(parts: Any) -> str:
    """Return the text of a string, of a part, or of a list of strings and parts."""
    if isinstance(parts, str):
        return parts
    texts = []
    for part in as_items(parts):
        text = _text_of(part) if isinstance(part, dict) else part
        if isinstance(text, dict | list) and text is not part:
            text = join_text(text)
        if type(text) in (int, float):  # a gateway has read a piece of text as JSON
            text = str(text)
        texts.append(as_text(text))
    return "".join(texts)


def _text_of(part: dict[str, Any]) -> Any:
    """Return the text of a part; some servers have another key for it."""
    keys = _TEXT_KEYS if part.get("type") in _TEXT_TYPES else _TEXT_KEYS[:1]
    return next((part[key] for key in keys if part.get(key) is not None), None)


def find_reasoning(delta: dict[str, Any]) -> tuple[str, str]:
    """Return the reasoning of a delta and the name of its field. Some servers send it in two fields."""
    for field in REASONING_KEYS:
        value = delta.get(field)
        if value and (text := value if isinstance(value, str) else inner_text(value)):
            return text, field
    return "", ""


def inner_text(value: Any, depth: int = 4) -> str:
    """Return the text of reasoning that comes as an object or a list of parts; empty if none is found."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth:
        return "".join(inner_text(part, depth - 1) for part in value)
    if isinstance(value, dict) and depth:
        return next(filter(None, (inner_text(value.get(k), depth - 1) for k in _INNER_TEXTS)), "")
    return ""


def join_reasoning_details(details: list[dict[str, Any]]) -> str:
    """Return the text of `reasoning_details`; a named field beside them has the same text."""
    texts = (detail.get("text") or detail.get("summary") for detail in details)
    return "".join(text for text in texts if isinstance(text, str))


def plain_finish_reason(reason: Any) -> str | None:
    """Return a finish reason by its name in the chat API where that is known; None if there is none."""
    if has(reason, type=str):
        reason = reason["type"]  # SGLang
    if not reason or isinstance(reason, bool):
        return None
    if not isinstance(reason, str):
        reason = json.dumps(reason, ensure_ascii=False)
    words = one_line(reason, _REASON_LENGTH)
    if words.lower() in _NO_REASONS:
        return None
    return _PLAIN_REASONS.get(_NOT_IN_REASONS.sub("", words.lower()), words) or None


def find_usage(event: dict[str, Any]) -> Usage:
    """Return the usage that an event states, wherever in it: servers have no common place for it.

    What stands under `usage` goes before other counts, and tokens before those that are billed (Cohere).
    """
    places = list(_places(event))
    usages = [inner for place in places for inner in _named(place, USAGE_KEYS)]
    nearest = [one for usage in usages for one in (usage, *_named(usage, ("tokens",)))]
    found: dict[str, int] = {}
    for place in map(_counts, [*nearest, *places]):
        counts = {key: _first_count(place, paths) for key, paths in _USAGE.items()}
        found = {key: count for key, count in counts.items() if count is not None} | found
    return {k: found[k] for k in _USAGE if k in found and (found[k] or k not in _RARE)}  # type: ignore[return-value]


def _places(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an event and the objects in it, level by level."""
    level, seen = [event], 0
    while level and seen < _MOST_PLACES:
        level = level[: _MOST_PLACES - seen]
        seen += len(level)
        yield from level
        level = [
            inner
            for place in level
            for inner in _named(place, [key for key in place if key not in _NO_USAGE])
        ]


def _named(place: dict[str, Any], keys: Iterable[str]) -> list[dict[str, Any]]:
    """Return the objects under some keys, alone or in a list."""
    values = (place.get(key) for key in keys)
    return [one for value in values for one in as_dicts(as_items(value))]


def _counts(place: dict[str, Any]) -> dict[str, Any]:
    """Return a place with llama.cpp's number of tokens as others count it: with those of the cache."""
    read, cached = place.get("prompt_n"), place.get("cache_n", 0)
    is_counted = type(read) is int and type(cached) is int
    return {**place, "prompt_tokens": read + cached} if is_counted else place


def _first_count(usage: dict[str, Any], paths: tuple[str, ...]) -> int | None:
    for path in paths:
        group, _, key = path.rpartition(".")
        place = usage.get(group) if group else usage
        count = as_dict(place).get(key)
        if isinstance(count, str):
            count = int(count) if _DIGITS.fullmatch(count) else None
        elif isinstance(count, float) and count.is_integer():
            count = int(count)
        if type(count) is int and 0 <= count <= _MAX_TOKENS:
            return count
    return None


def add_usage(known: dict[str, int], found: Usage) -> None:
    """Take over what a chunk states. A server that states zeros at the end has only lost its count."""
    known.update({k: v for k, v in found.items() if v or not known.get(k)})  # type: ignore[misc]


def is_marked_thought(delta: dict[str, Any]) -> bool:
    """Return whether a delta says of its content that it is reasoning (Gemini)."""
    extra = delta.get("extra_content")
    google = as_dict(extra).get("google")
    return as_dict(google).get("thought") is True


def find_model(answer: dict[str, Any]) -> str | None:
    """Return the name of the model that answered; None if a chunk or a response does not say it."""
    model = answer.get("model")
    return (one_line(model, 200) or None) if isinstance(model, str) else None


def repair_json(value: Any) -> Any:
    """Return a JSON value without lone surrogates and endless numbers, so that it can be sent back and saved."""
    text = repair_surrogates(json.dumps(value, ensure_ascii=False))
    return json.loads(text, parse_constant=lambda _: None)


# Citations of an answer in one form: objects with `url` and `title`. A reader is shown their sources. Pure.


MAX_CITATIONS = 1000
"""Most citations of one text; a search gives tens."""

MAX_CITED = 4_000_000
"""Most characters of the citations of one text. Some servers quote whole pages."""

_NESTED = ("url_citation", "file_citation")
"""Keys under which chat completions put the citation itself."""


class CitationList:
    """The citations of one text. Servers repeat them, in each chunk (Perplexity) or at the end."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._new: list[dict[str, Any]] = []
        self._size = 0

    def add(self, citations: Any) -> None:
        """Add those of a list that are new: objects, or URLs. Anything else is dropped."""
        for value in as_list(citations):
            citation = _normalized(value)
            key = json.dumps(citation, sort_keys=True)
            if citation and key not in self._known and len(self._known) < MAX_CITATIONS:
                self._size += len(key)
                if self._size > MAX_CITED:
                    return
                self._known.add(key)
                self._new.append(citation)

    def take(self) -> list[dict[str, Any]]:
        """Return the citations that were added since the last time."""
        taken, self._new = self._new, []
        return taken


def listed_citations(chunk: dict[str, Any]) -> list[Any]:
    """Return the citations at the top of a chunk: search results, and URLs that none of them has (Perplexity)."""
    results = [found for found in as_dicts(chunk.get("search_results")) if found.get("url")]
    urls = chunk.get("citations")
    known = {str(found["url"]) for found in results}
    others = [u for u in as_list(urls) if not (isinstance(u, str) and u in known)]
    return [*results, *others]


def _normalized(value: Any) -> dict[str, Any]:
    """Return a citation as an object whose `url` and `title` are texts; empty if it is none."""
    if isinstance(value, str):
        value = {"url": value} if value.strip() else {}
    if not isinstance(value, dict):
        return {}
    nested: dict[str, Any] = next(
        (value[key] for key in _NESTED if isinstance(value.get(key), dict)), {}
    )
    citation = {key: v for key, v in value.items() if key not in _NESTED} | nested
    if not citation.get("title"):
        citation["title"] = citation.get("filename")
    for key in ("url", "title"):
        if not isinstance(citation.get(key), str) or not citation[key]:
            citation.pop(key, None)
    repaired: dict[str, Any] = repair_json(citation)
    return repaired
