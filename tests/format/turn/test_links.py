from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.turn.markdown.escape import safe_destination

PLAIN = st.text("abcXYZ019/._~#?=+,-", min_size=1)


@given(st.sampled_from(["http://", "https://"]), PLAIN)
def test_a_plain_url_is_written_as_it_was(scheme: str, rest: str) -> None:
    assert safe_destination(scheme + rest) == scheme + rest


@given(PLAIN)
def test_a_relative_one_of_the_same_characters_too(rest: str) -> None:
    # The same way as for any other destination, which shows that there is nothing to encode.
    assert safe_destination(f"./{rest}") == f"./{rest}"


@pytest.mark.parametrize("url", ["HTTPS:/\\javascript:x", "javascript:https://x"])
def test_what_only_looks_plain_is_judged(url: str) -> None:
    assert safe_destination(url) != url
