"""The finish reasons of incomplete turns, with their words for a reader.

A finish reason that is not listed here is shown as the provider wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

LimitReason = Literal["max_steps", "budget", "repeated_failure"]

COMPLETE_REASONS = ("stop", "tool_calls")
"""Reasons of an answer that is complete. After any other one, known or not, the turn is not done."""

PROVIDER_REASONS: Mapping[str, str] = {
    "length": "the answer reached the length limit",
    "content_filter": "the provider's content filter stopped the answer",
    "insufficient_system_resource": "the provider was short of resources",
    "incomplete": "the provider ended the answer early",
}
"""Words by the reason that a provider gives for an answer it cut short; the third is DeepSeek's, and the
last stands for a response that is incomplete for another reason, or none."""

LIMIT_REASONS: Mapping[str, str] = {
    "max_steps": "the limit of model calls was reached",
    "budget": "the budget was used up",
    "repeated_failure": "the same call was made too often",
}
"""Words by the limit of the turn that was reached."""

FINISH_REASONS: Mapping[str, str] = {**PROVIDER_REASONS, **LIMIT_REASONS}
