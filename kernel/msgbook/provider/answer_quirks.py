"""One thing under the many names that servers give it."""

from __future__ import annotations

import json
from typing import Any

from msgbook.text import one_line, repair_surrogates
from msgbook_format.turn import Usage

_REASONING = ("reasoning_content", "reasoning", "reasoning_text")

_LENGTH = {"model_length", "max_tokens"}
"""Mistral's name for a full context window; that of gateways to Anthropic for the token limit."""

_USAGE = {
    "input_tokens": ("prompt_tokens", "input_tokens"),
    "cached_tokens": (
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",  # DeepSeek
        "cached_tokens",  # Moonshot
        "cache_read_input_tokens",  # gateways to Anthropic
    ),
    "output_tokens": ("completion_tokens", "output_tokens"),
    "reasoning_tokens": (
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "reasoning_tokens",  # Perplexity
    ),
}
"""Where a server may tell a number of tokens, the common place first."""


def objects(values: Any) -> list[dict[str, Any]]:
    """The objects of a list; of anything else, none."""
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def joined(parts: Any) -> str:
    """The text of a string, of a part, or of a list of strings and parts."""
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts if isinstance(parts, list) else [parts]:
        text = part.get("text") if isinstance(part, dict) else part
        texts.append(text if isinstance(text, str) else "")
    return "".join(texts)


def named_reasoning(delta: dict[str, Any]) -> tuple[str, str]:
    """The reasoning in a delta and the name of its field, from one field only: some send two."""
    for field in _REASONING:
        if isinstance(delta.get(field), str) and delta[field]:
            return delta[field], field
    return "", ""


def detailed_reasoning(details: list[dict[str, Any]]) -> str:
    """The words in `reasoning_details`; the same as those of a named field beside them."""
    texts = (detail.get("text") or detail.get("summary") for detail in details)
    return "".join(text for text in texts if isinstance(text, str))


def finish_reason_of(choice: dict[str, Any]) -> str | None:
    """Why the answer ends here, as OpenAI names it where that is known; None: it does not."""
    reason = choice.get("finish_reason")
    words = one_line(reason) if isinstance(reason, str) else ""
    return "length" if words in _LENGTH else words or None


def usage_of(chunk: dict[str, Any]) -> Usage:
    """The usage that a chunk tells: at its top, in a choice (Moonshot), in `x_groq`."""
    places = [chunk, chunk.get("x_groq"), *objects(chunk.get("choices"))]
    usages = (place.get("usage") for place in places if isinstance(place, dict))
    usage = next((usage for usage in usages if isinstance(usage, dict)), {})

    found = {key: _first_count(usage, paths) for key, paths in _USAGE.items()}
    return {key: value for key, value in found.items() if value is not None}  # type: ignore[return-value]


def _first_count(usage: dict[str, Any], paths: tuple[str, ...]) -> int | None:
    for path in paths:
        group, _, key = path.rpartition(".")
        place = usage.get(group) if group else usage
        count = place.get(key) if isinstance(place, dict) else None
        if type(count) is int and count >= 0:
            return count
    return None


def whole_json(value: Any) -> Any:
    """A JSON value that can be sent back and saved: no half of a character in any string."""
    return json.loads(repair_surrogates(json.dumps(value, ensure_ascii=False)))


def error_message(error: Any) -> str:
    """The words of an `error` value, whatever its shape, on one line."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("error") or json.dumps(error, ensure_ascii=False)
    return one_line(str(error))
