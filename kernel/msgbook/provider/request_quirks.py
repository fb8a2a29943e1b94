"""Quirks in what servers accept: names of keys, refused elements of a request and what to send instead. Pure.

One table for all APIs. To add a row, append it to `ADAPTATIONS`, and the server's words to
tests/provider/test_request_quirks.py: no server documents them. A refusal that no row recognizes stays an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from msgbook.provider.base import Request
from msgbook.provider.error_quirks import find_room
from msgbook.provider.failures import RefusedError
from msgbook.provider.refused_elements import (
    Elements,
    added_tools,
    all_tools,
    document_keys,
    every_tool,
    image_keys,
    named_tools,
    names_a_tool,
    of_others,
    tool_name,
    unnamed_tools,
    with_siblings,
)
from msgbook.provider.refused_media import (
    Adaptation,
    Row,
    find_documents,
    find_images,
    find_most_images,
    is_vague,
    refuses_images,
    refuses_images_of_tools,
    whole,
)
from msgbook.provider.refused_words import (
    EFFORT,
    NO_REASONING_BACK,
    NO_STREAM,
    SIGNATURE,
    SUMMARY,
    SYSTEM,
    TOOL_ROLE,
    TOOLS_AS_SUCH,
    find_most_output,
    find_most_tools,
    find_options,
    knows_random_seed,
    misses_call,
    misses_tools,
    names_key,
    refuses_empty,
    refuses_ids,
    refuses_key,
    refuses_mixed_strict,
    refuses_reasoning,
    refuses_repeated_names,
    refuses_thinking_back,
    refuses_tools,
    refuses_unverified,
    wants_alternation,
    wants_answers_to_results,
    wants_reasoning,
    wants_user_first,
)
from msgbook.provider.request_changes import (
    TOKEN_LIMITS,
    begins_with_answer,
    has_option,
    holds_calls,
    holds_document,
    holds_empty,
    holds_foreign_id,
    holds_image,
    holds_image_of_tool,
    holds_mixed_strict,
    holds_reasoning,
    holds_reasoning_item,
    holds_repeated_tools,
    holds_system,
    holds_thinking,
    holds_tool,
    holds_unanswered_result,
    is_alternating,
    lacks_reasoning,
    lacks_signature,
    rename_option,
    with_answered_results,
    with_calls_as_text,
    with_filled_contents,
    with_first_tools,
    with_joined_neighbours,
    with_newest_images,
    with_plain_ids,
    with_reasoning,
    with_signatures,
    with_system_as_user,
    with_token_limit,
    with_unique_tools,
    with_user_first,
    without_all_tools,
    without_documents,
    without_images,
    without_option,
    without_options,
    without_reasoning,
    without_reasoning_items,
    without_strict,
    without_these_images,
    without_thinking,
    without_tool_images,
    without_tools,
)
from msgbook.text import one_line, visible


def find_adaptations(refusal: RefusedError, request: Request) -> Iterator[Adaptation]:
    """Yield the adaptations to a refusal, the most exact first; none if it names nothing that can be changed."""
    if refusal.kind == "length" or refusal.body.lstrip().startswith("<"):
        return
    for row in ADAPTATIONS:
        elements = row.find(refusal, request)
        if elements is not None and row.concerns(request, elements):
            yield Adaptation(row, elements)


def find_remedy(refusal: RefusedError, request: Request, provider: str) -> str:
    """Return the setting that may help against a refusal that no adaptation helps against; empty if none is known."""
    for row in ADAPTATIONS:
        elements = row.find(refusal, request)
        if elements is not None and row.remedy:
            return Adaptation(row, elements).remedy(request.model, provider)
    if names_a_tool(refusal):
        return _TOOLS_REMEDY.format(elements="NAME")
    return _likely_causes(request, provider) if is_vague(refusal) else ""


def _likely_causes(request: Request, provider: str) -> str:
    """Return what else than text a request holds, each with the setting that leaves it out; empty for nothing."""
    causes = {
        "tools of MCP servers or plug-ins (write their names into disabled_tools of the notebook's metadata)": bool(
            of_others(map(tool_name, request.tools))
        ),
        "images (write history=exclude into their cells)": bool(image_keys(request)),
        f"documents (set documents = false in [providers.{visible(one_line(provider, 100))}] of msgbook.toml, and "
        "refer to them again)": bool(document_keys(request)),
    }
    held = [cause for cause, is_held in causes.items() if is_held]
    if not held:
        return ""
    return f"The server does not say what it refuses. It may be one of these in the request: {'; '.join(held)}."


def reduce_streaming(
    streaming: Mapping[str, Any], refusal: RefusedError
) -> Mapping[str, Any] | None:
    """Return the streaming keys for a server that refused some; None if there is no other way to ask."""
    if refusal.status not in (400, 422) and not NO_STREAM.search(refusal.words):
        return None
    is_of_options = "stream_options" in refusal.body or "include_usage" in refusal.body
    if is_of_options and "stream_options" in streaming:
        return {"stream": True}
    named = re.search(r"\bstream", refusal.body, re.IGNORECASE)
    return {"stream": False} if named and streaming["stream"] else None


def _as_number(most: int) -> list[str]:
    return [f"{most:,}"]


def _all_images(request: Request, _some: Elements) -> Elements:
    return frozenset(image_keys(request))


def _all_documents(request: Request, _some: Elements) -> Elements:
    return frozenset(document_keys(request))


def _renamed(old: str, new: str) -> Row[Elements]:
    return whole(
        has_option(old),
        refuses_key(rf"\b{old}\b"),
        rename_option(old, new),
        f"The server of {{model}} refuses {old}; {new} was sent instead.",
    )


_of_include = names_key(r"[\"'`(]include\b|\binclude(\[|\.)\d|encrypted[ _.]?content")
"""What is not the user's own option is not his to change, whatever is wrong with it."""

