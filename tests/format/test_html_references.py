"""References to characters are read as Python reads them, of any length."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.html_references import unescape


@given(st.text("&#x0169af;lt ", max_size=40))
def test_a_text_is_read_as_python_reads_it(text):
    assert unescape(text) == html.unescape(text)


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        (f"&#{'1' * 5000};", "\ufffd"),
        (f"&#{'0' * 5000};", "\ufffd"),
        (f"&#{'0' * 5000}65;", "A"),
        (f"&#{'0' * 5000}65", "A"),
        (f"&#{'0' * 5000}1114112;", "\ufffd"),
        (f"&#x{'f' * 5000};", "\ufffd"),
        (f"&#X{'0' * 5000}41;", "A"),
    ],
)
def test_a_reference_of_many_digits_is_read_as_one_of_few(reference, read):
    assert unescape(f"a{reference} &amp;") == f"a{read} &"
