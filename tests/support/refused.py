"""Requests that servers refuse in part, and the words they refuse them with."""

from __future__ import annotations

from msgbook.config import ProviderSettings
from msgbook.messages import user
from msgbook.provider.failures import Failures, RefusedError

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
SEEN = user([{"type": "text", "text": "what is this?"}, PICTURE])
TOOL = {"type": "function", "function": {"name": "read", "parameters": {}}}
OPTIONS = {"temperature": 0.2, "reasoning_effort": "low"}


def refusal(status: int, body: object) -> RefusedError:
    """As a server's answer is told."""
    made = Failures(ProviderSettings("p"), ()).from_status("BadRequestError", status, {}, body, "m")
    assert isinstance(made, RefusedError)
    return made


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}