_TABLE = "in [providers.{provider}] of msgbook.toml"
_TOOLS_REMEDY = (
    "To leave them out for good, write {elements} into disabled_tools of the notebook's metadata, or the MCP server's "
    "own names of them into disabled_tools of its table in msgbook.toml."
)

TOOLS = Row(
    lambda refusal, request: (
        None if TOOLS_AS_SUCH.search(refusal.words) else named_tools(refusal, request)
    ),
    holds_tool,
    without_tools,
    "The server of {model} was asked without the tools that it refuses: {elements}.",
    _TOOLS_REMEDY,
    with_siblings,
)

UNNAMED_TOOLS = Row(
    unnamed_tools,
    holds_tool,
    without_tools,
    "The server of {model} refuses a tool and does not name it, so it was asked without those that are not msgbook's "
    "own: {elements}.",
    "Name the tool that is to blame in disabled_tools of its table in msgbook.toml, and restart the kernel.",
)

ALL_TOOLS = Row(
    every_tool,
    holds_tool,
    without_tools,
    "The server of {model} refuses a tool, and it is none that it names, so it was asked without any.",
    _TOOLS_REMEDY,
)

FEWER_TOOLS = Row(
    find_most_tools,
    lambda request, most: len(all_tools(request)) > max(most, len(added_tools(request))),
    lambda request, most: with_first_tools(request, most),
    "{model} takes no more tools than {elements}; those that are not msgbook's own were left out first.",
    "To choose yourself, name tools in disabled_tools of the notebook's metadata.",
    names=_as_number,
)

NO_TOOLS = whole(
    lambda request: bool(request.tools),
    refuses_tools,
    without_all_tools,
    "{model} does not support tools, so none were sent and it can only chat.",
)

UNIQUE_TOOLS = whole(
    holds_repeated_tools,
    refuses_repeated_names,
    with_unique_tools,
    "The server of {model} takes no two tools of one name, so the first of each was offered.",
    "To choose yourself, write the other's name into disabled_tools of the notebook's metadata.",
)

