"""What OpenAI asks of a request to the Responses API, and the same request in the form of chat.

Each rule refuses in OpenAI's words as far as they are known. Other servers make messages of the items,
which is why the output of a call comes before the next message of a user.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

Item = dict[str, Any]

CALL_ID_LIMIT = 64
_OUR_KEYS = {
    "message": {"type", "id", "role", "status", "content", "phase"},
    "reasoning": {"type", "id", "status", "summary", "content", "encrypted_content"},
    "function_call": {"type", "id", "status", "call_id", "name", "arguments", "namespace"},
    "function_call_output": {"type", "id", "status", "call_id", "output"},
}
_ID_BEGINS = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
_ROLES = ("assistant", "system", "developer", "user")
_SERVERS_STATE = ("previous_response_id", "conversation", "background", "prompt")


class InvalidRequestError(Exception):
    """A request that is refused.

    Args:
        param: The part of the request that is wrong.
    """

    def __init__(self, param: str, message: str) -> None:
        super().__init__(message)
        self.param = param

    def body(self) -> dict[str, Any]:
        """Return the body of the answer, as OpenAI sends it with status 400."""
        told = {"message": str(self), "type": "invalid_request_error"}
        return {"error": {**told, "param": self.param, "code": None}}


def check_request(body: dict[str, Any]) -> None:
    """Raise `InvalidRequestError` if OpenAI would refuse the request, or keep anything of it."""
    for key in body:
        if key not in _known_keys():
            raise InvalidRequestError(key, f"Unknown parameter: '{key}'.")
    for key in _SERVERS_STATE:
        if body.get(key):
            raise InvalidRequestError(
                key, f"'{key}' makes the server the memory of the conversation."
            )
    if body.get("store") is not False:
        raise InvalidRequestError("store", "'store' has to be false.")
    if not isinstance(body.get("model"), str):
        raise InvalidRequestError("model", "Missing required parameter: 'model'.")
    if not isinstance(body.get("instructions", ""), str):
        raise InvalidRequestError(
            "instructions", "Invalid type for 'instructions': expected a string."
        )
    for key in body.get("stream_options", {}):
        if key != "include_obfuscation":
            raise InvalidRequestError(
                "stream_options", f"Unknown parameter: 'stream_options.{key}'."
            )
    for number, tool in enumerate(body.get("tools", ())):
        _check_tool(f"tools[{number}]", tool)
    if not isinstance(body.get("input"), str | list):
        raise InvalidRequestError("input", "Missing required parameter: 'input'.")
    # A text stands for one message of the user.
    if isinstance(body["input"], list):
        _check_items(body["input"])
    json.dumps(body, ensure_ascii=False).encode("utf-8")


def _check_tool(where: str, tool: dict[str, Any]) -> None:
    for key in ("type", "name", "parameters", "strict"):
        if key not in tool:
            raise InvalidRequestError(where, f"Missing required parameter: '{where}.{key}'.")
    if set(tool) - {"type", "name", "parameters", "strict", "description"}:
        raise InvalidRequestError(where, f"Unknown parameter in '{where}': {sorted(tool)}.")


def _check_items(items: list[Item]) -> None:
    waiting: list[str] = []
    ids: set[str] = set()
    for number, item in enumerate(items):
        where, kind = f"input[{number}]", item.get("type", "message")
        for words in _wrong_keys(kind, item):
            raise InvalidRequestError(where, f"{words} in '{where}'.")
        if (item_id := item.get("id")) is not None:
            if item_id in ids:
                raise InvalidRequestError("input", f"Duplicate item found with id {item_id}.")
            ids.add(item_id)
        if kind == "message":
            _check_message(where, item)
            if waiting and item["role"] != "assistant":
                raise InvalidRequestError(
                    "input", f"No tool output found for function call {waiting[0]}."
                )
        elif kind == "reasoning":
            _check_reasoning(where, item, items[number + 1 : number + 2])
        elif kind == "function_call":
            _check_call(where, item)
            if item["call_id"] in waiting:
                raise InvalidRequestError(
                    "input", f"Two calls at once have the call_id {item['call_id']}."
                )
            waiting.append(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in waiting:
                words = "No tool call found for function call output with call_id"
                raise InvalidRequestError("input", f"{words} {item['call_id']}.")
            waiting.remove(item["call_id"])
            _check_content(f"{where}.output", item["output"], "input_", may_be_empty=True)
    if waiting:
        raise InvalidRequestError("input", f"No tool output found for function call {waiting[0]}.")


def _wrong_keys(kind: str, item: Item) -> Iterator[str]:
    if kind not in _known_types():
        yield f"Invalid value: '{kind}'"
    for key in sorted(set(item) - _OUR_KEYS.get(kind, set(item))):
        yield f"Unknown parameter: '{key}'"
    begins = _ID_BEGINS.get(kind, "")
    if "id" in item and not str(item["id"]).startswith(begins):
        yield f"Invalid id: '{item['id']}'. Expected an ID that begins with '{begins}'"


def _check_message(where: str, item: Item) -> None:
    if item.get("role") not in _ROLES:
        raise InvalidRequestError(f"{where}.role", f"Invalid value: '{item.get('role')}'.")
    begins = "output_" if item["role"] == "assistant" else "input_"
    _check_content(f"{where}.content", item.get("content"), begins)


def _check_content(where: str, content: Any, begins: str, may_be_empty: bool = False) -> None:
    """Raise unless content is a text or a list of parts whose types begin so."""
    if isinstance(content, str):
        if not (content.strip() or may_be_empty):
            raise InvalidRequestError(where, f"'{where}' has no content.")
        return
    if not isinstance(content, list) or not (content or may_be_empty):
        raise InvalidRequestError(where, f"Invalid type for '{where}': {type(content).__name__}.")
    for part in content:
        kind = part.get("type", "")
        if not (kind.startswith(begins) or (kind == "refusal" and begins == "output_")):
            raise InvalidRequestError(where, f"Invalid value: '{kind}' in '{where}'.")
        keys = {"input_image": "image_url", "input_file": "file_data", "refusal": "refusal"}
        key = keys.get(kind, "text")
        if not isinstance(part.get(key), str):
            raise InvalidRequestError(where, f"Missing required parameter: '{where}.{key}'.")


def _check_reasoning(where: str, item: Item, following: list[Item]) -> None:
    if not isinstance(item.get("summary"), list):
        raise InvalidRequestError(where, f"Missing required parameter: '{where}.summary'.")
    if not (item.get("encrypted_content") or item.get("content")):
        raise InvalidRequestError(
            where, f"Item with id '{item.get('id')}' not found: nothing is stored."
        )
    after = following[0] if following else {"type": "function_call_output"}
    if after.get("type") == "function_call_output" or after.get("role", "assistant") != "assistant":
        words = "of type 'reasoning' was provided without its required following item."
        raise InvalidRequestError("input", f"Item '{item.get('id')}' {words}")


def _check_call(where: str, item: Item) -> None:
    call_id, name = item.get("call_id"), item.get("name")
    if not isinstance(call_id, str) or not call_id:
        raise InvalidRequestError(where, f"Missing required parameter: '{where}.call_id'.")
    if len(call_id) > CALL_ID_LIMIT:
        words = f"string too long. Expected a string with maximum length {CALL_ID_LIMIT}"
        raise InvalidRequestError(where, f"Invalid '{where}.call_id': {words}.")
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z0-9_-]{1,64}", name):
        raise InvalidRequestError(where, f"Invalid '{where}.name': string does not match pattern.")
    if not isinstance(json.loads(item["arguments"]), dict):
        raise InvalidRequestError(where, f"Invalid '{where}.arguments': expected a JSON object.")


@cache
def _known_keys() -> frozenset[str]:
    from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

    return frozenset(ResponseCreateParamsStreaming.__annotations__)


@cache
def _known_types() -> frozenset[str]:
    """Return the types of items that OpenAI knows."""
    from openai.types.responses import response_input_item_param as param

    kinds = typing.get_args(param.ResponseInputItemParam)
    hints = (typing.get_type_hints(kind).get("type") for kind in kinds)
    return frozenset(word for hint in hints for word in typing.get_args(hint))
