"""Data that a server sends beside text and calls, kept in `extra` of the block that it belongs to. Pure.

The blocks are those of one step, in order of arrival. Each function returns the blocks that the step
gets in addition: usually none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from msgbook.text import excerpt, join_first, one_line, repair_surrogates, visible
from msgbook.turn.content_blocks import (
    REDACTED,
    THINKING,
    is_content_block,
    is_server_block,
    is_thought,
    repaired_content_block,
    server_block_words,
)
from msgbook_format.turn import (
    DISPLAYS,
    KINDS,
    NOTICES,
    REASONINGS,
    TEXTS,
    TOOL_CALLS,
    Block,
    Kind,
    image_url,
    kind_of,
    step_positions,
)
from msgbook_format.typed import as_dict, as_dicts, as_list, as_text, as_texts, has, is_dicts

_ANSWERS = {kind.item: kind for kind in KINDS if kind.is_answer}
"""Kinds whose blocks are made by the deltas of an output item, by the type of the item."""


def keep_reasoning_details(blocks: list[Block], details: list[dict[str, Any]]) -> None:
    """Keep the details in the step's reasoning, or in its first block if the reasoning is hidden."""
    for block in (REASONINGS.among(blocks) or blocks)[:1]:
        _extend(block, reasoning_details=details)


def item_owner(blocks: list[Block], item: dict[str, Any], own: Block | None) -> Block | None:
    """Return the block that the deltas of an output item made; None if there were none.

    An item may be complete only after the next one has begun (OpenRouter).

    Args:
        own: The reasoning that is known to be of the item.
    """
    if own is not None:
        blocks = [own]
    if is_thought(item):
        return own if own is None or "item" not in own.get("extra", {}) else None
    kind = _answer_of(item)
    owners = [] if kind is None else kind.among(blocks)
    if kind is REASONINGS:
        owners = [block for block in owners if _is_of_item(block)]
    elif kind is TOOL_CALLS:
        owners = [call for call in owners if call.get("id") == item.get("call_id")]
    return owners[-1] if owners and "item" not in owners[-1].get("extra", {}) else None


def _answer_of(item: dict[str, Any]) -> Kind | None:
    if is_thought(item):
        return REASONINGS
    kind = item.get("type")
    return _ANSWERS.get(as_text(kind))


def keep_item(owner: Block | None, item: dict[str, Any], step: int) -> list[Block]:
    """Keep an output item of the Responses API, or a content block of the Messages API, in its block.

    Reasoning without a block becomes one without text. An item of a type that has no block is a notice
    which says what the server did.
    """
    if owner is not None:
        _extend(owner, item=item)
        return []
    block = _item_notice(item, step)
    kind = _answer_of(item)
    if kind is REASONINGS or kind is TEXTS:
        block = {"type": kind.name, "step": step, "text": ""}
    return [cast("Block", {**block, "extra": {"item": item}})]


def keep_citations(blocks: list[Block], citations: list[dict[str, Any]], step: int) -> list[Block]:
    """Keep citations in the step's last text, or in an empty text if there is none."""
    texts = TEXTS.among(blocks)
    owner = texts[-1] if texts else cast("Block", {"type": TEXTS.name, "step": step, "text": ""})
    _extend(owner, annotations=[*owner.get("extra", {}).get("annotations", []), *citations])
    return [] if texts else [owner]


def _is_of_item(reasoning: Block) -> bool:
    # Reasoning of a chat message came under a key of it, which `field` names.
    return not reasoning.get("text") or reasoning.get("extra", {}).get("field") in ITEM_TEXTS


def _item_notice(item: dict[str, Any], step: int) -> dict[str, Any]:
    return {"type": NOTICES.name, "step": step, "level": "info", "text": item_words(item)}


def _extend(block: Block, **keys: Any) -> None:
    block["extra"] = {**block.get("extra", {}), **keys}


# Words for an item of the Responses API: what the server did, as a sentence for a notice. Pure.
#
# The items are those of https://platform.openai.com/docs/api-reference/responses/object. Values come from
# a server and may have any type; they are shown on one line, bounded.


_SHOWN = 200
"""Characters of a query or an address that are shown."""
_MOST_QUERIES = 3
"""Queries that one line names."""