OF_TOOLS: tuple[Row[Any], ...] = (
    TOOLS,
    UNNAMED_TOOLS,
    ALL_TOOLS,
    FEWER_TOOLS,
    UNIQUE_TOOLS,
    NO_TOOLS,
)
"""Rows that leave out tools. What did not help is offered again."""

DOCUMENTS = Row(
    find_documents,
    holds_document,
    without_documents,
    "{model} does not accept {elements} as documents; the name was sent for each.",
    f"To send the text of PDFs instead, set documents = false {_TABLE}, and refer to them again.",
    _all_documents,
)

PICTURES = Row(
    find_images,
    lambda request, keys: not keys.isdisjoint(image_keys(request)),
    without_these_images,
    "{model} refuses an image of this conversation; the word [image] was sent in its place.",
    "To leave it out for good, take it out of its cell, or write history=exclude there.",
    _all_images,
)

REASONING = Row(
    wants_reasoning,
    lacks_reasoning,
    with_reasoning,
    "The server of {model} wants the reasoning of earlier turns back, so it was sent.",
    f"To send it from the start, set keep_reasoning = true {_TABLE}.",
)

FEWER_IMAGES = Row(
    find_most_images,
    lambda request, most: len(image_keys(request)) > most,
    lambda request, most: with_newest_images(request, most),
    "{model} takes no more images than {elements}; the word [image] was sent for each older one.",
    "To choose yourself, write history=exclude into cells with images.",
    names=_as_number,
)

IMAGES = whole(
    lambda request: any(map(holds_image, request.messages)),
    refuses_images,
    without_images,
    "{model} does not accept images; the word [image] was sent for each.",
)

OPTIONS = Row(
    find_options,
    lambda request, keys: not keys.isdisjoint(request.options),
    without_options,
    "{model} rejects options that you set; they were left out: {elements}.",
    f"To send them no more, remove them from the options of the agent, or {_TABLE}.",
)

LIMIT = Row(
    find_most_output,
    lambda request, most: all(request.options.get(key, most + 1) > most for key in TOKEN_LIMITS),
    with_token_limit,
    "The longest answer that {model} may give here is of {elements} tokens; that was asked for.",
    "To choose yourself, set max_output_tokens of the agent.",
    names=_as_number,
)

ROOM = replace(
    LIMIT,
    find=lambda refusal, _request: find_room(refusal.words),
    notice="This request leaves {elements} tokens of the context window of {model} for the answer, so no more were asked for.",
    lasts=False,
)

