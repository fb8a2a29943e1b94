"""Keys that were entered for this session of the server: `PUT msgbook/keys` with `{"server": URL, "key": KEY}`.

They are kept in the server's memory, each for one base URL, and end with the server. No request reads
them. Each kernel of msgbook is handed them on its control channel, which no page sees, when it starts
and when a key is entered.
"""

from __future__ import annotations

import asyncio
import json
from queue import Empty
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated

MESSAGE = "msgbook_keys_request"

_EVENTS = "https://events.jupyter.org/jupyter_server/kernel_actions/v1"
_PROGRAM = "msgbook.kernel"
_SECONDS = 60.0
"""How long a kernel may take until it has the keys: it may still start."""
_LONGEST = 16_384


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
        body = body if isinstance(body, dict) else {}
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
