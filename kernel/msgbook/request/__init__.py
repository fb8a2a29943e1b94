"""A prompt becomes a request: who answers, what the prompt brings, what stands above it."""

from msgbook.request.active_agent import ActiveAgent, AgentChooser
from msgbook.request.builder import PreparedRequest, RequestBuilder
from msgbook.request.context_window import check_context_window, describe_overflow
from msgbook.request.prompt_checks import (
    check_prompt,
    list_prompt_warnings,
    read_prompt,
)
from msgbook.request.services import UNKNOWN_MODEL, PreviewServices, RequestServices, TurnServices

__all__ = [
    "UNKNOWN_MODEL",
    "ActiveAgent",
    "AgentChooser",
    "PreparedRequest",
    "PreviewServices",
    "RequestBuilder",
    "RequestServices",
    "TurnServices",
    "check_context_window",
    "check_prompt",
    "describe_overflow",
    "list_prompt_warnings",
    "read_prompt",
]
