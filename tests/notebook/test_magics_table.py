"""The table of magics and the format agree on the words of a `%%msg` line."""

from __future__ import annotations

from msgbook.notebook.magics_table import MSG_ATTRIBUTES
from msgbook_format.syntax.text_cell import MSG_KEYS


def test_check_knows_the_attributes_of_a_msg_line():
    assert MSG_ATTRIBUTES.keys() == MSG_KEYS
