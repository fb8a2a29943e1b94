"""A prompt becomes a request: who answers, what the prompt brings, what stands above it."""

from msgbook.request.active_agent import ActiveAgent, ActiveAgents
from msgbook.request.builder import Conversation, PreparedRequest
from msgbook.request.context_window import overflow, require_room
from msgbook.request.prompt_checks import (
    oddities,
    prompt_of,
    require_sendable,
)
from msgbook.request.services import UNKNOWN_MODEL, PreviewServices, RequestServices, TurnServices

__all__ = [
    "UNKNOWN_MODEL",
    "ActiveAgent",
    "ActiveAgents",
    "Conversation",
    "PreparedRequest",
    "PreviewServices",
    "RequestServices",
    "TurnServices",
    "oddities",
    "overflow",
    "prompt_of",
    "require_room",
    "require_sendable",
]
