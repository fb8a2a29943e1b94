"""Installation of our contents manager, over Jupytext's, in a running Jupyter server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgbook_format
from msgbook_format.jupytext_plugin import register
from msgbook_format.server.agents import add_agents_handler
from msgbook_format.server.chat_cells import add_cells_handler
from msgbook_format.server.export_names import add_naming_handler
from msgbook_format.server.manager_class import is_ours
from msgbook_format.server.session_keys import add_keys_handler
from msgbook_format.server.subagent_files import show_subagent_files
from msgbook_format.server.translations import translate_settings


def load(app: Any) -> None:
    """Let the server `app` read and write message files; further calls do nothing."""
    if is_ours(app.contents_manager_class):
        return
    _leave_out_templates_of_the_folder(app.config)
    translate_settings()
    add_agents_handler(app)
    add_cells_handler(app)
    add_keys_handler(app)
    add_naming_handler(app)
    app.contents_manager_class = show_subagent_files(app.contents_manager_class)
    try:
        from jupyterlab_jupytext import load_jupyter_server_extension

        known = register()
    except ImportError as error:
        app.log.warning("msgbook: Jupytext cannot be used (%s)", error)
        known = False
    if not known:
        _load_without_jupytext(app)
        return

    # These import Jupytext.
    from msgbook_format.jupytext_plugin.configuration import run_only_the_users_own
    from msgbook_format.server.contents import build_contents_manager_class

    run_only_the_users_own()
    load_jupyter_server_extension(app)
    _replace_manager(app, build_contents_manager_class(app.contents_manager_class))
    app.log.info("msgbook: message files (.msg.md) open as notebooks")


def _leave_out_templates_of_the_folder(config: Any) -> None:
    """Let nbconvert find templates only where they are installed, unless the user has set a place.

    By default it looks into the server's working directory first. As soon as a page asks for the
    list of exporters, it runs the program that `lab/conf.json` names there.
    """
    config.TemplateExporter.setdefault("extra_template_basedirs", [])
    ours = Path(msgbook_format.__file__).parent / "exporters" / "templates"
    config.MsgHTMLExporter.setdefault("extra_template_basedirs", [str(ours)])


def _load_without_jupytext(app: Any) -> None:
    from msgbook_format.server.unpaired import build_unpaired_class

    _replace_manager(app, build_unpaired_class(app.contents_manager_class))
    app.log.warning(
        "msgbook: message files (.msg.md) open as notebooks, but cannot be paired with `.ipynb` "
        "files, and `.md` files with a message section open as text. For these, install a version "
        "of jupytext that this msgbook knows."
    )


def _replace_manager(app: Any, manager_class: type) -> None:
    app.contents_manager_class = manager_class
    # Jupytext sets the same attributes: the server exists already.
    app.contents_manager = manager_class(parent=app, log=app.log)
    app.session_manager.contents_manager = app.contents_manager
    app.web_app.settings["contents_manager"] = app.contents_manager
