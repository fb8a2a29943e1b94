"""What Anthropic asks of the tools of a request."""

from __future__ import annotations

import re
from typing import Any

from messages_refused import require, require_keys

TOOL_NAME = r"[a-zA-Z0-9_-]{1,128}"
_PROPERTY = r"[a-zA-Z0-9_.-]{1,64}"
_OWN_KEYS = """type cache_control description allowed_callers defer_loading eager_input_streaming input_examples
strict"""
_SERVER_KEYS = """cache_control allowed_callers allowed_domains blocked_domains citations defer_loading
max_content_tokens max_uses response_inclusion strict use_cache user_location"""
_SERVER_TOOLS = re.compile(
    r"(web_search_(20250305|20260209|20260318)|web_fetch_(20250910|20260209|20260309|20260318)"
    r"|code_execution_(20250522|20250825|20260120|20260521)|tool_search_tool_(bm25|regex)_20251119)"
)


def check_tools(body: dict[str, Any]) -> None:
    """Raise `RefusedError` if the tools of a request are wrong, or the choice between them."""
    tools = body.get("tools", [])
    require(isinstance(tools, list), "tools: Input should be a valid list")
    for number, tool in enumerate(tools):
        kind = tool.get("type", "custom")
        if kind == "custom":
            _check_own(f"tools.{number}.custom", tool)
        else:
            words = (
                f"tools.{number}: Input tag '{kind}' found using 'type' does not match any of the"
            )
            require(_SERVER_TOOLS.fullmatch(kind), f"{words} expected tags")
            name = re.sub(r"_\d+$", "", kind)
            require(tool.get("name") == name, f"tools.{number}.{kind}.name: should be '{name}'")
            require_keys(f"tools.{number}.{kind}", tool, "type name", _SERVER_KEYS)
    names = [tool["name"] for tool in tools]
    require(len(set(names)) == len(names), "tools: Tool names must be unique.")
    if choice := body.get("tool_choice"):
        require(tools, "tool_choice: may only be specified while providing tools")
        kind = choice.get("type")
        require(
            kind in ("auto", "any", "tool", "none"), "tool_choice: does not match any of the tags"
        )
        if kind == "tool":
            words = f"Tool '{choice.get('name')}' not found in provided tools"
            require(choice.get("name") in names, words)
        keys = {"tool": "type name", "none": "type"}.get(kind, "type")
        more = "" if kind == "none" else "disable_parallel_tool_use"
        require_keys(f"tool_choice.{kind}", choice, keys, more)


def _check_own(where: str, tool: dict[str, Any]) -> None:
    require_keys(where, tool, "name input_schema", _OWN_KEYS)
    words = f"{where}.name: String should match pattern '^{TOOL_NAME}$'"
    require(isinstance(tool["name"], str) and re.fullmatch(TOOL_NAME, tool["name"]), words)
    description = tool.get("description", "")
    require(isinstance(description, str), f"{where}.description: Input should be a valid string")
    schema = tool["input_schema"]
    words = f"{where}.input_schema.type: Input should be 'object'"
    require(isinstance(schema, dict) and schema.get("type") == "object", words)
    words = "input_schema does not support oneOf, allOf, or anyOf at the top level"
    require(not {"oneOf", "allOf", "anyOf"} & schema.keys(), f"{where}.input_schema: {words}")
    for key in schema.get("properties", {}):
        words = (
            f"{where}.input_schema.properties: Property keys should match pattern '^{_PROPERTY}$'"
        )
        require(re.fullmatch(_PROPERTY, key), words)
