"""A conversation as slides: one page, a screen for each message and its answer, without a script.

nbconvert's own slides load reveal.js from a network. These are moved by scrolling, with the space bar
or by a touch.
"""

from __future__ import annotations

from pathlib import Path

from traitlets import default

from msgbook_format.exporters.html import MsgHTMLExporter


class MsgSlidesExporter(MsgHTMLExporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to slides that are safe to pass on."""

    export_from_notebook = "Chat (slides)"

    @default("file_extension")
    def _default_file_extension(self) -> str:
        return ".slides.html"

    @default("template_extension")
    def _default_template_extension(self) -> str:
        return ".html.j2"

    @default("template_name")
    def _default_template_name(self) -> str:
        return "msgslides"

    @default("extra_template_paths")
    def _default_template_paths(self) -> list[str]:
        # From here its template finds the one of the page, which it extends.
        return [str(Path(__file__).with_name("templates"))]
