"""The elements of a request that a server's words refuse: its tools, by name or place, pictures and documents. Pure.

Servers name a tool by its name, as `tools[3].function.parameters` (OpenAI), `tools.3.custom.input_schema` (Anthropic),
`tools -> 3` (pydantic) or `function_declarations[3]` (Gemini), and a picture by `messages[1].content[2]`,
`input[1].content[2]` (the Responses API) or its URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from msgbook.messages import Message, Part, document_name
from msgbook.provider.anthropic.content import as_parts, sent_messages
from msgbook.provider.base import Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.responses.body import input_items
from msgbook.tool_calls import OWN_NAMES
from msgbook_format.typed import as_list, as_text

Elements = frozenset[str]
"""Names or digests of elements of a request."""
PartsOf = Callable[[Message], list[Part]]
"""Returns the parts of a message that are of one type."""

_MCP_SERVER = re.compile(r"mcp__.+?__")
_AT = r"(?:\[|\.|/|\s*->\s*|\(|['\"]\s*,\s*)"
_DECLARED_AT = re.compile(rf"function_?declarations{_AT}(\d+)", re.IGNORECASE)
_TOOL_AT = re.compile(rf"\btools{_AT}(\d+)|\bTool (\d+) function\b")
"""The second is SGLang's."""
_MEMBER_AT = re.compile(r"\btoolConfig\.tools\.(\d+)\.member\b")
"""Bedrock counts from 1 here, and from 0 elsewhere."""
_MESSAGE_AT = re.compile(
    rf"\b(messages|input|contents){_AT}(\d+)(?:\W{{1,4}}\w*?content{_AT}(\d+))?"
)
_SAID_OF_A_CALL = re.compile(
    r"tool_use_failed|failed_generation|attempted to call|tool call validation|tool[_ ]choice"
    r"|\btool_calls\b|\b(tool call|function) arguments\b",
    re.IGNORECASE,
)
"""Words about a call that a model made, or about a choice among the tools: no tool is refused."""

_SCHEMA_OF_TOOL = re.compile(
    r"\bschema\b.{0,40}\b(function|tool)s?\b|\b(function|tool)s?\b.{0,40}\bschema\b|\bjson schema\b|\bgrammar\b|\bunrecognized schema\b"
    r"|\btools\b.{0,20}\b(function|parameters|input_schema)\b|\b(tool|parameter|function) definitions?\b",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"jinja template|\{%|\{\{|chat[ _]template", re.IGNORECASE)
_OF_A_TEMPLATES_TOOLS = re.compile(
    r"tool|\bfilter\b|callable|NullValue|UndefinedValue", re.IGNORECASE
)
"""Words of llama.cpp and LM Studio whose template failed, as it does on a type in a schema that it does not know."""
_OF_A_CONVERSATION = re.compile(r"\broles?\b|alternat|raise_exception", re.IGNORECASE)
_OF_AN_ANSWER = re.compile(r"response_?format|\btext\.format\b|structured output", re.IGNORECASE)
"""Words about the schema of an answer, which an agent's settings hold."""
_OF_A_SCHEMA = re.compile(r"schema|grammar|parameters|declaration|definition", re.IGNORECASE)
"""Words without which a server's own failure is not about the definition of a tool."""


def tool_name(tool: dict[str, Any]) -> str:
    """Return the name of a tool; for one that runs at the server its type."""
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else tool.get("name")
    return str(name or tool.get("type", ""))


def all_tools(request: Request) -> list[dict[str, Any]]:
    """Return the tools of a request in their order: ours, and those that the user's options add."""
    return [*request.tools, *added_tools(request)]


def added_tools(request: Request) -> list[dict[str, Any]]:
    """Return the tools that the user's options add."""
    added = request.options.get("tools")
    given = added if isinstance(added, list | tuple) else ()
    return [tool for tool in given if isinstance(tool, dict)]


