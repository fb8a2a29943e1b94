"""nbconvert exporters that read `.msg.md` and trust nothing in it."""

from __future__ import annotations

from msgbook_format.exporters.import_guard import working_directory_left_out

with working_directory_left_out():
    from msgbook_format.exporters.html import MsgHTMLExporter

__all__ = ["MsgHTMLExporter"]
