"""What is sent of message files in every spelling of seed 004."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from seed_files import EXPECTED, FILES, outline, sent
from seed_grammar import Written, conversations

from msgbook.request.history import Reader, View
from msgbook_format import reads

SPELLINGS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_each_file_has_its_expectation():
    assert list(EXPECTED) == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_read_as_it_was_meant(name):
    assert outline(FILES[name]) == EXPECTED[name]["cells"]


@pytest.mark.parametrize("name", FILES)
def test_of_each_file_is_sent_what_it_shows_to_the_model(name):
    assert sent(FILES[name]) == EXPECTED[name]["sent"]


@SPELLINGS
@given(conversations(gathered=True))
def test_a_conversation_says_the_same_in_every_spelling(written: Written):
    found = Reader().read(list(reads(written.text).cells), View("assistant", "")).messages

    assert found == Reader().read(written.cells, View("assistant", "")).messages
