"""Messages of a request as a file: OpenAI messages, or a line of training data. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgbook.messages import Message
from msgbook_format import jsontext

FORMS = {".json": "openai-messages", ".jsonl": "openai-jsonl"}
"""Forms by the ending of a file's name."""


def openai_text(messages: Sequence[Message], tools: Sequence[dict[str, Any]], form: str) -> str:
    """Return the text of a file, which ends with a line end.

    Args:
        form: One of `FORMS`.
        tools: Schemas of the tools that the messages call, for a line of training data.
    """
    if form == "openai-messages":
        text = json.dumps(list(messages), ensure_ascii=False, indent=2)
        return jsontext.encodable(text) + "\n"
    line = {"messages": list(messages), **({"tools": list(tools)} if tools else {})}
    return jsontext.encodable(json.dumps(line, ensure_ascii=False)) + "\n"
