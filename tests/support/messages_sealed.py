"""What only Anthropic's servers can make: signatures and sealed contents, which tell by themselves whether they are whole."""

from __future__ import annotations

import base64
import hashlib


def signature_of(model: str, thinking: str) -> str:
    """Return the signature of a thinking block: it holds for this model and this text alone."""
    return "EqoB" + _encoded(_digest(model, thinking))


def sealed(model: str, hidden: str) -> str:
    """Return the `data` of a redacted thinking block, or any other encrypted content."""
    inside = hidden.encode("utf-8", "replace")
    return "EmwK" + _encoded(_digest(model, hidden)[:12] + inside)


def is_sealed(model: str, data: str) -> bool:
    """Return whether `sealed` made this for the model."""
    try:
        inside = base64.b64decode(data.removeprefix("EmwK"), validate=True)
        hidden = inside[12:].decode()
    except ValueError:
        return False
    return data == sealed(model, hidden)


def _digest(model: str, text: str) -> bytes:
    return hashlib.sha256(f"{model}\0{text}".encode("utf-8", "replace")).digest()


def _encoded(inside: bytes) -> str:
    return base64.b64encode(inside).decode()
