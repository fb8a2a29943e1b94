"""Names of tools: what model servers take, and never two tools under one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from msgbook.tools.mcp.tool import tool_name


def test_a_name_that_fits_stays():
    assert tool_name("time", "get_current_time") == "mcp__time__get_current_time"


def test_a_name_that_is_too_long_or_odd_ends_with_a_digest_of_both_names():
    long, odd = tool_name("s", "x" * 64), tool_name("s", "a.b")

    assert len(long) == 64
    assert re.fullmatch(r"mcp__s__x{47}_[0-9a-f]{8}", long)
    assert re.fullmatch(r"mcp__s__a_b_[0-9a-f]{8}", odd)
    assert tool_name("s", "a/b") != odd


@given(st.text(), st.text())
def test_every_name_is_one_that_model_servers_take(server, tool):
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool_name(server, tool))
