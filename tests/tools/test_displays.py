"""Displays of a tool that are kept, and those that are not."""

from __future__ import annotations

from typing import Any

import pytest

from msgbook.tools import Displays


@pytest.mark.parametrize("levels", [300, 900, 5000])
def test_a_display_that_is_nested_too_deep_is_counted_and_not_kept_on_every_python(levels):
    value: Any = "secret"
    for _ in range(levels):
        value = [value]
    displays = Displays(lambda text: text.replace("secret", "***"))

    displays.add({"application/json": value})
    displays.add({"application/json": ["secret"]})

    assert displays.kept == [{"application/json": ["***"]}]
    assert displays.left_out == 1
