"""Messages of the OpenAI chat API as a chat, from a list or an object that holds one, and as a file. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgbook.extras.other_chats import fields
from msgbook.extras.other_chats.chat import (
    ChatMessage,
    Images,
    OtherChat,
    Role,
    call_block,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook.messages import Message
from msgbook_format import jsontext
from msgbook_format.turn import image_url

FORM = "openai-messages"

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_REASONING = ("reasoning_content", "reasoning")
_KNOWN = ("role", "content", "tool_calls", "tool_call_id", "refusal", "function_call")

_Json = dict[str, Any]


def read_conversation(value: _Json | list[Any], where: str = "") -> OtherChat:
    """Return the chat of a list of messages, or of an object with the key `messages`.

    Raises:
        BadChatError: A value has another type than the API says.
    """
    chat = OtherChat(FORM)
    if isinstance(value, dict):
        messages = fields.list_in(value, "messages", where)
        where = f"{where}.messages" if where else "messages"
        # Tools, model and options of a request, or of a line of training data.
        chat.kept = fields.without(value, ("messages",))
    else:
        messages = value
    for number, message in enumerate(messages):
        place = f"{where}[{number}]"
        chat.messages.append(_message(fields.require(message, dict, place), place, chat))
    return chat


def _message(message: _Json, where: str, chat: OtherChat) -> ChatMessage:
    role = message.get("role")
    if role not in _ROLES:
        raise fields.BadChatError(
            f"{where}.role", f"one of {', '.join(_ROLES)}", fields.shown(role)
        )
    kept = fields.without(message, _KNOWN)
    content = message.get("content")
    if role == "developer":
        kept["role"] = role
    if role in ("system", "developer", "user"):
        images = Images(chat.findings)
        text = _text(content, f"{where}.content", images, chat)
        said: Role = "user" if role == "user" else "system"
        return ChatMessage(said, text, images=images.files, kept=kept)
    if role == "assistant":
        blocks = list(_assistant_blocks(message, where, chat))
        for key in _REASONING:
            kept.pop(key, None) if isinstance(kept.get(key), str) else None
        return ChatMessage("assistant", blocks=blocks, kept=kept)
    call_id = fields.text_in(message, "tool_call_id", where)
    if role == "function":
        call_id = fields.text_in(message, "name", where)
    return ChatMessage(
        "assistant", blocks=[result_block(call_id, _result(content, where, chat))], kept=kept
    )


def _assistant_blocks(message: _Json, where: str, chat: OtherChat) -> Any:
    for key in _REASONING:
        if isinstance(message.get(key), str) and message[key]:
            yield reasoning_block(message[key])
            break
    text = _text(message.get("content"), f"{where}.content", Images(chat.findings), chat)
    if text:
        yield text_block(text)
    refusal = fields.text_in(message, "refusal", where)
    if refusal:
        yield {**text_block(refusal), "refusal": True}
    calls = fields.list_in(message, "tool_calls", where)
    for number, call in enumerate(calls):
        place = f"{where}.tool_calls[{number}]"
        fields.require(call, dict, place)
        function = fields.dict_in(call, "function", place)
        custom = fields.dict_in(call, "custom", place)
        if custom:
            # A tool that takes text instead of JSON.
            text = fields.text_in(custom, "input", f"{place}.custom")
            function = {"name": custom.get("name"), "arguments": json.dumps({"input": text})}
        yield _call(fields.text_in(call, "id", place), function, f"{place}.function")
    old = fields.dict_in(message, "function_call", where)
    if old:
        yield _call(fields.text_in(old, "name", where), old, f"{where}.function_call")
    if not (text or refusal or calls or old or any(message.get(key) for key in _REASONING)):
        yield text_block("")


def _call(call_id: str, function: _Json, where: str) -> _Json:
    arguments = function.get("arguments")
    if isinstance(arguments, (dict, list)):
        arguments = json.dumps(arguments, ensure_ascii=False)
    elif arguments is not None:
        fields.require(arguments, str, f"{where}.arguments")
    return call_block(call_id, fields.text_in(function, "name", where), arguments or "")


def _text(content: Any, where: str, images: Images, chat: OtherChat) -> str:
    """Return the text of a content: a text, or parts."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for number, part in enumerate(fields.require(content, list, where)):
        place = f"{where}[{number}]"
        match part:
            case str(text) | {"text": str(text)} | {"refusal": str(text)}:
                texts.append(text)
                continue
        fields.require(part, dict, place)
        url = image_url(part)
        if url is not None:
            texts.append(images.markdown(url))
        else:
            kind = fields.shown(part.get("type"))
            chat.findings.append(f"content of the type {kind} is not in the text")
            chat.kept.setdefault("parts", {})[place] = part
    return "\n\n".join(filter(None, texts))


def _result(content: Any, where: str, chat: OtherChat) -> str | list[_Json]:
    if isinstance(content, list):
        return [
            {"type": "text", "text": part}
            if isinstance(part, str)
            else fields.require(part, dict, f"{where}.content[{number}]")
            for number, part in enumerate(content)
        ]
    return _text(content, f"{where}.content", Images(chat.findings), chat)


# Messages of a request as a file: OpenAI messages, or a line of training data. Pure.


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
