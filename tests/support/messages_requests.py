"""What Anthropic asks of a request to the Messages API.

Each rule refuses in Anthropic's words as far as they are known. Where versions of the API differ, the
stricter one counts. Messages of one role that follow each other are one message, as the API has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from messages_blocks import check_block
from messages_refused import RefusedError, require
from messages_tools import check_tools

Block = dict[str, Any]

KEYS = frozenset(
    [
        "cache_control",
        "container",
        "diagnostics",
        "inference_geo",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "output_config",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
        "user_profile_id",
    ]
)
"""Keys of a request: those of the SDK, and those for older models, which the SDK has dropped."""

MOST_MARKS = 4
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_MOST_BYTES = 32 * 2**20
_ROLES = ("user", "assistant")
_THINKS = ("thinking", "redacted_thinking")


@dataclass(frozen=True)
class Model:
    """What one model takes."""

    window: int = 10**9
    longest: int = 10**9
    """Greatest `max_tokens`."""
    has_budget: bool = True
    is_adaptive: bool = True
    """Whether it takes adaptive thinking, and an effort."""
    samples: bool = True
    """Whether it takes a temperature and the like."""
    can_go_on: bool = True
    """Whether the last message may be one of the assistant, which goes on."""


OLDER, NEWER = "claude-haiku-4-5", "claude-opus-5-5"
MODELS = {
    OLDER: Model(200_000, 64_000, is_adaptive=False),
    NEWER: Model(1_000_000, 128_000, has_budget=False, samples=False, can_go_on=False),
}
"""Models with rules of their own; any other takes whatever any of them takes."""


def check_messages(body: dict[str, Any]) -> None:
    """Raise `RefusedError` if Anthropic would refuse the request."""
    for key in body:
        require(key in KEYS, f"{key}: Extra inputs are not permitted")
    require(isinstance(body.get("model"), str), "model: Field required")
    model = MODELS.get(body["model"], Model())
    size = len(json.dumps(body, ensure_ascii=False).encode("utf-8"))
    if size > _MOST_BYTES:
        raise RefusedError("Request exceeds the maximum size", status=413)
    _check_length(body, model)
    _check_sampling(body, model)
    _check_thinking(body, model)
    check_tools(body)
    _check_system(body.get("system", ""))
    messages = body.get("messages")
    require(isinstance(messages, list), "messages: Field required")
    _check_messages(body, messages, model)
    _check_marks(body)
    needed = tokens_of(body)
    words = f"prompt is too long: {needed} tokens > {model.window} maximum"
    require(needed <= model.window, words)


def tokens_of(value: Any) -> int:
    """Return about how many tokens a part of a request has: one for each four characters of its JSON."""
    return len(json.dumps(value, ensure_ascii=False)) // 4


def merged(messages: list[dict[str, Any]]) -> list[tuple[str, list[Block]]]:
    """Return the messages as the API sees them: roles alternate, and all content is blocks."""
    found: list[tuple[str, list[Block]]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if found and found[-1][0] == message["role"]:
            found[-1][1].extend(blocks)
        else:
            found.append((message["role"], list(blocks)))
    return found


def _check_length(body: dict[str, Any], model: Model) -> None:
    require("max_tokens" in body, "max_tokens: Field required")
    longest = body["max_tokens"]
    require(type(longest) is int, "max_tokens: Input should be a valid integer")
    require(longest >= 1, "max_tokens: Input should be greater than or equal to 1")
    words = f"max_tokens: {longest} > {model.longest}, which is the maximum allowed number of output tokens"
    require(longest <= model.longest, f"{words} for {body['model']}")


def _check_sampling(body: dict[str, Any], model: Model) -> None:
    for key in ("temperature", "top_p", "top_k"):
        if key in body:
            require(model.samples, f"`{key}` is deprecated for this model.")
            require(type(body[key]) in (int, float), f"{key}: Input should be a valid number")
    require(0 <= body.get("temperature", 0) <= 1, "temperature: range: 0..1")
    words = (
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    )
    require(not {"temperature", "top_p"} <= body.keys(), words)
    for word in body.get("stop_sequences", ()):
        require(word.strip(), "stop_sequences: each stop sequence must contain non-whitespace")


def _check_thinking(body: dict[str, Any], model: Model) -> None:
    output = body.get("output_config", {})
    require(set(output) <= {"effort", "format"}, "output_config: Extra inputs are not permitted")
    if "effort" in output:
        require(model.is_adaptive, "This model does not support the effort parameter.")
        require(output["effort"] in _EFFORTS, f"output_config.effort: Input should be {_EFFORTS}")
    thinking = body.get("thinking")
    if thinking is None:
        return
    kind, budget = thinking.get("type"), thinking.get("budget_tokens")
    if kind == "enabled":
        words = (
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"'
        )
        require(
            model.has_budget, f'{words} and "output_config.effort" to control thinking behavior.'
        )
        require(type(budget) is int, "thinking.enabled.budget_tokens: Field required")
        words = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        require(budget >= 1024, words)
        words = "`max_tokens` must be greater than `thinking.budget_tokens`."
        require(budget < body["max_tokens"], words)
    elif kind == "adaptive":
        require(model.is_adaptive, "adaptive thinking is not supported on this model")
    words = "thinking: Input tag does not match any of the expected tags"
    require(kind in ("enabled", "adaptive", "disabled", "between_tools"), words)
    keys = {"enabled": {"type", "budget_tokens", "display"}, "adaptive": {"type", "display"}}
    require(set(thinking) <= keys.get(kind, {"type"}), f"thinking.{kind}: Extra inputs")
    if kind in keys:
        words = "`temperature` may only be set to 1 when thinking is enabled."
        require(body.get("temperature", 1) == 1, words)
        require("top_k" not in body, "`top_k` must be unset when thinking is enabled.")
        words = "Thinking may not be enabled when tool_choice forces tool use."
        require(body.get("tool_choice", {}).get("type") not in ("any", "tool"), words)


def _check_system(system: Any) -> None:
    if isinstance(system, str):
        return
    require(isinstance(system, list), "system: Input should be a valid string")
    for number, block in enumerate(system):
        require(block.get("type") == "text", f"system.{number}.type: Input should be 'text'")
        check_block(f"system.{number}", block, "user", "")


def _check_messages(body: dict[str, Any], messages: list[dict[str, Any]], model: Model) -> None:
    require(messages, "messages: at least one message is required")
    for number, message in enumerate(messages):
        where, role = f"messages.{number}", message.get("role")
        require(role in _ROLES, f'messages: Unexpected role "{role}".')
        words = f"{where}: Extra inputs are not permitted"
        require(message.keys() == {"role", "content"}, words)
        content = message["content"]
        words = "all messages must have non-empty content except for the optional final assistant"
        require(content, f"{where}: {words} message")
        if isinstance(content, str):
            check_block(f"{where}.content.0", {"type": "text", "text": content}, role, "")
            continue
        require(isinstance(content, list), f"{where}.content: Input should be a valid list")
        for place, block in enumerate(content):
            check_block(f"{where}.content.{place}", block, role, body["model"])
    require(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
    turns = merged(messages)
    _check_calls(turns)
    _check_server_calls(turns)
    _check_thoughts(body, turns)
    _check_last(turns[-1], model)


def _check_calls(turns: list[tuple[str, list[Block]]]) -> None:
    """Raise unless calls end their message, and the next one begins with the result of each."""
    known: set[str] = set()
    waiting: list[str] = []
    for number, (_, blocks) in enumerate([*turns, ("user", [])]):
        _check_results(number, blocks, waiting)
        first = _ids(blocks[: len(waiting)], "tool_result", "tool_use_id")
        missing = [call_id for call_id in waiting if call_id not in first]
        require(not missing, f"messages.{number - 1}: {_no_results(missing)}")
        waiting = _ids(blocks, "tool_use", "id")
        last = _ids(blocks[len(blocks) - len(waiting) :], "tool_use", "id")
        require(last == waiting, f"messages.{number}: {_no_results(waiting)}")
        repeated = known.intersection(waiting) or len(set(waiting)) < len(waiting)
        require(not repeated, "messages: `tool_use` ids must be unique")
        known.update(waiting)


def _check_results(number: int, blocks: list[Block], waiting: list[str]) -> None:
    results = _ids(blocks, "tool_result", "tool_use_id")
    for place, call_id in enumerate(results):
        where = f"messages.{number}.content.{place}"
        require(
            call_id in waiting,
            f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. Each"
            " `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        )
        words = (
            "each tool_use must have a single result. Found multiple `tool_result` blocks with id"
        )
        require(results.count(call_id) == 1, f"{where}: {words}: {call_id}")


def _no_results(call_ids: list[str]) -> str:
    return (
        f"`tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(call_ids)}."
        " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _ids(blocks: list[Block], kind: str, key: str) -> list[str]:
    return [block[key] for block in blocks if block["type"] == kind]


def _check_server_calls(turns: list[tuple[str, list[Block]]]) -> None:
    for number, (_, blocks) in enumerate(turns):
        open_calls: dict[str, str] = {}
        for place, block in enumerate(blocks):
            kind = block["type"]
            if kind == "server_tool_use":
                open_calls[block["id"]] = block["name"]
            elif kind.endswith("_tool_result"):
                words = f"messages.{number}.content.{place}: unexpected `tool_use_id` found in `{kind}` blocks"
                found = open_calls.pop(block["tool_use_id"], None)
                require(
                    found, f"{words}: must have a corresponding `server_tool_use` block before it."
                )
        for call_id, name in open_calls.items():
            words = f"`{name}` tool use with id `{call_id}` was found without a corresponding"
            is_last = number == len(turns) - 1
            require(is_last, f"messages.{number}: {words} `{name}_tool_result` block")


def _check_thoughts(body: dict[str, Any], turns: list[tuple[str, list[Block]]]) -> None:
    """Raise unless thinking comes first, and stands before the calls whose results are sent now.

    It may also come after what the server did itself.
    """
    for number, (_, blocks) in enumerate(turns):
        kinds = [block["type"] for block in blocks]
        own = [place for place, kind in enumerate(kinds) if kind.startswith("server_")]
        kinds = kinds[: min(own, default=len(kinds))] or kinds
        if any(kind in _THINKS for kind in kinds):
            require(kinds[0] in _THINKS, f"messages.{number}.content.0.type: {_expected(kinds[0])}")
    if (body.get("thinking") or {}).get("type") != "enabled" or len(turns) < 2:
        return
    answer, last = turns[-2][1], turns[-1][1]
    if any(block["type"] == "tool_result" for block in last):
        kind = answer[0]["type"]
        require(kind in _THINKS, f"messages.{len(turns) - 2}.content.0.type: {_expected(kind)}")


def _expected(found: str) -> str:
    return (
        f"Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a"
        " final `assistant` message must start with a thinking block (preceeding the lastmost set of"
        " `tool_use` and `tool_result` blocks)."
    )


def _check_last(last: tuple[str, list[Block]], model: Model) -> None:
    role, blocks = last
    if role == "user":
        return
    is_paused = any(block["type"] == "server_tool_use" for block in blocks)
    words = "This model does not support assistant message prefill. The conversation must end with a user"
    require(model.can_go_on or is_paused, f"{words} message.")
    words = "messages: final assistant content cannot end with trailing whitespace"
    text = blocks[-1].get("text", "")
    require(text == text.rstrip() or is_paused, words)


def _check_marks(body: dict[str, Any]) -> None:
    found = list(marks(body))
    words = "A maximum of 4 blocks with cache_control may be provided."
    require(len(found) <= MOST_MARKS, f"{words} Found {len(found)}.")
    times = [mark.get("ttl", "5m") for mark in found]
    for mark in found:
        is_known = mark.get("type") == "ephemeral" and set(mark) <= {"type", "ttl"}
        require(is_known and mark.get("ttl", "5m") in ("5m", "1h"), f"cache_control: {mark}")
    words = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
    require(not re.search("5m.*1h", " ".join(times)), words)


def marks(value: Any) -> Iterator[dict[str, Any]]:
    """Yield each `cache_control` of a request in the order in which the API reads it."""
    for part in (value.get("tools"), value.get("system"), value.get("messages"), [value]):
        for block in part if isinstance(part, list) else ():
            if block.get("cache_control"):
                yield block["cache_control"]
            if block is not value and isinstance(block.get("content"), list):
                yield from marks({"messages": block["content"]})
