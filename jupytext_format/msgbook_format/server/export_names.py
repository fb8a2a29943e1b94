"""Names of downloads: File > Save and Export Notebook As makes `chat.html` of `chat.msg.md`.

The server's own handler takes the last ending away, and calls the Markdown of `chat.msg.md`
`chat.msg.md`: saved beside the chat, it would replace it.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from jupyter_server.base.handlers import path_regex
from jupyter_server.nbconvert.handlers import NbconvertFileHandler, _format_regex
from jupyter_server.utils import url_path_join

from msgbook_format.files import export_name, stem_of


class NamingHandler(NbconvertFileHandler):
    """The server's handler, which names the downloads of conversations without `.msg`."""

    def set_attachment_header(self, filename: str) -> None:
        """Offer the answer as a file; `filename` is the server's choice for it."""
        path = self.path_kwargs.get("path") or ""
        name = path.rpartition("/")[2]
        theirs = PurePosixPath(name).stem
        if stem_of(name) != name and filename.startswith(theirs):
            filename = export_name(name, filename.removeprefix(theirs))
        super().set_attachment_header(filename)


def add_naming_handler(app: Any) -> None:
    """Let the server `app` name what is downloaded."""
    base = app.web_app.settings["base_url"]
    path = url_path_join(base, rf"/nbconvert/{_format_regex}{path_regex}")
    app.web_app.add_handlers(".*$", [(path, NamingHandler)])
