"""The arguments of a tool call: what is an object that all readers understand alike."""

from __future__ import annotations

import pytest

from msgbook.approval.rule import canonical_json
from msgbook.tool_calls import parse_arguments
from msgbook_format.jsontext import MAX_DEPTH


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def test_an_object_of_as_many_levels_as_are_read_is_read():
    text = nested(MAX_DEPTH)

    assert canonical_json(parse_arguments(text)) == text


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 900, 3000, 100_000])
def test_one_more_level_is_refused_however_deep_python_could_read(levels):
    with pytest.raises(ValueError, match="they are nested too deeply"):
        parse_arguments(nested(levels))


def test_brackets_in_a_string_are_no_levels():
    text = '{"a":"' + "[{" * 1000 + '\\"["}'

    assert parse_arguments(text) == {"a": "[{" * 1000 + '"['}


@pytest.mark.parametrize("text", ['{"a": "' + "[" * 300, '{"a": "\\\n' + "[" * 300 + '"}', '"\\'])
def test_a_string_that_does_not_end_is_no_json(text):
    with pytest.raises(ValueError, match=r"they are nested|Unterminated|Invalid"):
        parse_arguments(text)
