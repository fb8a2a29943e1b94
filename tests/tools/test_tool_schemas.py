"""Schemas that model servers refuse are said otherwise, and those that cannot be are not sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from msgbook.config import Settings
from msgbook.engine import Conversation, Services
from msgbook.tool_calls import OWN_NAMES
from msgbook.tools.cell_tools import cell_tools
from msgbook.tools.functions import AbsentPython
from msgbook.tools.tool_schemas import UnfitSchemaError, fit_schema

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
COMBINATIONS = {"anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"}


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """All schemas in a schema that is known to be valid."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        if key in ("items", "not", "additionalProperties", "contains"):
            yield from schemas_in(value)
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for one in value:
                yield from schemas_in(one)
        elif key in ("properties", "$defs", "definitions"):
            for one in value.values():
                yield from schemas_in(one)


def check(fitted: dict[str, Any]) -> None:
    """No server that is known refuses it."""
    Draft202012Validator.check_schema(fitted)
    assert fitted["type"] == "object"
    assert isinstance(fitted["properties"], dict)
    assert not COMBINATIONS & fitted.keys()
    for one in schemas_in(fitted):
        types = one.get("type", ())
        assert "array" not in ([types] if isinstance(types, str) else types) or "items" in one
        if "$ref" in one:
            validator = Draft202012Validator({**fitted, "$ref": one["$ref"]})
            assert validator.is_valid({}) in (True, False)  # it leads somewhere


@pytest.mark.parametrize(
    ("schema", "properties", "required"),
    [
        ({}, {}, None),
        ({"type": "object"}, {}, None),
        ({"properties": {"a": TEXT}}, {"a": TEXT}, None),
        ({"type": ["object", "null"], "properties": {"a": TEXT}}, {"a": TEXT}, None),
        (
            {"type": "object", "anyOf": [{"properties": {"a": TEXT}}, {"properties": {"b": NUMBER}}]},
            {"a": TEXT, "b": NUMBER},
            None,
        ),
        (
            {
                "type": "object",
                "properties": {"a": TEXT, "b": TEXT},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
            {"a": TEXT, "b": TEXT},
            None,
        ),
        (
            {
                "oneOf": [
                    {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]},
                    {"type": "object", "properties": {"a": NUMBER}, "required": ["a"]},
                    {"type": "null"},
                ]
            },
            {"a": {"anyOf": [TEXT, NUMBER]}, "b": TEXT},
            ["a"],
        ),
        (
            {
                "type": "object",
                "properties": {"a": TEXT},
                "required": ["a"],
                "allOf": [{"properties": {"b": TEXT}, "required": ["b"]}, {"$ref": "#/$defs/c"}],
                "$defs": {"c": {"properties": {"c": NUMBER}}},
            },
            {"a": TEXT, "b": TEXT, "c": NUMBER},
            ["a", "b"],
        ),
        (
            {"$ref": "#/definitions/In", "definitions": {"In": {"type": "object", "properties": {"a": TEXT}}}},
            {"a": TEXT},
            None,
        ),
        (
            {"enum": [{"a": 1}, {"a": 2, "b": 3}]},
            {"a": {"anyOf": [{"enum": [1]}, {"enum": [2]}]}, "b": {"enum": [3]}},
            ["a"],
        ),
        ({"type": "object", "not": {"required": ["a"]}}, {}, None),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, {"a": {"type": "array", "items": {}}}, None),
        (
            {"properties": {"a": {"type": ["array", "null"], "items": [TEXT, NUMBER]}}},
            {"a": {"type": ["array", "null"], "items": {"anyOf": [TEXT, NUMBER]}}},
            None,
        ),
        (
            {"properties": {"a": {"$ref": "https://example.org/x.json", "description": "An x."}}},
            {"a": {"description": "An x."}},
            None,
        ),
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, {"a": {}}, None),
        ({"properties": {"a": {"type": "float"}, "b": {"type": "any"}, "c": True, "d": False}},
         {"a": {"type": "number"}, "b": {}, "c": {}}, None),
        ({"properties": {"a": {**TEXT, "required": True, "enum": []}}, "required": ["a", "x", 3]},
         {"a": TEXT, "x": {}}, ["a", "x"]),
        ({"properties": {"a": {**NUMBER, "minimum": 0, "exclusiveMinimum": True}}},
         {"a": {**NUMBER, "exclusiveMinimum": 0}}, None),
        ({"properties": {"a": {**TEXT, "pattern": r"^\p{L}+$", "minLength": "3"}}}, {"a": TEXT}, None),
    ],
)  # fmt: skip
def test_what_can_be_said_otherwise_is_said_otherwise(schema, properties, required):
    fitted = fit_schema(schema)

    check(fitted)
    assert (fitted["properties"], fitted.get("required")) == (properties, required)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": TEXT},
        {"type": "string"},
        {"type": "null"},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"enum": ["a", "b"]},
        {"const": 3},
        {"allOf": [{"type": "string"}]},
        {"$ref": "#/$defs/gone"},
        {"$ref": "https://example.org/x.json"},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
    ],
)
def test_what_is_of_no_object_is_not_made_into_one(schema):
    with pytest.raises(UnfitSchemaError):
        fit_schema(schema)


