"""What tests of `tests/test_faces.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

FACES = [
    "msgbook.agents",
    "msgbook.approval",
    "msgbook.config",
    "msgbook.notebook",
    "msgbook.extras.other_chats",
    "msgbook.provider",
    "msgbook.request",
    "msgbook.request.history",
    "msgbook.tools",
    "msgbook.turn",
    "msgbook_format.extras.agent_context",
    "msgbook_format.agents",
    "msgbook_format.cells",
    "msgbook_format.document",
    "msgbook_format.files",
    "msgbook_format.outputs",
    "msgbook_format.syntax",
]
