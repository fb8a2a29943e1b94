"""A request to the Responses API in the form of chat, so that a test looks at both in the same way."""

from __future__ import annotations

from typing import Any

Message = dict[str, Any]


def chat_messages(body: dict[str, Any]) -> list[Message]:
    """Return the messages of a request to either API."""
    if "input" not in body:
        found: list[Message] = body["messages"]
        return found
    messages: list[Message] = []
    if instructions := body.get("instructions"):
        messages.append({"role": "system", "content": instructions})
    open_answer: Message | None = None
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "function_call_output":
            open_answer = None
            content = _content(item["output"])
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": content})
        elif kind == "message" and item["role"] != "assistant":
            open_answer = None
            messages.append({"role": item["role"], "content": _content(item["content"])})
        else:
            if open_answer is None or (kind == "message" and open_answer["content"]):
                open_answer = {"role": "assistant", "content": None}
                messages.append(open_answer)
            _add(open_answer, kind, item)
    return messages


def _add(answer: Message, kind: str, item: dict[str, Any]) -> None:
    """Add an output item to the message of its answer."""
    if kind == "message":
        answer["content"] = _content(item["content"])
    elif kind == "reasoning":
        parts = [*item["summary"], *item.get("content", ())]
        answer["reasoning_content"] = "".join(part["text"] for part in parts)
    elif kind == "function_call":
        function = {"name": item["name"], "arguments": item["arguments"]}
        call = {"id": item["call_id"], "type": "function", "function": function}
        answer.setdefault("tool_calls", []).append(call)


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    parts = [_part(part) for part in content]
    if all(part["type"].startswith(("output_", "refusal")) for part in content):
        return "".join(part["text"] for part in parts)
    return parts


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == "input_image":
        return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    if part["type"] == "input_file":
        return {"type": "file", "file": {key: part[key] for key in ("filename", "file_data")}}
    return {"type": "text", "text": part.get("text", part.get("refusal"))}
