"""The examples of docs/format.md are canonical."""

from __future__ import annotations

import pytest
from fences import Fence, fences_of

from msgbook_format import check, reads, writes
from msgbook_format.document.writer import writes as write_anew

EXAMPLES = fences_of("format/test_docs.py::test_an_example_is_what_the_writer_writes")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.line))
def test_an_example_is_what_the_writer_writes(example: Fence) -> None:
    nb = reads(example.body)

    assert check(example.body) == []
    assert writes(nb) == write_anew(nb, verbatim=False) == example.body
