"""nbconvert exporters that read `.msg.md` and trust nothing in it, and their Markdown for other pages."""

from __future__ import annotations

from msgbook_format.exporters.pdf import without_working_directory

with without_working_directory():
    from msgbook_format.exporters.html import (
        MsgHTMLExporter,
        MsgSlidesExporter,
        markdown_to_html,
        with_formula_font,
    )
    from msgbook_format.exporters.markdown import MsgMarkdownExporter, MsgNotebookExporter
    from msgbook_format.exporters.pdf import MsgPDFExporter
    from msgbook_format.stock_tools import teach_nbconvert

    # nbconvert imports this package when it starts, whatever exporter it is asked for.
    teach_nbconvert()

__all__ = [
    "MsgHTMLExporter",
    "MsgMarkdownExporter",
    "MsgNotebookExporter",
    "MsgPDFExporter",
    "MsgSlidesExporter",
    "markdown_to_html",
    "with_formula_font",
]
