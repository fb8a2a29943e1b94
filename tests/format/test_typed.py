"""JSON of any shape is read into objects whose values have the types of their fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.typed import (
    Amount,
    Count,
    Flag,
    Object,
    SomeText,
    Text,
    as_count,
    as_dicts,
    one,
    read,
)


@dataclass(frozen=True, slots=True)
class Inner:
    count: Count


@dataclass(frozen=True, slots=True)
class Outer:
    text: Text
    some: SomeText
    is_on: Flag
    amount: Amount
    data: Object
    inner: Annotated[Inner, one(Inner)]


EMPTY = Outer("", None, False, None, {}, Inner(None))


def test_values_of_the_right_types_are_read_and_unknown_keys_are_not():
    value = {"text": "a", "some": "b", "is_on": True, "amount": 1, "more": 0}
    value |= {"data": {"k": [1]}, "inner": {"count": 2.0}}

    assert read(Outer, value) == Outer("a", "b", True, 1.0, {"k": [1]}, Inner(2))


WRONG = {"text": 1, "some": "", "is_on": 1, "amount": "1", "data": [], "inner": [{"count": 1}]}


@pytest.mark.parametrize("key", WRONG)
def test_a_value_of_another_type_counts_as_absent(key: str):
    assert read(Outer, {key: WRONG[key]}) == EMPTY


def test_what_is_no_object_has_nothing():
    assert [read(Outer, value) for value in (None, [], "text", 1)] == [EMPTY] * 4


def test_of_a_list_the_objects_count():
    assert as_dicts([{"a": 1}, None, [], {}]) == [{"a": 1}, {}]
    assert as_dicts({"a": {}}) == []


@pytest.mark.parametrize("value", [True, -1, 0.5, float("nan"), float("inf"), 10**15, 10**400, "1"])
def test_what_is_no_count(value: object):
    assert as_count(value) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*WRONG, "count"]), inner),
)


@given(JSON)
def test_any_value_gives_an_object_with_the_types_of_its_fields(value: object):
    found = read(Outer, value)

    assert isinstance(found.text, str)
    assert isinstance(found.some, str | None)
    assert isinstance(found.is_on, bool)
    assert isinstance(found.amount, float | None)
    assert isinstance(found.data, dict)
    assert isinstance(found.inner.count, int | None)
