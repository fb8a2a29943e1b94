"""Requests that servers refuse in part, and the words they refuse them with."""

from __future__ import annotations

from msgbook.config import ProviderSettings
from msgbook.messages import OUTPUT_ITEMS, assistant, document_part, user
from msgbook.provider import Request, turn_options
from msgbook.provider.failures import Failures, RefusedError
from msgbook.provider.refused_media import Adaptation
from msgbook.provider.request_quirks import find_adaptations

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
SEEN = user([{"type": "text", "text": "what is this?"}, PICTURE])
TOOL = {"type": "function", "function": {"name": "read", "parameters": {}}}
OPTIONS = {"temperature": 0.2, "reasoning_effort": "low"}
DOCUMENT = document_part("a.pdf", "data:application/pdf;base64,AA==")
READ = user([{"type": "text", "text": "read"}, DOCUMENT])
ITEM = {"type": "reasoning", "id": "rs_1", "encrypted_content": "AAA", "summary": []}
REASONED = assistant("Hello") | {OUTPUT_ITEMS: [ITEM, {"type": "message", "phase": "x"}]}
TURN = dict(turn_options("responses"))
REASONED_CHAT = assistant("Hello") | {"reasoning_content": "I think"}


def refusal(status: int, body: object) -> RefusedError:
    """As a server's answer is told."""
    made = Failures(ProviderSettings("p"), ()).from_status("BadRequestError", status, {}, body, "m")
    assert isinstance(made, RefusedError)
    return made


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


def find_adaptation(said: RefusedError, request: Request) -> Adaptation | None:
    return next(find_adaptations(said, request), None)


def adapted(status: int, body: object, request: Request) -> Request | None:
    found = find_adaptation(refusal(status, body), request)
    return None if found is None else found.change(request)
