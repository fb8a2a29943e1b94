"""Content blocks of Anthropic's Messages API, kept in `extra` of a turn's blocks as the items of the Responses API are. Pure.

Thinking is kept with its signature and the model that made it, redacted thinking whole, and what the server did itself
as a notice in words. All of it goes back within the turn, in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgbook.text import excerpt, join_first, one_line, text_digest, visible
from msgbook_format.turn import NOTICES, REASONINGS, TEXTS, Block, Kind
from msgbook_format.typed import as_dict, as_list

THINKING, REDACTED = "thinking", "redacted_thinking"
_CALLS = ("server_tool_use", "mcp_tool_use")
_RESULT = "_tool_result"
"""End of the types of results that a tool of the server's own has."""

_THOUGHTS = {THINKING: "signature", REDACTED: "data"}
"""What the server wants back of its thinking beside the words, by the type of the block."""

_SERVER_KEYS = (
    "type",
    "id",
    "name",
    "input",
    "tool_use_id",
    "content",
    "caller",
    "server_name",
    "is_error",
)

_SHOWN = 200
"""Characters of a query or an address that are shown."""
_MOST_NAMED = 3
"""Pages or queries that one line names."""


def is_thought(item: dict[str, Any]) -> bool:
    """Return whether an item is thinking."""
    return str(item.get("type")) in _THOUGHTS


def is_content_block(item: dict[str, Any]) -> bool:
    """Return whether an item is a content block."""
    return is_thought(item) or is_server_block(item)


def is_server_block(item: dict[str, Any]) -> bool:
    """Return whether an item says what the server did itself."""
    kind = item.get("type")
    return isinstance(kind, str) and (kind in _CALLS or kind.endswith(_RESULT))


def echoed_blocks(blocks: Sequence[Block], call_ids: dict[int, str]) -> list[dict[str, Any]]:
    """Return the content blocks of a step, with a place for each text and call; none if the server wants none back.

    Args:
        blocks: The step's blocks with repaired `extra`.
        call_ids: Id of each call that is sent, by the position of its block.
    """
    if not any(is_content_block(_item(block)) for block in blocks):
        return []
    echoed = list(_echoed(blocks, call_ids))
    while echoed and is_thought(echoed[-1]):  # the API refuses an answer that ends with it
        del echoed[-1]
    return echoed


def _echoed(blocks: Sequence[Block], call_ids: dict[int, str]) -> Iterator[dict[str, Any]]:
    for position, block in enumerate(blocks):
        item = _item(block)
        if position in call_ids:
            yield {"type": "tool_use", "call_id": call_ids[position]}
        elif block in TEXTS and block.get("text"):
            yield {"type": "text", "text": block["text"]}
        elif item.get("type") == THINKING:
            text, digest = block.get("text", ""), item.get("digest")
            if digest in (None, text_digest(text)):  # the API refuses thinking that was edited
                kept = {key: item[key] for key in item if key != "digest"}
                yield {**kept, THINKING: text}
        elif is_content_block(item):
            yield item


def _item(block: Block) -> dict[str, Any]:
    return as_dict(as_dict(block.get("extra")).get("item"))


def repaired_content_block(kind: Kind, item: dict[str, Any]) -> dict[str, Any]:
    """Return a content block with no more than the server wants back; empty if it has no place in a block of a kind."""
    if kind is NOTICES and is_server_block(item):
        return {key: item[key] for key in _SERVER_KEYS if key in item}
    if kind is not REASONINGS or not is_thought(item):
        return {}
    sealed = _THOUGHTS[item["type"]]
    kept = {
        key: item[key]
        for key in ("type", sealed, "model", "digest")
        if isinstance(item.get(key), str)
    }
    return kept if kept.get(sealed) else {}


# Words for what the server did itself, as a sentence for a notice. Values may have any type. Pure.


def server_block_words(item: dict[str, Any]) -> str:
    """Return what the server did."""
    if item["type"] in _CALLS:
        return f"The server {_doing(item)}."
    return f"The server {_found(item)}."


def _doing(item: dict[str, Any]) -> str:
    name, given = str(item.get("name") or ""), as_dict(item.get("input"))
    if item["type"] == "mcp_tool_use":
        server = _quoted([item.get("server_name")])
        return f"called the tool {_quoted([name])} of {f'the MCP server {server}' if server else 'an MCP server'}"
    about = _quoted([given.get("query"), given.get("url"), given.get("pattern")])
    if name == "web_search":
        return f"searched the web{f' for {about}' if about else ''}"
    if name == "web_fetch":
        return f"opened the page {about}" if about else "opened a page"
    if name.endswith("code_execution"):
        return "ran code"
    if name.startswith("tool_search"):
        return f"searched its tools{f' for {about}' if about else ''}"
    return f"used its tool {_quoted([name])}"


def _found(item: dict[str, Any]) -> str:
    content, name = item.get("content"), item["type"].removesuffix(_RESULT).replace("_", " ")
    failed = as_dict(content).get("error_code")
    if failed or item.get("is_error") is True:
        said = _quoted([failed])
        return f"could not do this ({visible(one_line(name, 60))}){f': {said}' if said else ''}"
    pages = [page for page in as_list(content) if as_dict(page).get("url")]
    if pages:
        named = join_first([_page(page) for page in pages], _MOST_NAMED)
        return f"found {len(pages)} page{'' if len(pages) == 1 else 's'}: {named}"
    return f"has the result of its {visible(one_line(name, 60))}"


def _page(page: dict[str, Any]) -> str:
    url, title = _shown(page.get("url")), _shown(page.get("title"))
    return f"{title} ({url})" if title else url


def _shown(text: Any) -> str:
    return visible(excerpt(text, _SHOWN)) if isinstance(text, str) else ""


def _quoted(texts: list[Any]) -> str:
    return join_first([f'"{text}"' for text in map(_shown, texts) if text], _MOST_NAMED)
