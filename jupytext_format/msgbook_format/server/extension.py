"""Puts our contents manager around Jupytext's in a running Jupyter server."""

from __future__ import annotations

from typing import Any

from msgbook_format.jupytext_plugin import register
from msgbook_format.server.contents import build_contents_manager_class, is_ours


def load(app: Any) -> None:
    """Let the server `app` read and write message files; further calls do nothing."""
    try:
        from jupyterlab_jupytext import load_jupyter_server_extension
    except ImportError as error:
        app.log.warning("msgbook: message files open as text, without Jupytext (%s)", error)
        return
    if not register():
        app.log.warning("msgbook: message files open as text, because Jupytext does not know them")
        return
    load_jupyter_server_extension(app)
    if is_ours(app.contents_manager_class):
        return
    app.contents_manager_class = build_contents_manager_class(app.contents_manager_class)
    # Where Jupytext puts its own, for the same reason: the server is made already.
    app.contents_manager = app.contents_manager_class(parent=app, log=app.log)
    app.session_manager.contents_manager = app.contents_manager
    app.web_app.settings["contents_manager"] = app.contents_manager
    app.log.info("msgbook: message files (.msg.md) open as notebooks")
