"""The keys of a chat completion's chunks, choices and deltas: which are read, and which say nothing to a reader."""

from __future__ import annotations

from msgbook.provider.answer_quirks import ECHOED_KEYS, FINISH_KEYS, REASONING_KEYS, USAGE_KEYS
from msgbook.provider.error_quirks import ERROR_KEYS

PLAIN_CHUNK = frozenset(
    (
        "id",
        "object",
        "created",
        "model",
        "choices",
        "system_fingerprint",
        "service_tier",
        "obfuscation",
        "provider",
        "error",
        "usage",
    )
)
PLAIN_CHOICE = frozenset(
    ("index", "delta", "finish_reason", "logprobs", "native_finish_reason", "error")
)
PLAIN_DELTA = frozenset(("content", "role"))
"""Keys of nearly all chunks, choices and deltas. Only where there are others is more to be done."""

CHUNK_KEYS = PLAIN_CHUNK | {
    *ERROR_KEYS,
    *USAGE_KEYS,
    "x_groq",
    "citations",
    "search_results",
    "prompt_filter_results",  # Azure
    *FINISH_KEYS,
    "timings",  # llama.cpp
    "__verbose",  # llama.cpp
    "type",
}
CHOICE_KEYS = PLAIN_CHOICE | {
    "message",
    "text",
    "usage",
    "content_filter_results",  # Azure
    "content_filter_offsets",
    *FINISH_KEYS,
    "matched_stop",  # SGLang
}
DELTA_KEYS = PLAIN_DELTA | {
    *ERROR_KEYS,
    *USAGE_KEYS,
    *FINISH_KEYS,
    *REASONING_KEYS,
    "reasoning_details",
    "refusal",
    "images",
    "annotations",
    "tool_calls",
    "function_call",
    "name",
    "id",
    "type",
    "padding",
    "obfuscation",
    "logprobs",
    "token_ids",
    "tool_call_id",
    "channel",
    "cache_control",
    *ECHOED_KEYS,  # LiteLLM repeats here what other keys say
    "thinking_blocks",  # LiteLLM
    "reasoning_signature",
    "signature",
    "thought_signature",
    "reasoning_opaque",  # GitHub Copilot
    "encrypted_content",
}
"""Keys whose content is read, or says nothing to a reader."""

USAGE = frozenset(USAGE_KEYS)

BESIDE_DELTA = frozenset((*REASONING_KEYS, "tool_calls", "function_call", "images"))
"""Keys of a delta that a few servers put beside it."""

THOUGHT_KEYS = frozenset((*REASONING_KEYS, "reasoning_details", "thinking_blocks"))

WHOLE_KEYS = frozenset(("content", "tool_calls", "function_call"))
"""Keys of a complete message that are compared with what its pieces have said."""
