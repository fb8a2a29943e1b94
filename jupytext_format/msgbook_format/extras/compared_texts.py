"""The cells of a text, for a page that compares versions: `POST msgbook/cells` with `{"path": PATH, "text": TEXT}`.

The texts are not files of the server. They are read as an opened file is. Nothing is written, and nothing that a text
names is opened.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated

from msgbook_format import reads
from msgbook_format.errors import MessageFileError
from msgbook_format.files import has_section, is_agent_file, parse_agent_file
from msgbook_format.jupytext_plugin.message_format import is_message_path
from msgbook_format.outputs import refresh_derived
from msgbook_format.typed import has

MAX_CHARACTERS = 20_000_000
"""Characters of a text that is compared: the page holds both versions as notebooks."""


class CellsHandler(APIHandler):
    """Answers with `{"cells": [...]}` in nbformat's form, or with null for a text that is not a chat."""

    auth_resource = "contents"

    @authenticated
    @authorized("read")  # type: ignore[untyped-decorator]
    async def post(self) -> None:
        """Read the text in the body, by the rules for a file with that path."""
        body: Any = self.get_json_body()
        if not has(body, path=str, text=str):
            raise HTTPError(400, 'expected {"path": a text, "text": a text}')
        path, text = body["path"], body["text"]
        if len(text) > MAX_CHARACTERS:
            message = f"{path}: expected at most {MAX_CHARACTERS:,} characters, found {len(text):,}"
            raise HTTPError(413, message, reason="text too long")
        try:
            answer = await asyncio.to_thread(_answer, path, text)
        except MessageFileError as error:
            raise HTTPError(400, str(error), reason="bad file") from error
        self.finish(answer)


def add_cells_handler(app: Any) -> None:
    """Let the server `app` answer `POST msgbook/cells`."""
    path = url_path_join(app.web_app.settings["base_url"], "msgbook", "cells")
    app.web_app.add_handlers(".*$", [(path, CellsHandler)])


def _answer(path: str, text: str) -> str:
    return json.dumps({"cells": _read_cells(path, text)})


def _read_cells(path: str, text: str) -> list[Any] | None:
    if is_agent_file(path):
        notebook: Any = parse_agent_file(text.encode("utf-8", "surrogatepass"), path)
    elif is_message_path(path) or has_section(text):
        notebook = reads(text)
    else:
        return None
    refresh_derived(notebook)
    cells: list[Any] = notebook["cells"]
    return cells
