"""Arguments of a tool call in the body of its output cell, in the ways that models write them.

A call is XML whose elements have no fixed names (seed 004), so every usual form is read:
`<read><path>a.py</path></read>`, `<invoke name="read"><parameter name="path">`,
`<function=read><parameter=path>`, `<tool_call><arguments>` around JSON or elements,
`<tool_call>{"name": "read", "arguments": {}}</tool_call>`, attributes, or JSON alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn.kinds import TOOL_CALLS, kind_of
from msgbook_format.turn.output_cells.elements import Element, decode_text, parse_elements
from msgbook_format.typed import text_or_none

_CALLS = frozenset(
    (
        "tool_call",
        "tool_calls",
        "tool_use",
        "function_call",
        "function_calls",
        "function",
        "invoke",
        "tool",
        "call",
    )
)
"""Elements around a call, or its name and arguments."""

_ARGUMENTS = frozenset(("arguments", "args", "parameters", "params", "input"))
"""Elements around all arguments, and keys of them in JSON."""

_PARAMETERS = frozenset(("parameter", "param", "argument", "arg"))
"""Elements around one argument, whose name is an attribute."""

_NAMES = frozenset(("name", "tool_name", "function_name"))
_LABELS = frozenset(("id", "type"))
"""Attributes and keys of a call that are not arguments."""
_FENCED = re.compile(r"\s*(?P<fence>`{3,}|~{3,})[^\n`~]*\n(?P<inner>.*)\n(?P=fence)\s*", re.DOTALL)


class CallText(NamedTuple):
    """Tool and arguments of a call."""

    name: str | None
    """Name of the tool, if it is known."""
    arguments: str | None
    """Text of a JSON object; None if the body cannot be understood as arguments."""


class _NotUnderstoodError(Exception):
    """The text is not a single call of the tool with arguments."""


def read_call_text(text: str, name: str | None) -> CallText:
    """Return the tool's name and the arguments in the body of a call. Nothing is left out silently.

    Values are strings, as XML has no other types. An argument that holds nothing but elements is an
    object, repeated elements are a list, and what is neither is its XML as it stands. A code fence
    around all of the text is left out.

    Args:
        name: Name of the tool, if the footnote of the call says it. A text that names another tool
            is not understood.
    """
    fenced = _FENCED.fullmatch(text)
    if fenced:
        text = fenced["inner"]
    reader = _Reader(text, name)
    try:
        arguments = reader.read_call(parse_elements(text))
    except _NotUnderstoodError:
        return CallText(reader.name, None)
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return CallText(reader.name, arguments)


class _Reader:
    def __init__(self, text: str, name: str | None) -> None:
        self.name = name
        self._text = text

    def read_call(self, call: Element) -> dict[str, Any] | str:
        """Return the arguments in an element around a call, as an object or the text of one."""
        attributes = [pair for pair in call.attributes if pair[0] not in _LABELS]
        for pair in attributes:
            if pair[0] == "name":
                self._settle_name(pair[1])
        attributes = [pair for pair in attributes if pair[0] != "name"]
        if call.value is not None:
            self._settle_name(call.value)
        if not call.is_structure:
            return self._read_json(call, attributes, is_call=True)
        rest = self._without_name(call.children)
        inner = rest[0] if len(rest) == 1 and not attributes else None
        if inner is not None and inner.local_name in _CALLS:
            return self.read_call(inner)
        if inner is not None and (inner.local_name in _ARGUMENTS or inner.name == self.name):
            return self._read_arguments(inner)
        if any(child.local_name in _CALLS for child in rest):
            raise _NotUnderstoodError
        return self._collect(attributes, rest)

    def _settle_name(self, name: str) -> None:
        if self.name is not None and self.name != name:
            raise _NotUnderstoodError
        self.name = name

    def _without_name(self, children: list[Element]) -> list[Element]:
        """Return elements without the one that names the tool."""
        named = [child for child in children if child.local_name in _NAMES and not child.children]
        if len(named) != 1:
            return children
        rest = [child for child in children if child is not named[0]]
        name = decode_text(self._inner(named[0])).strip()
        if not name or self.name not in (None, name):
            has_arguments = len(rest) == 1 and rest[0].local_name in _ARGUMENTS
            if has_arguments:
                raise _NotUnderstoodError
            return children
        self.name = name
        return rest

    def _read_arguments(self, element: Element) -> dict[str, Any] | str:
        if element.is_structure:
            return self._collect(element.attributes, element.children)
        return self._read_json(element, element.attributes, is_call=False)

    def _read_json(
        self, element: Element, attributes: list[tuple[str, str]], *, is_call: bool
    ) -> dict[str, Any] | str:
        """Return the arguments of an element that holds JSON, or nothing."""
        if element.is_empty:
            return self._collect(attributes, [])
        raw = self._inner(element).strip()
        candidates = [raw]
        if not element.children and not element.is_loose:
            candidates.insert(0, decode_text(raw))
        for candidate in candidates:
            value = jsontext.load_object(candidate)
            if value is None or attributes or jsontext.needs_json(candidate):
                continue
            return (self._read_json_call(value) if is_call else None) or candidate
        raise _NotUnderstoodError

    def _read_json_call(self, value: dict[str, Any]) -> dict[str, Any] | str | None:
        """Return the arguments in `{"name": ..., "arguments": ...}`; None for any other object."""
        keys = value.keys() - _LABELS
        if len(keys) != 2 or "name" not in keys or not isinstance(value["name"], str):
            return None
        (key,) = keys - {"name"}
        if key not in _ARGUMENTS or self.name not in (None, value["name"]):
            return None
        arguments: Any = value[key]
        is_text = isinstance(arguments, str) and jsontext.load_object(arguments) is not None
        if not is_text and not isinstance(arguments, dict):
            return None
        self.name = value["name"]
        return arguments  # type: ignore[no-any-return]  # an object or the text of one

    def _collect(
        self, attributes: list[tuple[str, str]], elements: list[Element]
    ) -> dict[str, Any]:
        """Return attributes and elements by name; those of one name are a list."""
        values: dict[str, list[Any]] = {}
        for key, value in attributes:
            values.setdefault(key, []).append(value)
        for element in elements:
            name = _parameter_name(element)
            if name is not None:
                values.setdefault(name, []).append(self._read_parameter(element))
            else:
                values.setdefault(element.name, []).append(self._read_value(element))
        return {key: found[0] if len(found) == 1 else found for key, found in values.items()}

    def _read_parameter(self, element: Element) -> str:
        """Return the text of an element that names its argument, with any elements in it."""
        given = [value for key, value in element.attributes if key == "value"]
        return given[0] if given and element.is_empty else self._read_text(element)

    def _read_value(self, element: Element) -> Any:
        if element.attributes:
            if element.is_empty:
                return self._collect(element.attributes, [])
            return self._text[element.start : element.end]
        value = self._read_structure(element) if element.is_structure else None
        return self._read_text(element) if value is None else value

    def _read_structure(self, element: Element) -> Any:
        """Return an element as an object; None if there is anything in it but elements or text."""
        if element.attributes or _parameter_name(element) is not None:
            return None
        if not element.is_structure:
            mixed = element.children or element.is_loose
            return None if mixed else self._read_text(element)
        values: dict[str, list[Any]] = {}
        for child in element.children:
            value = self._read_structure(child)
            if value is None:
                return None
            values.setdefault(child.name, []).append(value)
        return {key: found[0] if len(found) == 1 else found for key, found in values.items()}

    def _read_text(self, element: Element) -> str:
        """Return the text in an element, without a line end after its first tag and one before its last."""
        text = self._inner(element)
        start = text.lstrip(" \t")
        text = start[1:] if start[:1] == "\n" else text
        end = text.rstrip(" \t")
        text = end[:-1] if end[-1:] == "\n" else text
        return text if element.children or element.is_loose else decode_text(text)

    def _inner(self, element: Element) -> str:
        return self._text[element.inner_start : element.inner_end]


def _parameter_name(element: Element) -> str | None:
    """Return the name of the argument that an element such as `<parameter name="path">` holds."""
    if element.local_name not in _PARAMETERS:
        return None
    if element.value is not None:
        return element.value
    return next((value for key, value in element.attributes if key == "name"), None)


# Content of a block as the body of its output cell, and back.


_ONLY_ARGUMENTS = re.compile(r"\s*<tool_call>\s*<arguments>([^<]*)</arguments>\s*</tool_call>\s*")
_OF_RESULTS = frozenset(("status", "duration", "encoding"))
_RESULT_LABEL = re.compile(r"\.[0-9]{1,7}$")
"""End of the label of a result. That of a call is a nonce, of eight digits."""


def names_tool(output_cell: TextCell) -> bool:
    """Return whether the body of an output cell without a name is a call that names its tool."""
    keys = dict(output_cell.attributes).keys()
    if not output_cell.body.startswith(("<", "```", "~~~")) or keys & _OF_RESULTS:
        return False
    if _RESULT_LABEL.search(output_cell.label or ""):
        return False
    return bool(read_call_text(output_cell.body, None).name)


def write_body(output_cell: TextCell, block: dict[str, Any], rest: dict[str, Any]) -> None:
    """Write the content of a readable block into an output cell, in place, and take it from `rest`."""
    kind = kind_of(block)
    body = rest.pop(kind.content)
    if kind is TOOL_CALLS:
        text = rest.get("xml")
        if isinstance(text, str) and _is_call_text(text, block["name"], body):
            output_cell.body = rest.pop("xml")
            return
        escaped = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body = f"<tool_call><arguments>{escaped}</arguments></tool_call>"
    elif isinstance(body, list):
        output_cell.attributes.append(("encoding", "json"))
        body = jsontext.dumps_indented(body)
    output_cell.body = body


def read_body(output_cell: TextCell, attributes: AttributeReader, block: dict[str, Any]) -> None:
    """Add the content of an output cell to its block, in place."""
    kind = kind_of(block)
    content: Any = output_cell.body
    if kind is TOOL_CALLS:
        match = _ONLY_ARGUMENTS.fullmatch(output_cell.body)
        if match:
            text = match[1].replace("&lt;", "<").replace("&gt;", ">")
            content = text.replace("&amp;", "&")
        elif output_cell.body:
            call = read_call_text(output_cell.body, block.get("name"))
            if call.name is not None:
                block.setdefault("name", call.name)
            block["xml"] = output_cell.body
            content = output_cell.body if call.arguments is None else call.arguments
    elif kind.has_parts and ("encoding", "json") in attributes.rest:
        try:
            parts = jsontext.loads(output_cell.body)
        except ValueError:
            parts = None
        if isinstance(parts, list):
            attributes.take("encoding")
            content = parts
    block[kind.content] = content


def is_understood(output_cell: TextCell) -> bool:
    """Return whether the body of a call says its arguments, if it says anything."""
    body = output_cell.body
    if not body or _ONLY_ARGUMENTS.fullmatch(body):
        return True
    name = next((value for key, value in output_cell.attributes if key == "name"), None)
    return read_call_text(body, text_or_none(name)).arguments is not None


def _is_call_text(text: str, name: str, arguments: str) -> bool:
    """Return whether a call with these arguments can be written as `text`."""
    if text == "" or _ONLY_ARGUMENTS.fullmatch(text) or jsontext.needs_json(text):
        return False
    found = read_call_text(text, name).arguments
    return (text if found is None else found) == arguments
