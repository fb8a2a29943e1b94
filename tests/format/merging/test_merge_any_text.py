"""A merge of texts that look like structure and are damaged: it ends, and gives a text or is refused."""

from __future__ import annotations

from format import generate, generated_texts
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format import reads, writes
from msgbook_format.extras.merging import MergeError, merge_texts


@given(st.randoms(use_true_random=False), st.booleans())
def test_any_texts_merge_to_a_text_that_reads_or_are_refused(random, is_canonical):
    make = (lambda r: writes(generate.notebook(r))) if is_canonical else generated_texts.text
    base, other = make(random), make(random)
    ours, theirs = (generated_texts.damage(random, base, [base, other]) for _ in range(2))

    try:
        merged = merge_texts(base, ours, theirs)
    except MergeError:
        return

    assert writes(reads(merged.text)) == merged.text
    assert merge_texts(base, ours, ours).text == ours
    assert merge_texts(merged.text, merged.text, theirs).text == theirs
