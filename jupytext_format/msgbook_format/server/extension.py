"""What a running Jupyter server gets: our contents manager over Jupytext's, and handlers for pages and kernels."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from queue import Empty
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler, path_regex
from jupyter_server.nbconvert.handlers import NbconvertFileHandler, _format_regex
from jupyter_server.utils import ensure_async, url_path_join
from jupyterlab_server.translation_utils import TranslationBundle, translator
from tornado.web import HTTPError, authenticated

import msgbook_format
from msgbook_format.files import export_name, stem_of
from msgbook_format.jupytext_plugin import register
from msgbook_format.lazy import load_extra
from msgbook_format.server.agents import add_agents_handler, show_subagent_files
from msgbook_format.server.unpaired import is_ours
from msgbook_format.typed import as_dict


def load(app: Any) -> None:
    """Let the server `app` read and write message files; further calls do nothing."""
    if is_ours(app.contents_manager_class):
        return
    _leave_out_templates_of_the_folder(app.config)
    translate_settings()
    add_agents_handler(app)
    add_compared_texts: Callable[[Any], None] = load_extra(
        "msgbook_format", "compared_texts.handler"
    )
    add_compared_texts(app)
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


# Names of downloads: File > Save and Export Notebook As makes `chat.html` of `chat.msg.md`.
#
# The server's own handler takes the last ending away, and calls the Markdown of `chat.msg.md`
# `chat.msg.md`: saved beside the chat, it would replace it.


class NamingHandler(NbconvertFileHandler):
    """The server's handler, which names the downloads of conversations without `.msg`.

    It also says what to install for a PDF.
    """

    async def get(self, format: str, path: str) -> None:  # noqa: A002  # the server's name
        """Send a notebook in another format.

        Raises:
            HTTPError: The notebook cannot be converted. 501 if a program for it is missing.
        """
        from msgbook_format.exporters.pdf import MissingProgramError

        try:
            await ensure_async(super().get(format, path))
        except HTTPError as error:
            if isinstance(error.__cause__, MissingProgramError):
                words = str(error.__cause__)
                raise HTTPError(501, "%s", words, reason="No PDF can be printed here") from error
            raise

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


# Translations of the titles and descriptions of the page's settings.
#
# JupyterLab's server translates schemas, but looks for their texts in language packs alone. The page
# gets the other texts by the entry point `jupyterlab.locale`.


DOMAIN = "msgbook"


class Catalogue(TranslationBundle):
    """The texts of one language, in the form that the page reads."""

    def update_locale(self, locale_: str) -> None:
        """Take the texts of another language; none if it has no catalogue."""
        self._locale = locale_
        self._texts = _read(locale_)

    def pgettext(self, msgctxt: str, msgid: str) -> str:
        """Return the translation of a text, or the text."""
        return self._texts.get(f"{msgctxt}\x04{msgid}", [msgid])[0]


def translate_settings() -> None:
    """Let JupyterLab's server translate the settings; without its help they stay English."""
    # There is no public way to add a bundle, and a later version may have another one.
    bundles = getattr(translator, "_TRANSLATORS", None)
    locale = getattr(translator, "_LOCALE", None)
    if isinstance(bundles, dict) and isinstance(locale, str):
        bundles[DOMAIN] = Catalogue(DOMAIN, locale)


def _read(locale: str) -> dict[str, list[str]]:
    folder = Path(msgbook_format.__file__).parent / "locale"
    languages = {path.name: path for path in folder.iterdir()}
    if locale not in languages:
        return {}
    file = languages[locale] / "LC_MESSAGES" / f"{DOMAIN}.json"
    texts: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    return texts


# Keys that were entered for this session of the server: `PUT msgbook/keys` with `{"server": URL, "key": KEY}`.
#
# They are kept in the server's memory, each for one base URL, and end with the server. No request reads
# them. Each kernel of msgbook is handed them on its control channel, which no page sees, when it starts
# and when a key is entered.


MESSAGE = "msgbook_keys_request"

_EVENTS = "https://events.jupyter.org/jupyter_server/kernel_actions/v1"
_PROGRAM = "msgbook.kernel"
_SECONDS = 60.0
"""How long a kernel may take until it has the keys: it may still start."""
_LONGEST = 16_384
"""Characters of a key, as a file that holds one may have."""


class SessionKeys:
    """The keys of one server, and the way to its kernels."""

    def __init__(self, kernels: Any, log: Any) -> None:
        self._kernels, self._log = kernels, log
        self._keys: dict[str, str] = {}

    async def keep(self, server: str, key: str) -> None:
        """Keep a key, and hand it to the kernels that run."""
        self._keys[server] = key
        running = list(self._kernels.list_kernel_ids())
        await asyncio.gather(*map(self.hand_over, running))

    async def kernel_acted(self, logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        """Take an event of Jupyter's: a kernel that has started is handed the keys."""
        started = data.get("action") in ("start", "restart") and data.get("status") == "success"
        if started and data.get("kernel_id") in self._kernels:
            await self.hand_over(data["kernel_id"])

    async def hand_over(self, kernel_id: str) -> None:
        """Hand a kernel all keys, if it is one of msgbook. Without keys it learns that there are none."""
        kernel = self._kernels.get_kernel(kernel_id)
        if _PROGRAM not in getattr(kernel.kernel_spec, "argv", ()):
            return
        client = kernel.client()
        client.start_channels(shell=False, iopub=False, stdin=False, hb=False, control=True)
        try:
            channel = client.control_channel
            buffer = json.dumps(self._keys).encode()
            client.session.send(channel.socket, MESSAGE, {}, buffers=[buffer])
            await channel.get_msg(timeout=_SECONDS)
        except Empty:
            self._log.warning("msgbook: kernel %s did not take the keys of the session", kernel_id)
        finally:
            client.stop_channels()


class KeysHandler(APIHandler):
    """Keeps a key for a server. There is no way to read one."""

    auth_resource = "kernels"

    @authenticated
    @authorized("write")  # type: ignore[untyped-decorator]
    async def put(self) -> None:
        """Keep the key in the body."""
        body: Any = self.get_json_body()
        body = as_dict(body)
        server, key = body.get("server"), body.get("key")
        if not _is_text(server) or not _is_text(key):
            raise HTTPError(400, 'expected {"server": a URL, "key": a key}')
        await self.settings["msgbook_session_keys"].keep(server, key)
        self.set_status(204)
        self.finish()


def add_keys_handler(app: Any) -> None:
    """Let the server `app` answer `PUT msgbook/keys`, and hand keys to the kernels that it starts."""
    keys = SessionKeys(app.kernel_manager, app.log)
    app.web_app.settings["msgbook_session_keys"] = keys
    app.event_logger.add_listener(schema_id=_EVENTS, listener=keys.kernel_acted)
    path = url_path_join(app.web_app.settings["base_url"], "msgbook", "keys")
    app.web_app.add_handlers(".*$", [(path, KeysHandler)])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable()
