"""The page on magics shows the table of magics."""

from __future__ import annotations

import runpy
from pathlib import Path

from msgbook.magics.overview import HELP
from msgbook.notebook.magics_table import list_forms

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = runpy.run_path(str(DOCS / "magics_page.py"))
PAGE = (DOCS / "magics.md").read_text("utf-8")


def test_the_tables_of_the_page_are_those_of_the_script():
    """`python docs/magics_page.py` writes them."""
    assert SCRIPT["with_tables"](PAGE) == PAGE


def test_page_and_help_have_all_forms():
    forms = [form.written for form in list_forms()]

    assert len(forms) > 30
    assert [written for written in forms if written not in HELP] == []
    assert [written for written in forms if f"| `{written}` |" not in PAGE] == []
