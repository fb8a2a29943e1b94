"""Words for an item of the Responses API: what the server did, as a sentence for a notice. Pure.

The items are those of https://platform.openai.com/docs/api-reference/responses/object. Values come from
a server and may have any type; they are shown on one line, bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook.text import excerpt, join_first, one_line, visible

_SHOWN = 200
"""Characters of a query or an address that are shown."""
_MOST_QUERIES = 3


def item_words(item: dict[str, Any]) -> str:
    """Return what the server did, or the item's type if that is not known."""
    kind = item.get("type")
    describe = _DONE.get(kind) if isinstance(kind, str) else None
    if describe is None:
        name = visible(one_line(str(kind), 100)).replace("`", "'")
        return f"The server sent an item that msgbook cannot display: `{name}`."
    failed = item.get("status") == "failed" or bool(item.get("error"))
    return f"The server {describe(item)}.{' It failed.' if failed else ''}"


def _web_search(item: dict[str, Any]) -> str:
    action = item.get("action")
    if not isinstance(action, dict):
        return "searched the web"
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
    quoted = _quoted(queries if isinstance(queries, list) else [])
    return f" for {quoted}" if quoted else ""


def _quoted(texts: list[Any]) -> str:
    """Return those that are texts in quotation marks; empty if there are none."""
    lines = [visible(excerpt(text, _SHOWN)) for text in texts if isinstance(text, str)]
    return join_first([f'"{line}"' for line in lines if line], _MOST_QUERIES)