def item_words(item: dict[str, Any]) -> str:
    """Return what the server did, or the item's type if that is not known."""
    if is_server_block(item):
        return server_block_words(item)
    kind = item.get("type")
    describe = _DONE.get(as_text(kind))
    if describe is None:
        name = visible(one_line(str(kind), 100)).replace("`", "'")
        return f"The server sent an item that msgbook cannot display: `{name}`."
    failed = item.get("status") == "failed" or bool(item.get("error"))
    return f"The server {describe(item)}.{' It failed.' if failed else ''}"


def _web_search(item: dict[str, Any]) -> str:
    action = as_dict(item.get("action"))
    url = _quoted([action.get("url")])
    if url and action.get("type") == "open_page":
        return f"opened the page {url}"
    pattern = _quoted([action.get("pattern")])
    if url and pattern:
        return f"searched the page {url} for {pattern}"
    return f"searched the web{_for(action.get('queries')) or _for([action.get('query')])}"


def _mcp_call(item: dict[str, Any]) -> str:
    name, server = _quoted([item.get("name")]), _quoted([item.get("server_label")])
    tool = f"the tool {name}" if name else "a tool"
    return f"called {tool} of {f'the MCP server {server}' if server else 'an MCP server'}"


_DONE: dict[str, Callable[[dict[str, Any]], str]] = {
    "web_search_call": _web_search,
    "file_search_call": lambda item: f"searched files{_for(item.get('queries'))}",
    "code_interpreter_call": lambda _: "ran code",
    "image_generation_call": lambda _: "made an image, which it did not send",
    "mcp_call": _mcp_call,
}


def _for(queries: Any) -> str:
    quoted = _quoted(as_list(queries))
    return f" for {quoted}" if quoted else ""


def _quoted(texts: list[Any]) -> str:
    """Return those that are texts in quotation marks; empty if there are none."""
    lines = [visible(excerpt(text, _SHOWN)) for text in as_texts(texts)]
    return join_first([f'"{line}"' for line in lines if line], _MOST_QUERIES)


# Output items of the Responses API as a server wants them back within the turn, in order of arrival. Pure.


ITEM_TEXTS = {"summary": "summary_text", "content": "reasoning_text"}
"""Type of the parts of a reasoning item, by the key that holds them: the `field` of its block."""


def echoed_items(blocks: Sequence[Block], call_ids: dict[int, str]) -> list[dict[str, Any]]:
    """Return the items of a step; none if no block has one.

    The text of a message and the call of a `function_call` stand in the chat message; only their place
    is here, with keys that the server added. Reasoning without an item was cut off or came over another
    API, and is not sent back; neither is reasoning that nothing follows, which servers refuse.

    Args:
        blocks: The step's blocks with repaired `extra`.
        call_ids: Id of each call that is sent, by the position of its block.
    """
    if not any(_output_item(block) for block in blocks):
        return []
    items = list(_items(blocks, call_ids))
    while items and items[-1]["type"] == REASONINGS.item:
        del items[-1]
    return items


def _output_item(block: Block) -> dict[str, Any] | None:
    item = block.get("extra", {}).get("item")
    return None if item is None or is_content_block(item) else item


def _items(blocks: Sequence[Block], call_ids: dict[int, str]) -> Iterator[dict[str, Any]]:
    has_message = False
    for position, block in enumerate(blocks):
        extra = block.get("extra", {})
        item = _output_item(block)
        if position in call_ids:
            yield {**(item or {}), "type": TOOL_CALLS.item, "call_id": call_ids[position]}
        elif block in TEXTS and block.get("text", "").strip() and not has_message:
            # All texts of a step are one message.
            has_message = True
            yield {"type": TEXTS.item, **(item or {})}
        elif item is not None and block in REASONINGS:
            yield _reasoning_item(item, extra.get("field"), block.get("text", ""))
        elif item is not None and block in NOTICES:
            yield item
        elif item is not None and block in DISPLAYS:
            yield {**item, "result": _image_data(block)}


def _image_data(block: Block) -> str:
    data = block.get("data")
    values = as_dict(data).items()
    found = (v for mime, v in values if mime.startswith("image/") and isinstance(v, str))
    return next(found, "")


