"""nbconvert exporters that read `.msg.md` and trust nothing in it."""

from __future__ import annotations

from msgbook_format.exporters.import_guard import without_working_directory

with without_working_directory():
    from msgbook_format.exporters.html import MsgHTMLExporter

__all__ = ["MsgHTMLExporter"]
