"""The shape of an AgentContext (seeds 000 and 001), as far as a notebook depends on it.

Unknown keys may hold anything, everywhere.
"""

from __future__ import annotations

from typing import Any

ROLES = ("system", "user", "assistant", "tool")


class BrokenContextError(ValueError):
    """A value that is no AgentContext. The message says what was found instead, and where."""


def require_context(value: Any) -> dict[str, Any]:
    """Return `value`, which is an AgentContext.

    Raises:
        BrokenContextError: It is none.
    """
    context: dict[str, Any] = _require(value, dict, "an object at the top")
    _require(context.get("metadata"), dict, "an object in `metadata`")
    messages = _require(context.get("context"), list, "a list of messages in `context`")
    for number, message in enumerate(messages):
        require_message(message, f"context[{number}]")
    return context


def require_message(message: Any, where: str) -> None:
    """Raise `BrokenContextError` unless `message` is an AgentMessage; `where` is its name."""
    _require(message, dict, f"an object in `{where}`")
    role = message.get("role")
    if role not in ROLES:
        found = repr(role)[:40] if isinstance(role, str) else _kind(role)
        raise BrokenContextError(
            f"expected one of {', '.join(ROLES)} in `{where}.role`, found {found}"
        )
    content = message.get("content")
    if content is not None:
        _require(content, (str, list, dict), f"a text or content parts in `{where}.content`")
    reasoning = message.get("reasoning_content")
    if reasoning is not None:
        _require(reasoning, str, f"a text in `{where}.reasoning_content`")
    calls = message.get("tool_calls")
    if calls is not None:
        _require(calls, list, f"a list in `{where}.tool_calls`")
        for number, call in enumerate(calls):
            _require(call, dict, f"an object in `{where}.tool_calls[{number}]`")


def is_message(message: Any, role: str) -> bool:
    """Return whether `message` is an AgentMessage of that role."""
    try:
        require_message(message, "")
    except BrokenContextError:
        return False
    return bool(message["role"] == role)


def _require(value: Any, kinds: type | tuple[type, ...], what: str) -> Any:
    if not isinstance(value, kinds):
        raise BrokenContextError(f"expected {what}, found {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return "nothing" if value is None else names.get(type(value), "a number")