def _reasoning_item(item: dict[str, Any], field: Any, text: str) -> dict[str, Any]:
    """Return the item with the texts that its block holds. A `summary` is required, if only an empty one."""
    made = {"summary": [], **item}
    if text and field in ITEM_TEXTS:
        made[field] = [{"type": ITEM_TEXTS[field], "text": text}]
    return made


# Data that a server sent with a saved turn, without what the reader of a notebook cannot see. Pure.
#
# Anybody may have written the file. Within a turn a server gets all of its data back; later it gets
# signatures, encrypted reasoning, and no words but those of the blocks.


_ITEM_KEYS = {
    REASONINGS.item: {"type", "id", "encrypted_content", "format", "signature"},
    TEXTS.item: {"type", "phase"},
    TOOL_CALLS.item: {"type", "namespace"},
    THINKING: {"type", "signature", "model", "digest"},
    REDACTED: {"type", "data", "model"},
}
"""Keys of an output item that say nothing to a model in words, by the type of the item."""
_DETAIL_KEYS = {"type", "id", "format", "index", "text", "summary", "data", "signature"}
"""Keys of `reasoning_details`."""


def strip_hidden_server_data(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a saved turn with only such data as a later request may carry.

    What a server did itself (searches, calls of its own tools) is left out, and so is reasoning that only
    led to it: servers refuse reasoning without the item that followed it.
    """
    kept: list[Block] = list(blocks)
    for step in step_positions(blocks):
        thoughts = REASONINGS.among(blocks[position] for position in step)
        words = "".join(str(block.get("text", "")) for block in thoughts)
        precedes_kept_item = True
        for position in reversed(step):
            kept[position] = _cut(blocks[position], words, keeps_item=precedes_kept_item)
            kind, extra = kind_of(blocks[position]), blocks[position].get("extra")
            if kind is NOTICES and as_dict(extra).get("item"):
                precedes_kept_item = False
            elif kind in (TEXTS, TOOL_CALLS):
                precedes_kept_item = True
    return kept


def _cut(block: Block, words: str, *, keeps_item: bool) -> Block:
    """Return a block with only such data.

    Args:
        words: The reasoning of its step.
        keeps_item: False for an item of reasoning whose next item is left out.
    """
    extra = as_dict(block.get("extra"))
    if not extra.keys() & {"item", "reasoning_details"}:
        return block
    kept = {k: v for k, v in extra.items() if k not in ("item", "reasoning_details")}
    item = _cut_item(extra.get("item"))
    if item and (keeps_item or block not in REASONINGS):
        kept["item"] = item
    if details := _cut_details(extra.get("reasoning_details"), words):
        kept["reasoning_details"] = details
    return cast("Block", {**block, "extra": kept})


def _cut_item(item: Any) -> dict[str, Any]:
    given = as_dict(item)
    kind = given.get("type")
    keys = _ITEM_KEYS.get(kind, set()) if isinstance(kind, str) else set()
    return {key: given[key] for key in given if key in keys and isinstance(given[key], str)}


def _cut_details(details: Any, words: str) -> list[dict[str, Any]]:
    """Return signed reasoning if its words are those of the step, or none; else an empty list."""
    given = as_dicts(details)
    said = [str(one.get(key) or "") for one in given for key in ("text", "summary")]
    if repair_surrogates("".join(said)) not in ("", repair_surrogates(words)):
        return []
    return [{key: one[key] for key in one if key in _DETAIL_KEYS} for one in given]


# Blocks repaired for sending: a file or a page may put any value into any key. Pure.


_TEXT_KEYS = ("text", "id", "name", "arguments")
_REASONING_NAME = re.compile(r"reasoning(?!_details)\w*")
_CALL_KEYS = {"id", "type", "function", "index"}
_SERVER_ITEMS = {
    "code_interpreter_call",
    "compaction",
    "file_search_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "web_search_call",
}
"""Types of items that a notice may hold: what a server did itself. None calls a tool of ours, or is a message."""
_FORGING_KEYS = {
    "role",
    "content",
    "summary",
    "status",
    "call_id",
    "name",
    "arguments",
    "input",
    "output",
    "tool_calls",
    "tool_call_id",
    "function",
}
"""Keys that could make an item of reasoning, a message or a call into something else."""


def repair_block(block: Block) -> Block:
    """Return the block with values of the types that `Block` declares; itself if nothing is wrong."""
    step = block.get("step")
    for key in (*_TEXT_KEYS, "content"):
        if key in block and not isinstance(block[key], str):  # type: ignore[literal-required]
            break
    else:
        if isinstance(step, int):
            return block
    repaired = dict(block)
    repaired["step"] = step if isinstance(step, int) else 0
    for key in _TEXT_KEYS:
        if key in block and not isinstance(repaired[key], str):
            repaired[key] = _json_of(repaired[key])
    content = block.get("content", "")
    if not isinstance(content, str):
        parts = as_list(content)
        can_be_sent = parts and all(map(_is_part, parts))
        repaired["content"] = list(map(_sent_part, parts)) if can_be_sent else _json_of(content)
    return cast("Block", repaired)


def repair_extra(block: Block) -> Block:
    """Return the block with nothing but reasoning and signatures in its `extra`.

    A server or a file wrote `extra`, and it is merged into messages and calls. It must change
    neither the role of a message nor the call that is made.
    """
    extra: Any = block.get("extra")
    given = as_dict(extra)
    field, details, call = (given.get(key) for key in ("field", "reasoning_details", "call"))
    kept: dict[str, Any] = {}
    if isinstance(field, str) and (
        not field or field in ITEM_TEXTS or _REASONING_NAME.fullmatch(field)
    ):
        kept["field"] = field
    if details and is_dicts(details):
        kept["reasoning_details"] = details
    if isinstance(call, dict):
        kept["call"] = {key: value for key, value in call.items() if key not in _CALL_KEYS}
    if "item" in given and (item := _repaired_item(kind_of(block), given["item"])):
        kept["item"] = item
    changed: Any = {**block, "extra": _readable_json(kept)}
    if block in REASONINGS:
        changed["text"] = repair_surrogates(block.get("text", ""))
    return changed  # type: ignore[no-any-return]  # a block, as the one given


def _repaired_item(kind: Kind, item: Any) -> dict[str, Any]:
    """Return an output item without what could forge a role, a call or a result; empty if it has no place."""
    name = as_dict(item).get("type")
    if not as_text(name):
        return {}
    is_image = kind is DISPLAYS and name == DISPLAYS.item
    if is_image or (kind is NOTICES and name in _SERVER_ITEMS):
        forging = {"role", "content", "call_id", "tool_calls", "tool_call_id", "function"}
        return {key: value for key, value in item.items() if key not in forging}
    if is_content_block(item):
        return repaired_content_block(kind, item)
    if name != kind.item:
        return {}
    kept = {key: value for key, value in item.items() if key not in _FORGING_KEYS}
    if kind is not REASONINGS:
        kept.pop("id", None)
        return kept
    for key, part in ITEM_TEXTS.items():
        texts = item.get(key)
        if as_list(texts) and all(_is_text(text, part) for text in texts):
            kept[key] = [{"type": part, "text": text["text"]} for text in texts]
    return kept


def _is_text(part: Any, kind: str) -> bool:
    return has(part, text=str) and part.get("type") == kind


def _readable_json(extra: dict[str, Any]) -> Any:
    """Return the value if servers can read it as JSON, with surrogates repaired; else an empty one."""
    try:
        return json.loads(repair_surrogates(json.dumps(extra, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError):
        return {}


def _json_of(value: Any) -> str:
    try:
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deep)"


def _is_part(part: Any) -> bool:
    """Return whether the value is text or an image, which servers accept as a content part."""
    if as_dict(part).get("type") == "text":
        return has(part, text=str)
    return image_url(part) is not None


def _sent_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return the part with the keys that servers know; an image only if its URL holds the data.

    A server follows any other URL.
    """
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    url = image_url(part) or ""
    if not url.startswith("data:image/"):
        return {"type": "text", "text": f"[image: {one_line(url, 200)}]"}
    image = part["image_url"]
    detail = as_dict(image).get("detail")
    known = {"detail": detail} if isinstance(detail, str) else {}
    return {"type": "image_url", "image_url": {"url": url, **known}}