def test_a_schema_that_is_nested_without_end_is_not_sent():
    schema: dict[str, Any] = {}
    for _ in range(200):
        schema = {"type": "object", "properties": {"a": schema}}

    with pytest.raises(UnfitSchemaError, match="too deep"):
        fit_schema(schema)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b", "^x$", "(", "#", "#/$defs/a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip
TYPES = st.sampled_from(["object", "array", "string", "int", "any", "null", ["object", "null"], 3])
KEYS = st.sampled_from(
    [
        "items",
        "enum",
        "const",
        "required",
        "properties",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "pattern",
        "title",
        "description",
        "format",
        "not",
        "anyOf",
        "oneOf",
        "allOf",
        "prefixItems",
        "$ref",
        "$defs",
        "$id",
        "$schema",
        "additionalProperties",
        "multipleOf",
        "uniqueItems",
        "examples",
        "default",
        "dependentRequired",
        "dependencies",
        "if",
        "x-own",
    ]
)
SCHEMAS = st.recursive(
    st.fixed_dictionaries({}, optional={"type": TYPES}) | VALUES,
    lambda inner: (
        st.fixed_dictionaries(
            {},
            optional={
                "type": TYPES,
                "items": inner | st.lists(inner, max_size=2),
                "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
                "required": st.lists(st.sampled_from("abcx"), max_size=3),
                "anyOf": st.lists(inner, max_size=3),
                "oneOf": st.lists(inner, max_size=2),
                "allOf": st.lists(inner, max_size=2),
                "$defs": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
                "$ref": st.sampled_from(
                    ["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/anyOf/0", "#x"]
                ),
                "additionalProperties": inner,
                "not": inner,
            },
        )
        | st.dictionaries(KEYS, VALUES, max_size=4)
    ),
    max_leaves=12,
)


@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)))
def test_every_schema_fits_or_is_refused_and_one_that_fits_stays(schema):
    try:
        fitted = fit_schema(schema)
    except UnfitSchemaError:
        return

    check(fitted)
    assert fit_schema(fitted) == fitted


def test_the_schemas_of_msgbooks_own_tools_fit_as_they_are(tmp_path):
    of_a_chat = Conversation(Services(Settings()), tmp_path, namespace=AbsentPython()).tools
    own = {tool.name: tool for tool in [*of_a_chat, *cell_tools(tmp_path)]}
    assert own.keys() == OWN_NAMES
    for tool in own.values():
        parameters = tool.schema["function"]["parameters"]
        assert json.dumps(fit_schema(parameters)) == json.dumps(parameters)
