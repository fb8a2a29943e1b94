"""Descriptions of Python values."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.request.context.python_values import LIMIT, describe_value


@dataclasses.dataclass
class Point:
    x: int
    label: str = "here"


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")


class HostileMapping(dict[str, int]):
    def __iter__(self) -> Any:
        raise RuntimeError("no")


def test_a_data_frame_is_shape_types_and_first_rows() -> None:
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(1000)], "value": range(1000)})

    words = describe_value(frame)

    assert "DataFrame, 1000 rows x 2 columns" in words
    assert "'value': int64" in words
    assert "n4" in words
    assert "n5" not in words


def test_a_wide_frame_is_bounded() -> None:

    words = describe_value(pd.DataFrame([range(2000)]))

    assert len(words) < LIMIT + 100
    assert "1950 more columns" in words


def test_series_and_arrays() -> None:

    assert "3 values, dtype float64, name 'h'" in describe_value(pd.Series([1.0, 2, 3], name="h"))
    assert "shape (1000, 1000), dtype float64: 0.0, 0.0" in describe_value(np.zeros((1000, 1000)))
    assert "shape (), dtype int64: 5" in describe_value(np.array(5, dtype="int64"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "NoneType: None"),
        (5, "int: 5"),
        pytest.param(10**5000, "int: <an integer of 16610 bits>", id="long integer"),
        ("text", "str, 4 characters:\ntext"),
        (b"\x00a", "bytes, 2 bytes: b'\\x00a'"),
        ([1, "two"], "list, 2 items:\n1\n'two'"),
        (list(range(1000)), "19\n... and 980 more"),
        ({"a": [1, 2]}, "dict, 1 items:\n'a': [1, 2]"),
        (collections.deque([1]), "collections.deque, 1 items:\n1"),
        (Point(3), "Point, 2 fields:\nx: 3\nlabel: 'here'"),
        (Point, "class Point(x: 'int', label: 'str' = 'here') -> None"),
        (len, "function len(obj, /)"),
    ],
)
def test_values_in_words(value: Any, expected: str) -> None:
    assert expected in describe_value(value)


@pytest.mark.parametrize("value", [Hostile(), [Hostile()], {"a": Hostile()}])
def test_a_value_whose_methods_raise_is_named(value: Any) -> None:
    assert "Hostile" in describe_value(value)


def test_a_value_whose_repr_raises_is_described_with_the_reason() -> None:
    assert describe_value(HostileMapping(a=1)).endswith(
        "it cannot be shown, since it raises RuntimeError"
    )


def test_a_value_that_holds_itself_ends() -> None:
    value: list[Any] = []
    value.append(value)
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]

    assert "[...]" in describe_value(value)
    assert len(describe_value(nested)) < 200


@pytest.mark.parametrize(
    "value", ["x" * 10**7, ["y" * 10**6] * 1000, dict.fromkeys(range(999), "z" * 999)]
)
def test_descriptions_are_bounded(value: Any) -> None:
    assert len(describe_value(value)) < LIMIT + 100


@given(
    st.recursive(
        st.none() | st.text() | st.binary() | st.integers() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_has_words_that_a_message_can_carry(value: Any) -> None:
    describe_value(value).encode()
