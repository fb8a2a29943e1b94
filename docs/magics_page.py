"""Writes the tables of docs/magics.md from the table of magics: `python docs/magics_page.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgbook.notebook.magics_table import CELL_FORMS, LINE_MAGICS, MESSAGE_FORMS, Form

PAGE = Path(__file__).parent / "magics.md"

TABLES = {
    "cell": [form for magic in LINE_MAGICS for form in magic.forms],
    "first line": CELL_FORMS,
    "message": MESSAGE_FORMS,
}
"""Forms by the name of the comment above their table in the page."""


def with_tables(page: str) -> str:
    """Return the text of the page with all tables made anew."""
    for name, forms in TABLES.items():
        found = re.search(rf"<!-- table: {name} -->\n\n((?:\|.*\n)*)", page)
        if found is None:
            raise ValueError(f"expected a comment `table: {name}` in {PAGE.name}, found none")
        page = page[: found.start(1)] + _table(forms) + page[found.end(1) :]
    return page


def _table(forms: Sequence[Form]) -> str:
    rows = [f"| `{form.written}` | {form.help} |\n" for form in forms]
    return "".join(["| in a cell | |\n", "| --- | --- |\n", *rows])


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
