"""Schemas with references: those that come back to themselves end, and what stands beside one counts too."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.tools.tool_schemas import UnfitSchemaError, fit_schema

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
CHOICE = {"properties": {"a": TEXT}, "type": "object"}


@pytest.mark.parametrize("combination", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("reference", ["#", "#/", "#/$defs/x", "#/$defs/%78"])
def test_a_schema_of_itself_alone_is_refused_however_often_it_says_so(combination, reference):
    branches = [{"$ref": reference}] * 200
    schema = {combination: branches, "$defs": {"x": {combination: branches}}}

    with pytest.raises(UnfitSchemaError):
        fit_schema(schema)


def test_a_choice_besides_itself_is_kept():
    fitted = fit_schema({"anyOf": [{"$ref": "#"}] * 30 + [CHOICE] + [{"$ref": "#"}] * 30})

    assert fitted["properties"] == {"a": TEXT}


@pytest.mark.parametrize(("levels", "width"), [(9, 4), (5, 50), (3, 100), (1, 100_000)])
def test_choices_that_multiply_are_refused_as_too_many(levels, width):
    """No reference is repeated on any way down, and the ways are too many to walk."""
    defs: dict[str, Any] = {
        f"d{level}": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * width}
        for level in range(levels)
    }
    defs[f"d{levels}"] = CHOICE

    with pytest.raises(UnfitSchemaError, match="too many"):
        fit_schema({"$ref": "#/$defs/d0", "$defs": defs})


def test_references_in_a_circle_are_refused():
    defs = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}

    with pytest.raises(UnfitSchemaError):
        fit_schema({"$ref": "#/$defs/a", "$defs": defs})


SCHEMAS = st.recursive(
    st.sampled_from(["#", "#/$defs/a", "#/$defs/b"]).map(lambda to: {"$ref": to}) | st.just(CHOICE),
    lambda below: st.builds(
        lambda key, branches, more: {key: branches, **more},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(below, min_size=1, max_size=6),
        st.sampled_from([{}, {"$ref": "#/$defs/a"}, {"properties": {"b": NUMBER}}]),
    ),
    max_leaves=20,
)


@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_any_web_of_references_ends(schema, first, second):
    try:
        fitted = fit_schema({**schema, "$defs": {"a": first, "b": second}})
    except UnfitSchemaError:
        return
    assert fitted["type"] == "object"
    assert "$ref" not in fitted


def test_properties_beside_a_reference_are_added_to_those_it_leads_to():
    target = {
        "type": "object",
        "description": "Points.",
        "properties": {"x": NUMBER, "y": NUMBER},
        "required": ["x"],
    }
    schema = {
        "$ref": "#/$defs/point",
        "properties": {"name": TEXT, "y": TEXT},
        "required": ["name"],
        "$defs": {"point": target},
    }

    fitted = fit_schema(schema)

    assert fitted["properties"] == {"x": NUMBER, "y": {"allOf": [TEXT, NUMBER]}, "name": TEXT}
    assert set(fitted["required"]) == {"x", "name"}
    assert fitted["description"] == "Points."


@pytest.mark.parametrize("keyword", ["const", "default", "x-unknown"])
def test_null_stays_as_the_value_of_a_keyword_that_takes_anything(keyword):
    fitted = fit_schema({"properties": {"a": {keyword: None}}})

    assert fitted["properties"]["a"] == {keyword: None}


def test_a_null_at_the_top_is_no_object():
    with pytest.raises(UnfitSchemaError):
        fit_schema({"const": None})


@pytest.mark.parametrize("value", [{1, 2}, object()])
def test_a_value_that_is_not_json_is_refused(value):
    with pytest.raises(UnfitSchemaError, match="not JSON"):
        fit_schema({"properties": {"a": {"enum": [value]}}})


def test_values_of_different_types_are_told_apart_and_equal_ones_are_one():
    values = [1, True, 1.0, [1], [True], {"a": 1, "b": 2}, {"b": 2, "a": 1}, None, 1, None]

    kept = fit_schema({"properties": {"a": {"enum": values}}})["properties"]["a"]["enum"]

    assert list(map(repr, kept)) == list(map(repr, [*values[:6], None]))
