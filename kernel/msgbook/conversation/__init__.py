"""A prompt becomes a request: who answers, what the prompt brings, what stands above it."""

from msgbook.conversation.answerer import Answerer, Answerers
from msgbook.conversation.conversation import Conversation, Prepared
from msgbook.conversation.means import UNKNOWN_MODEL, Means, PreviewMeans, TurnMeans
from msgbook.conversation.sendable import odd_attributes, prompt_of, require_sendable
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
    "odd_attributes",
    "overflow",
    "prompt_of",
    "require_room",
    "require_sendable",
]
