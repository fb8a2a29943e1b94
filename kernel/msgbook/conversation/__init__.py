"""A prompt becomes a request: who answers, what the prompt brings, what stands above it."""

from msgbook.conversation.answerer import Answerer, Answerers
from msgbook.conversation.conversation import Conversation, Prepared
from msgbook.conversation.means import UNKNOWN_MODEL, Means, PreviewMeans, TurnMeans
from msgbook.conversation.sendable import (
    oddities,
    prompt_of,
    require_sendable,
)
from msgbook.conversation.window import overflow, require_room

__all__ = [
    "UNKNOWN_MODEL",
    "Answerer",
    "Answerers",
    "Conversation",
    "Means",
    "Prepared",
    "PreviewMeans",
    "TurnMeans",
    "oddities",
    "overflow",
    "prompt_of",
    "require_room",
    "require_sendable",
]
