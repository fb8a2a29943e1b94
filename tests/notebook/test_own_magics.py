"""The page knows which cells steer a conversation: the list that it shares with the kernel."""

from __future__ import annotations

import json
from pathlib import Path

from msgbook.notebook.magics_table import OWN_MAGICS
from msgbook_format.syntax import parse_msg_line

FIXTURES = Path(__file__).parent / "fixtures"
LINES = Path(__file__).parents[1] / "format" / "syntax" / "fixtures" / "msg_lines.json"


def test_the_list_of_magics_that_the_page_has_is_the_kernels():
    assert json.loads((FIXTURES / "own_magics.json").read_text()) == sorted(OWN_MAGICS)


def test_lines_are_read_as_on_the_page():
    for case in json.loads(LINES.read_text()):
        line = parse_msg_line(case["source"])
        assert (line.attributes if line else {}) == case["attributes"]
        assert (line is None or line.problem is None) == case["readable"]
