"""The examples of docs/format.md are canonical."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from msgbook_format import reads, writes
from msgbook_format.document.writer import writes as write_anew

TEXT = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
EXAMPLES = re.findall(r"^(`{3,4})markdown\n(.*?)^\1$", TEXT, re.M | re.S)


@pytest.mark.parametrize("example", [example for _, example in EXAMPLES])
def test_an_example_is_what_the_writer_writes(example):
    nb = reads(example)

    assert writes(nb) == write_anew(nb, verbatim=False) == example


def test_there_are_examples():
    assert len(EXAMPLES) > 1
