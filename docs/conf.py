"""Sphinx's configuration of the manual: `make docs` builds it into docs/_build/html."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from generated_pages import OUTSIDE, menus, write_pages  # noqa: E402

import msgbook  # noqa: E402

project = "msgbook"
copyright = "the msgbook developers"  # noqa: A001
version = release = msgbook.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_class_signature = "separated"
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"msgbook {release}"
html_static_path: list[str] = []
html_show_sphinx = False
copybutton_prompt_text = "$ "
copybutton_exclude = ".linenos, .go"

# The text of another program, and answers that are cut short, are no valid JSON or Python.
suppress_warnings = ["misc.highlighting_failure"]


GENERATED = {
    "Reference": (
        "Options of the commands <_generated/options>",
        "Keys of msgbook.toml <_generated/settings>",
        "Turn JSON <_generated/turn>",
        "Python <_generated/python>",
    ),
    "Project": (
        "How the benchmarks measure <_generated/benchmarks>",
        "Conformance suite <_generated/conformance>",
    ),
}
"""Pages that only the built manual has, by the section of index.md whose menu lists them."""


def _lead_inside(_app: object, name: str, source: list[str]) -> None:
    """Lead links to files outside this folder to the pages that are made of them."""
    for path, page in OUTSIDE.items():
        source[0] = source[0].replace(f"](../{path}", f"](_generated/{page}.md")
    if name == "index":
        source[0] += menus(source[0], GENERATED)


def setup(app: object) -> None:
    """Make the pages that come from the code before Sphinx looks for pages."""
    write_pages(DOCS / "_generated")
    app.connect("source-read", _lead_inside)  # type: ignore[attr-defined]
