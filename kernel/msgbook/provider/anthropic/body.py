"""The body of a request of the Messages API. Pure.

What was sent before stays the beginning of what is sent next, and marks say where: the server keeps what stands before
a mark, and a request that begins like an earlier one costs a tenth. Marks stand at the end of the tools, of the system
prompt, of the latest message of the user that an earlier request ended with, and of this request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgbook.provider.anthropic.content import is_thought, sent_messages
from msgbook.provider.anthropic.models import (
    known_max_output,
    thinking_form,
    thinks_unasked,
)
from msgbook.provider.base import Request
from msgbook_format.typed import as_dict

CACHE = "cache_control"
"""Option that marks what the server keeps. In the API it stands at the places themselves."""

OPTIONS: Mapping[str, Any] = {CACHE: {"type": "ephemeral"}, "reasoning_summary": "auto"}
"""Options that make a request cheap that begins like an earlier one, and a model that thinks show it."""

STREAMING: Mapping[str, Any] = {"stream": True}
"""Keys that ask for a streamed answer. Its first and its last events have the usage."""

_NAMES = {
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "stop": "stop_sequences",
}
"""Names in this API of options of the others. `max_tokens` is one of its own."""

_EFFORTS = {"minimal": "low"}
"""Efforts of the other APIs that this one calls by another name."""

_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384}
_MOST_THOUGHT = 32_000
"""Budget of tokens by effort, and for all greater ones."""
_LEAST_THOUGHT = 1024
"""Smallest budget that the API takes."""


def make_body(request: Request, streaming: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request.

    Options have their names of the chat API, or those of this API, which win. An option that is None is not sent.

    Args:
        streaming: Keys that ask for a streamed answer.
    """
    system = [m for m in request.messages[:1] if m["role"] == "system"]
    mark = request.options.get(CACHE)
    options = _named_here(request)
    tools = [*map(_tool, request.tools), *options.pop("tools", ())]
    messages, stable = sent_messages(request.messages[len(system) :], request.model)
    if as_dict(options.get("thinking")).get("type") == "enabled" and _lacks_thought(messages):
        del options["thinking"]
    if mark:
        messages = [_marked(m, mark) if n in stable else m for n, m in enumerate(messages)]
    body: dict[str, Any] = {"model": request.model, **options}
    if system and system[0]["content"].strip():
        text = {"type": "text", "text": system[0]["content"]}
        body["system"] = [{**text, CACHE: mark} if mark else text]
    if tools:
        body["tools"] = [*tools[:-1], {**tools[-1], CACHE: mark}] if mark else tools
    return {**body, "messages": messages, **streaming}


def _lacks_thought(messages: list[dict[str, Any]]) -> bool:
    """Return whether results are sent for calls that were made without thinking, which the API refuses beside a budget."""
    if len(messages) < 2 or messages[-1]["content"][0]["type"] != "tool_result":
        return False
    return not is_thought(messages[-2]["content"][0])


def _marked(message: dict[str, Any], mark: Any) -> dict[str, Any]:
    """Return a message whose last block ends what the server keeps."""
    *before, last = message["content"]
    return {**message, "content": [*before, {**last, CACHE: mark}]}


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool: one of ours in the form of this API."""
    function = tool.get("function")
    if not function:
        return tool
    named = {key: function[key] for key in ("name", "description") if function.get(key)}
    return {**named, "input_schema": {"type": "object", **(function.get("parameters") or {})}}


def _named_here(request: Request) -> dict[str, Any]:
    """Return options by their names in this API, with the limit of the answer that it wants."""
    given = {key: value for key, value in request.options.items() if value is not None}
    given.pop(CACHE, None)
    effort, shows = given.pop("reasoning_effort", None), given.pop("reasoning_summary", None)
    reasoning = given.pop("reasoning", None)
    if isinstance(reasoning, Mapping):
        effort = reasoning.get("effort", effort)
    is_parallel = given.pop("parallel_tool_calls", None)
    form, user = given.pop("response_format", None), given.pop("user", None)
    options = {_NAMES[key]: given.pop(key) for key in _NAMES if key in given}
    options |= given
    if isinstance(options.get("stop_sequences"), str):
        options["stop_sequences"] = [options["stop_sequences"]]
    options.setdefault("max_tokens", known_max_output(request.model))
    if user is not None:
        options.setdefault("metadata", {"user_id": user})
    if form is not None:
        options["output_config"] = {**_format(form), **as_dict(options.get("output_config"))}
    if "tool_choice" in options:
        options["tool_choice"] = _choice(options["tool_choice"])
    if is_parallel is not None and (request.tools or "tools" in options):
        choice = {"type": "auto"} | as_dict(options.get("tool_choice"))
        options["tool_choice"] = {**choice, "disable_parallel_tool_use": not is_parallel}
    return _with_thinking(options, request, effort, bool(shows))


def _format(form: Any) -> dict[str, Any]:
    """Return the part of `output_config` for a `response_format`."""
    schema = form.get("json_schema") if isinstance(form, Mapping) else None
    if not isinstance(schema, Mapping):
        return {"format": form}
    return {"format": {"type": "json_schema", "schema": schema.get("schema", {})}}


_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


def _choice(choice: Any) -> Any:
    """Return a `tool_choice` in the form of this API."""
    if isinstance(choice, str):
        return {"type": _CHOICES.get(choice, choice)}
    function = choice.get("function") if isinstance(choice, Mapping) else None
    if isinstance(function, Mapping):
        return {"type": "tool", "name": function.get("name")}
    return choice


def _with_thinking(
    options: dict[str, Any], request: Request, effort: Any, shows: bool
) -> dict[str, Any]:
    """Return options with the thinking for an effort, unless the user's own say it."""
    if "thinking" in options:
        return options
    model = request.model
    form = thinking_form(model)
    if effort is None:
        asks = shows and thinks_unasked(model)
        return {**options, "thinking": _adaptive(shows)} if asks else options
    if effort == "none":
        return options if form == "none" else {**options, "thinking": {"type": "disabled"}}
    if form == "adaptive":
        level = {"effort": _EFFORTS.get(effort, effort) if isinstance(effort, str) else effort}
        config = options.get("output_config", {})
        # What is not a table is the server's to refuse.
        config = {**level, **config} if isinstance(config, Mapping) else config
        return {**options, "thinking": _adaptive(shows), "output_config": config}
    return options if form == "none" else _with_budget(options, request, effort)


def _adaptive(shows: bool) -> dict[str, Any]:
    return {"type": "adaptive", "display": "summarized"} if shows else {"type": "adaptive"}


def _with_budget(options: dict[str, Any], request: Request, effort: Any) -> dict[str, Any]:
    """Return options with a budget for thinking, where the API takes one.

    It refuses thinking beside a tool that has to be called, and after calls that were made without.
    """
    choice = options.get("tool_choice")
    is_forced = isinstance(choice, Mapping) and choice.get("type") in ("any", "tool")
    most = options["max_tokens"]
    if is_forced or not isinstance(most, int) or most <= _LEAST_THOUGHT:
        return options
    wanted = _BUDGETS.get(effort, _MOST_THOUGHT) if isinstance(effort, str) else _MOST_THOUGHT
    budget = max(_LEAST_THOUGHT, min(wanted, most // 2))
    return {**options, "thinking": {"type": "enabled", "budget_tokens": budget}}
