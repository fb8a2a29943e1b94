"""Schemas of tools that others wrote, made into what model servers take. Pure.

Servers refuse a whole request for one tool whose schema is not of an object, has `anyOf` or the like at its top, an
array without `items`, a `$ref` that leads nowhere or a keyword with a value of the wrong type. What can be said
otherwise is said otherwise. A rule that no server takes is left out, since the tool itself checks its arguments.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from msgbook_format.typed import as_dict, as_items, as_list, as_texts, text_or_none

Schema = dict[str, Any]

_DEEPEST = 60
"""Schemas in one another."""
_HOPS = 20
"""References that lead from one to the next."""
_MOST_BRANCHES = 5000
"""Branches of combinations and their properties: OpenAI takes 5000 properties. References can multiply them."""

_TYPES = {"array", "boolean", "integer", "null", "number", "object", "string"}
_MEANT = {
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "map": "object",
    "none": "null",
    "str": "string",
    "text": "string",
    "tuple": "array",
}
"""Names of other languages for these types."""
_ALTERNATIVES = ("anyOf", "oneOf")
_NOT_AT_TOP = {*_ALTERNATIVES, "allOf", "not", "enum", "const", "if", "then", "else"}
_LEFT_OUT = {"dependencies", "additionalItems", "contentSchema"}


class UnfitSchemaError(Exception):
    """No schema of an object says what a tool's schema says. The message goes on from the schema's name."""


class _TooLargeError(UnfitSchemaError):
    """A schema cannot be walked to its end, so no branch of it may be left out as unfit."""


def fit_schema(schema: Mapping[str, Any]) -> Schema:
    """Return a schema of a tool's arguments that model servers take. One that fits stays as it is.

    Raises:
        UnfitSchemaError: Its arguments are not an object, or it cannot be read.
    """
    cleaned = _cleaned(dict(schema), 0)
    fitted = _Flattener(cleaned).as_object(cleaned)
    return {**_with_known_references(fitted, fitted), "type": "object"}


class _Flattener:
    """Makes schemas without combinations at their top, which name the properties of all of them.

    Args:
        root: The schema that references start from.
    """

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._left = _MOST_BRANCHES

    def as_object(self, schema: Schema, opened: frozenset[int] = frozenset()) -> Schema:
        """Return a schema of an object.

        Args:
            opened: Identities of the schemas that this one is a branch of.
        """
        self._count(schema, opened)
        opened |= {id(schema)}
        types = schema.get("type", "object")
        if "object" not in ([types] if isinstance(types, str) else types):
            raise UnfitSchemaError(f"is of the type {types!r}, and not of an object")
        made = {k: v for k, v in schema.items() if k not in _NOT_AT_TOP and k != "$ref"}
        properties, required = {**schema.get("properties", {})}, [*schema.get("required", ())]
        parts = [self.as_object(part, opened) for part in schema.get("allOf", ())]
        if "$ref" in schema:
            target = self.as_object(self._target(schema["$ref"]), opened)
            made = {**target, **made}
            parts.insert(0, target)
        for part in parts:
            _add(properties, part["properties"], "allOf")
            required += part.get("required", ())
        for branches in self._alternatives(schema, opened):
            for branch in branches:
                _add(properties, branch["properties"], "anyOf")
            required += _in_all(branch.get("required", ()) for branch in branches)
        required = list(dict.fromkeys(required))
        made["properties"] = {
            **properties,
            **{name: {} for name in required if name not in properties},
        }
        return {**made, "type": "object", **({"required": required} if required else {})}

    def _count(self, schema: Schema, opened: frozenset[int]) -> None:
        if id(schema) in opened:
            raise UnfitSchemaError("refers to itself")
        if len(opened) > _HOPS:
            raise _TooLargeError("is nested too deep")
        if opened:
            self._left -= 1 + len(schema.get("properties", ()))
        if self._left < 0:
            raise _TooLargeError(
                f"has too many branches: more than {_MOST_BRANCHES:,}, with their properties"
            )

    def _target(self, reference: str) -> Schema:
        target = _at(reference, self._root)
        if target is None:
            raise UnfitSchemaError(f"refers to {reference!r}, which it does not hold")
        return target

    def _alternatives(self, schema: Schema, opened: frozenset[int]) -> list[list[Schema]]:
        """Return the schemas of objects among which a schema lets choose, once for each choice."""
        choices: list[Sequence[Schema]] = [schema[key] for key in _ALTERNATIVES if key in schema]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if values is not None:
            choices.append([_of_value(value) for value in values])
        return [self._objects(choice, opened) for choice in choices]

    def _objects(self, choice: Sequence[Schema], opened: frozenset[int]) -> list[Schema]:
        branches = []
        for branch in choice:
            try:
                branches.append(self.as_object(branch, opened))
            except _TooLargeError:
                raise
            except UnfitSchemaError:
                continue  # no arguments are of this kind
        if not branches:
            raise UnfitSchemaError("lets choose among values that are not objects")
        return branches


def _of_value(value: Any) -> Schema:
    if not isinstance(value, dict):
        return {"type": "null"}
    properties = {name: {"enum": [one]} for name, one in value.items()}
    return {"type": "object", "properties": properties, "required": [*value]}


def _add(properties: Schema, others: Schema, combination: str) -> None:
    """Add properties. One that has two schemas gets a combination of both; one that says nothing adds nothing."""
    for name, other in others.items():
        known = properties.get(name)
        if not known:
            properties[name] = other
        elif not other or known == other:
            continue
        elif set(known) == {combination}:
            if other not in known[combination]:
                properties[name] = {combination: [*known[combination], other]}
        else:
            properties[name] = {combination: [known, other]}


def _in_all(lists: Iterable[Sequence[str]]) -> list[str]:
    first, *others = map(list, lists)
    return [name for name in first if all(name in other for other in others)]


def _cleaned(schema: Any, depth: int) -> Schema:
    """Return a schema whose keywords have values of their types, and whose arrays have `items`."""
    if depth > _DEEPEST:
        raise UnfitSchemaError("is nested too deep")
    if not isinstance(schema, dict):
        return {}
    made: Schema = {}
    for key, value in schema.items():
        if key in _LEFT_OUT or (key.startswith("$") and key not in ("$ref", "$defs", "$comment")):
            continue
        kept = _KEYWORDS[key](value, depth + 1) if key in _KEYWORDS else value
        if kept is not None or key not in _KEYWORDS:
            made[key] = kept
    _mend_bounds(schema, made)
    types = made.get("type", ())
    if "array" in ([types] if isinstance(types, str) else types) and "items" not in made:
        made["items"] = {}
    if "properties" in made:
        missing = [name for name in made.get("required", ()) if name not in made["properties"]]
        made["properties"] |= {name: {} for name in missing}
    return made


def _mend_bounds(given: Schema, made: Schema) -> None:
    """Turn the bounds of older schemas, `minimum` and `exclusiveMinimum: true`, into one."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if given.get(exclusive) is True and bound in made:
            made[exclusive] = made.pop(bound)