def named_tools(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the names of the tools that a refusal is about; None for none."""
    words = refusal.words
    tools = [*map(tool_name, all_tools(request))]
    places = _places(words)
    if not places and (_SAID_OF_A_CALL.search(words) or _MESSAGE_AT.search(words)):
        return None
    if refusal.status >= 500 and not (places or _OF_A_SCHEMA.search(words)):
        return None
    named = {name for name in tools if _is_named(name, words)}
    if not named:
        named = {tools[place] for place in places if 0 <= place < len(tools)}
    return frozenset(named) or None


def is_placed(refusal: RefusedError, request: Request) -> bool:
    """Return whether a refusal names tools by their places alone, which some servers count in ways of their own."""
    words = refusal.words
    names = map(tool_name, all_tools(request))
    return bool(_places(words)) and not any(_is_named(name, words) for name in names)


def _places(words: str) -> list[int]:
    if members := _MEMBER_AT.findall(words):
        return [int(place) - 1 for place in members if len(place) < 6]
    found = _DECLARED_AT.findall(words) or [one or other for one, other in _TOOL_AT.findall(words)]
    return [int(place) for place in found if len(place) < 6]


def of_others(names: Iterable[str]) -> Elements:
    """Return those of some names that are of other tools than msgbook's own: of MCP servers, plug-ins, the notebook."""
    return frozenset(names) - OWN_NAMES


def every_tool(refusal: RefusedError, request: Request) -> Elements | None:
    """Return all tools, msgbook's own, too, if a refusal names one by its place; None if not."""
    if not is_placed(refusal, request):
        return None
    return frozenset(map(tool_name, request.tools)) or None


def unnamed_tools(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the tools that are not msgbook's own if a refusal is about a tool that it does not name, or names by a
    place, which may be wrong; None for none.

    Their schemas are of many authors; those of msgbook's own tools are taken by all servers.
    """
    is_unnamed = names_a_tool(refusal) and not named_tools(refusal, request)
    if not (is_unnamed or is_placed(refusal, request)):
        return None
    return of_others(map(tool_name, request.tools)) or None


def names_a_tool(refusal: RefusedError) -> bool:
    """Return whether a refusal is about a tool, or the schema of one, whichever it is."""
    words = refusal.words
    is_other = _SAID_OF_A_CALL.search(words) or _OF_AN_ANSWER.search(words)
    return not is_other and bool(_SCHEMA_OF_TOOL.search(words) or is_of_template(words))


def is_of_template(words: str) -> bool:
    """Return whether a server's template failed on the tools."""
    if not _TEMPLATE.search(words) or _OF_A_CONVERSATION.search(words):
        return False
    return bool(_OF_A_TEMPLATES_TOOLS.search(words))


def with_siblings(request: Request, names: Elements) -> Elements:
    """Return tools with all others of their MCP servers."""
    servers = {found[0] for name in names if (found := _MCP_SERVER.match(name))}
    siblings = {
        name
        for name in map(tool_name, all_tools(request))
        if (found := _MCP_SERVER.match(name)) and found[0] in servers
    }
    return names | siblings


def _is_named(name: str, words: str) -> bool:
    """Return whether words name a tool. A name that could be a plain word has to stand as a name."""
    if not name:
        return False
    whole = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    if "_" in name or "-" in name:
        return bool(re.search(whole, words))
    quoted = rf"[\"'`“‘«「\[]{whole}[\"'`”’»」\]]"
    return bool(re.search(rf"{quoted}|\b(function|tool)s?\W{{1,3}}{whole}", words, re.IGNORECASE))


def image_key(part: Part) -> str:
    """Return a digest of an image part, the same in all requests."""
    return sha256(_url(part).encode(errors="replace")).hexdigest()[:16]


def document_key(part: Part) -> str:
    """Return name and digest of a document, the same in all requests: a changed file is another document."""
    digest = sha256(str(part["file"].get("file_data")).encode(errors="replace")).hexdigest()
    return f"{document_name(part)} (sha256 {digest[:8]})"


def images_of(message: Message) -> list[Part]:
    """Return the image parts of a message."""
    return _parts_of(message, "image_url")


def documents_of(message: Message) -> list[Part]:
    """Return the parts of a message that are documents."""
    return _parts_of(message, "file")


def _parts_of(message: Message, kind: str) -> list[Part]:
    content = message.get("content")
    parts = as_list(content)
    return [part for part in parts if isinstance(part, dict) and part.get("type") == kind]


def image_keys(request: Request) -> list[str]:
    """Return the digests of all images of a request in their order."""
    return [image_key(part) for message in request.messages for part in images_of(message)]


def document_keys(request: Request) -> list[str]:
    """Return the keys of all documents of a request in their order."""
    return [
        document_key(part)
        for message in request.messages
        # The content of most messages is a text.
        if isinstance(message.get("content"), list)
        for part in documents_of(message)
    ]


def named_images(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the images that a refusal is about: those that it names, else those of the last message that has
    some, since the server has taken the ones before. None if there are no images.
    """
    words = refusal.words
    named = {*map(image_key, _parts_at(words, request, images_of))}
    if not named:
        images = [part for message in request.messages for part in images_of(message)]
        urls = [part for part in images if not _url(part).startswith("data:")]
        named = {image_key(part) for part in urls if _url(part) and _url(part) in words}
    return frozenset(named or map(image_key, _newest(request, images_of))) or None


def placed_images(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the images whose places in their messages a refusal names; None for none."""
    found = _parts_at(refusal.words, request, images_of, in_message=True)
    return frozenset(map(image_key, found)) or None


def named_documents(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the documents that a refusal is about: those that it names by place or name, else those of the last
    message that has some. None if there are no documents.
    """
    words = refusal.words
    named = [*_parts_at(words, request, documents_of)]
    if not named:
        documents = [part for message in request.messages for part in documents_of(message)]
        named = [part for part in documents if _is_file_named(document_name(part), words)]
    return frozenset(map(document_key, named or _newest(request, documents_of))) or None


def placed_documents(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the documents whose places in their messages a refusal names; None for none."""
    found = _parts_at(refusal.words, request, documents_of, in_message=True)
    return frozenset(map(document_key, found)) or None


def _newest(request: Request, parts_of: PartsOf) -> list[Part]:
    return next(filter(None, map(parts_of, reversed(request.messages))), [])


def _is_file_named(name: str, words: str) -> bool:
    return bool(re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w-])", words))


def names_a_part(refusal: RefusedError) -> bool:
    """Return whether a refusal is about one part of a message."""
    return any(part for *_, part in _MESSAGE_AT.findall(refusal.words))


def _parts_at(
    words: str, request: Request, parts_of: PartsOf, *, in_message: bool = False
) -> Iterator[Part]:
    for kind, place, part in _MESSAGE_AT.findall(words):
        if len(place) > 6 or len(part) > 6 or (in_message and not part):
            continue
        yield from _message_at(kind, int(place), request, parts_of, int(part) if part else None)


def _message_at(
    kind: str, place: int, request: Request, parts_of: PartsOf, part_place: int | None
) -> list[Part]:
    """Return the parts of a message that is named by its place; servers count without a system message, too."""
    messages = request.messages
    is_system = bool(messages) and messages[0].get("role") == "system"
    if kind == "messages" and "cache_control" in request.options:  # of the Messages API
        return _block_at(request, messages[is_system:], place, parts_of, part_place)
    if kind == "input":
        items = input_items(messages[is_system:])
        sent = [_as_message(item) for item in items[place : place + 1]]
    else:
        sent = messages[place : place + 1 + is_system]
    for message in sent:
        content, found = message.get("content"), parts_of(message)
        if part_place is not None and isinstance(content, list):
            found = [part for part in found if content[part_place : part_place + 1] == [part]]
        if found:
            return found
    return []


def _block_at(
    request: Request,
    messages: list[Message],
    place: int,
    parts_of: PartsOf,
    block_place: int | None,
) -> list[Part]:
    """Return the parts of a message of the Messages API, which has neighbours as one message."""
    for message in sent_messages(messages, request.model)[0][place : place + 1]:
        blocks = message["content"]
        named = blocks if block_place is None else blocks[block_place : block_place + 1]
        return parts_of({"content": [part for block in named for part in as_parts(block)]})
    return []


def _as_message(item: dict[str, Any]) -> Message:
    """Return an item of the Responses API with its images and documents as a message has them."""
    content = item.get("content", item.get("output"))
    return {"content": [*map(_as_part, content)] if isinstance(content, list) else []}


def _as_part(part: Part) -> Part:
    if part.get("type") == "input_image":
        return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    if part.get("type") == "input_file":
        return {"type": "file", "file": {k: v for k, v in part.items() if k != "type"}}
    return part


def _url(part: Part) -> str:
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    return as_text(url)
