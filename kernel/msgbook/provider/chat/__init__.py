"""The chat API: `POST /chat/completions`."""

from __future__ import annotations

from msgbook.provider.chat.api import CHAT

__all__ = ["CHAT"]
