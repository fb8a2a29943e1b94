"""The measure of `require_linear`: a quadratic function is caught, a busy machine is not."""

from __future__ import annotations

from itertools import count

import pytest
from linear_time import ROUNDS, SHORT, TIMES, require_linear


def work(steps: int) -> None:
    for _ in range(steps):
        pass


def test_a_function_that_is_quadratic_fails_in_each_round():
    lengths = []

    def quadratic(text: str) -> None:
        lengths.append(len(text))
        work(len(text) ** 2 // 400)

    with pytest.raises(AssertionError):
        require_linear(quadratic, "", "a")

    assert lengths.count(SHORT * TIMES) == ROUNDS


@pytest.mark.parametrize("cost", [len, lambda text: len(text) * len(text).bit_length() // 10])
def test_a_function_that_is_linear_or_nearly_so_passes(cost):
    require_linear(lambda text: work(20 * cost(text)), "", "a")


def test_a_function_that_a_busy_machine_held_up_at_first_is_tried_again():
    calls = count()

    def held_up(text: str) -> None:
        is_held = len(text) > SHORT and next(calls) < ROUNDS - 1
        work(len(text) * (200 if is_held else 5))

    require_linear(held_up, "", "a")

    assert next(calls) == ROUNDS