def _one(value: Any, depth: int) -> Schema | None:
    return _cleaned(value, depth) if isinstance(value, dict | bool) else None


def _one_or_bool(value: Any, depth: int) -> Schema | bool | None:
    return value if isinstance(value, bool) else _one(value, depth)


def _items(value: Any, depth: int) -> Schema:
    """Return the schema of items. A list, which older schemas have, gives one to each place."""
    if not isinstance(value, list):
        return _cleaned(value, depth)
    each: list[Schema] = []
    for one in value:
        cleaned = _cleaned(one, depth)
        each += [cleaned] if cleaned not in each else []
    return {"anyOf": each} if len(each) > 1 else (each or [{}])[0]


def _several(value: Any, depth: int) -> list[Schema] | None:
    given = as_list(value)
    return [_cleaned(one, depth) for one in given if isinstance(one, dict | bool)] or None


def _named(value: Any, depth: int) -> Schema | None:
    given = as_dict(value)
    return {name: _cleaned(one, depth) for name, one in given.items() if one is not False}


def _type(value: Any, _depth: int) -> str | list[str] | None:
    given = as_items(value)
    meant = [_MEANT.get(one.lower(), one.lower()) for one in as_texts(given)]
    types = list(dict.fromkeys(one for one in meant if one in _TYPES))
    if not types or len(types) < len(set(meant)):
        return None  # one that is not known may be any
    return types if isinstance(value, list) else types[0]


