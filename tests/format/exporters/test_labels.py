"""An export has one name, whoever lists it."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

PAGE = Path(__file__).parents[3] / "labextension" / "src" / "files" / "exportLabels.ts"


def test_the_page_and_nbconvert_call_an_export_by_the_same_words() -> None:
    on_page = dict(re.findall(r"\['(msg\w+)', trans\.__\('(.+?)'\)\]", PAGE.read_text("utf-8")))
    ours = entry_points(group="nbconvert.exporters").select(module="msgbook_format.exporters")

    assert on_page == {entry.name: entry.load().export_from_notebook for entry in ours}
    assert len(on_page) == 5
