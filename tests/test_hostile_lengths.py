"""No text that is long because a piece of it recurs stops a function that reads it.

A function that hangs reaches the limit of all tests. How time grows is measured by `benchmarks/growth.py`.
"""

from __future__ import annotations

import pytest
from hostile_lengths import READERS, Reader

LENGTH = 16_000
"""Characters: work that grows with their square is slow, and what grows with a higher power ends never."""


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_comes_to_the_end_of_each_hostile_text(reader: Reader) -> None:
    for text in reader.texts:
        reader.run(text.of_length(LENGTH))