def _names(value: Any, _depth: int) -> list[str] | None:
    return list(dict.fromkeys(as_texts(value))) or None


def _values(value: Any, _depth: int) -> list[Any] | None:
    found: dict[str, Any] = {}
    for one in as_list(value):
        try:
            # Python takes 1 and True for the same value, JSON does not.
            found.setdefault(json.dumps(one, sort_keys=True), one)
        except (TypeError, ValueError, RecursionError):
            raise UnfitSchemaError("has a value that is not JSON, or nested too deep") from None
    return [*found.values()] or None


def _name_lists(value: Any, depth: int) -> Schema | None:
    given = as_dict(value)
    return {name: names for name, one in given.items() if (names := _names(one, depth))} or None


def _number(value: Any, _depth: int) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _positive(value: Any, depth: int) -> float | None:
    number = _number(value, depth)
    return number if number is not None and number > 0 else None


def _count(value: Any, _depth: int) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


def _text(value: Any, _depth: int) -> str | None:
    return text_or_none(value)


def _flag(value: Any, _depth: int) -> bool | None:
    return value if isinstance(value, bool) else None


def _pattern(value: Any, _depth: int) -> str | None:
    """Return a regular expression that Python knows, too: servers check them with it."""
    try:
        re.compile(value)
    except (re.error, TypeError, RecursionError, OverflowError):
        return None
    return text_or_none(value)


_KEYWORDS: dict[str, Callable[[Any, int], Any]] = {
    "type": _type,
    "items": _items,
    **dict.fromkeys(("not", "if", "then", "else", "contains", "propertyNames"), _one),
    **dict.fromkeys(
        ("additionalProperties", "unevaluatedProperties", "unevaluatedItems"), _one_or_bool
    ),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _several),
    **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions"), _named),
    "dependentSchemas": _named,
    "dependentRequired": _name_lists,
    "required": _names,
    "enum": _values,
    "examples": lambda value, _depth: value if isinstance(value, list) else None,
    "pattern": _pattern,
    "multipleOf": _positive,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _count),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), _count),
    **dict.fromkeys(("title", "description", "format", "$comment", "$ref"), _text),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), _text),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _flag),
}
"""What is kept of the value of each keyword; None for nothing. Keywords that are not here stay as they are."""

_HOLD_ONE = {"not", "if", "then", "else", "contains", "propertyNames", "items"}
_HOLD_ONE |= {"additionalProperties", "unevaluatedProperties", "unevaluatedItems"}
_HOLD_SEVERAL = {"anyOf", "oneOf", "allOf", "prefixItems"}
_HOLD_NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}


def _with_known_references(schema: Any, root: Schema) -> Any:
    """Return a schema without the references that lead nowhere; anything may stand there."""
    if not isinstance(schema, dict):
        return schema
    made: Schema = {}
    for key, value in schema.items():
        if key == "$ref" and _target(value, root) is None:
            continue
        if key in _HOLD_ONE:
            made[key] = _with_known_references(value, root)
        elif key in _HOLD_SEVERAL:
            made[key] = [_with_known_references(one, root) for one in value]
        elif key in _HOLD_NAMED:
            made[key] = {name: _with_known_references(one, root) for name, one in value.items()}
        else:
            made[key] = value
    return made


def _target(reference: str, root: Schema) -> Schema | None:
    """Return the schema that a reference leads to; None for nothing, or for another reference without end."""
    for _ in range(_HOPS):
        found = _at(reference, root)
        if found is None or "$ref" not in found:
            return found
        reference = found["$ref"]
    return None


def _at(reference: str, root: Schema) -> Schema | None:
    if reference != "#" and not reference.startswith("#/"):
        return None
    found: Any = root
    for step in unquote(reference[1:]).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            found = as_dict(found).get(name)
    return found if isinstance(found, dict) else None