ADAPTATIONS: tuple[Row[Any], ...] = (
    LIMIT,
    ROOM,
    whole(
        lambda request: any(map(holds_thinking, request.messages)),
        refuses_thinking_back,
        without_thinking,
        "{model} rejected its thinking from earlier steps or turns; it was left out.",
    ),
    FEWER_TOOLS,
    UNIQUE_TOOLS,
    whole(
        holds_mixed_strict,
        refuses_mixed_strict,
        without_strict,
        "{model} wants the same value of strict for all tools; it was turned off.",
    ),
    TOOLS,
    UNNAMED_TOOLS,
    whole(
        lambda request: any(map(holds_foreign_id, request.messages)),
        refuses_ids,
        with_plain_ids,
        "{model} does not accept the ids that another server gave its tool calls; other ids were sent.",
    ),
    whole(
        holds_empty,
        refuses_empty,
        with_filled_contents,
        "The server of {model} refuses messages without content; the word [empty] was sent for it.",
    ),
    DOCUMENTS,
    FEWER_IMAGES,
    PICTURES,
    whole(
        lambda request: any(map(holds_image_of_tool, request.messages)),
        refuses_images_of_tools,
        without_tool_images,
        "{model} does not accept images from tools; the word [image] was sent for each of them.",
    ),
    IMAGES,
    REASONING,
    whole(
        lambda request: any(map(holds_reasoning, request.messages)),
        refuses_reasoning,
        without_reasoning,
        "The server of {model} takes no reasoning back; it was left out.",
        f"If keep_reasoning is set {_TABLE}, remove it.",
    ),
    whole(
        begins_with_answer,
        wants_user_first,
        with_user_first,
        "{model} wants the user to speak first; the word [empty] was sent before the first message.",
    ),
    whole(
        holds_unanswered_result,
        wants_answers_to_results,
        with_answered_results,
        "{model} takes no message right after a result; the word [empty] was sent between them.",
    ),
    whole(
        lambda request: not is_alternating(request),
        wants_alternation,
        with_joined_neighbours,
        "{model} insists that user and assistant messages alternate; neighbouring ones were merged.",
        f"To merge them from the start, set alternate = true {_TABLE}.",
    ),
    whole(
        lacks_signature,
        lambda refusal: bool(SIGNATURE.search(refusal.words)),
        with_signatures,
        "{model} wants its signature on tool calls, and another model made some; they were sent with the word for that.",
    ),
    whole(
        lambda request: holds_calls(request) and not request.tools,
        misses_tools,
        with_calls_as_text,
        "{model} takes no calls without their tools; they and their results were sent as text.",
    ),
    whole(
        holds_calls,
        lambda refusal: (
            misses_call(refusal)
            or wants_alternation(refusal)  # of a template that knows no results
            or any(p.search(refusal.words) for p in (SIGNATURE, TOOL_ROLE))
        ),
        with_calls_as_text,
        "{model} does not take the tool calls of this conversation; they and their results were sent as text.",
    ),
    whole(
        holds_system,
        lambda refusal: bool(SYSTEM.search(refusal.words)),
        with_system_as_user,
        "{model} does not take a system prompt; it was sent as a message of the user.",
    ),
    _renamed("max_tokens", "max_completion_tokens"),
    _renamed("max_completion_tokens", "max_tokens"),
    whole(
        has_option("seed"),
        knows_random_seed,
        rename_option("seed", "random_seed"),
        "The server of {model} refuses seed; random_seed was sent instead.",
    ),
    whole(
        has_option("temperature"),
        refuses_key(r"\btemperature\b"),
        without_option("temperature"),
        "{model} rejects the temperature that you set; it was left out.",
    ),
    whole(
        # `reasoning: false` says no more than this: another effort would not be a replacement.
        lambda request: request.options.get("reasoning_effort") == "none",
        names_key(EFFORT),
        without_option("reasoning_effort"),
        "The server of {model} has no way to turn reasoning off, so that setting was not sent.",
    ),
    whole(
        has_option("reasoning_effort"),
        refuses_key(EFFORT),
        without_option("reasoning_effort"),
        "{model} rejects the reasoning effort that you set; it was left out.",
    ),
    whole(
        lambda request: any(map(holds_reasoning_item, request.messages)),
        lambda refusal: bool(NO_REASONING_BACK.search(refusal.body)),
        without_reasoning_items,
        "{model} rejected its reasoning from earlier steps; it was left out.",
    ),
    whole(
        has_option("reasoning_summary"),
        refuses_unverified,
        without_option("reasoning_summary"),
        "The server does not show the reasoning of {model}.",
    ),
    whole(
        has_option("reasoning_summary"),
        refuses_key(SUMMARY),
        without_option("reasoning_summary"),
        "",
    ),
    whole(
        lambda request: (
            "reasoning_effort" not in request.options and "reasoning_summary" in request.options
        ),
        refuses_key(rf"{EFFORT}|\bdisplay\b"),
        without_option("reasoning_summary"),
        "",
    ),
    whole(
        has_option("cache_control"),
        names_key(r"\bcache_control\b"),
        without_option("cache_control"),
        "",
    ),
    whole(
        has_option("include"),
        lambda refusal: refuses_key(r"\binclude\b")(refusal) or _of_include(refusal),
        without_option("include"),
        "",
    ),
    OPTIONS,
    ALL_TOOLS,
    NO_TOOLS,
)
"""All adaptations, in the order in which they are tried."""
