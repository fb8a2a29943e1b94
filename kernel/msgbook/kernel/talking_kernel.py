"""The kernel `Python + Chat`: IPython's, in which a cell that begins with `%%msg` is a message.

An existing notebook runs in it as in ipykernel. It imports nothing of the engine before the first message.
"""

from __future__ import annotations

import sys
from typing import Any

from ipykernel.ipkernel import IPythonKernel

from msgbook.kernel.assist.prompt_scope import MAGIC_START
from msgbook.kernel.msg_kernel import MsgKernel
from msgbook.notebook.magics_table import OWN_MAGICS
from msgbook_format.syntax import CONTINUE_MAGIC, MSG_MAGIC

_OWN_NAMES = (MSG_MAGIC, CONTINUE_MAGIC, *OWN_MAGICS)

_TAKEN = (
    f"A magic {MSG_MAGIC} is defined in this notebook. In this kernel a cell that begins with {MSG_MAGIC} is a "
    "message to a model all the same. To run the notebook's own, give it another name, or call "
    "get_ipython().run_cell_magic('msg', line, cell).\n"
)


class TalkingKernel(MsgKernel):
    """Takes every cell for Python but messages and msgbook's magics."""

    language_info = IPythonKernel.language_info
    is_code_first = True

    def set_up(self) -> None:
        super().set_up()
        self.shell.events.register("post_run_cell", self._warn_of_own_magic)
        self._has_warned = False

    @property
    def banner(self) -> Any:  # type: ignore[override]  # IPython's is a property, too
        return self.shell.banner

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        """Complete as IPython does, and the names of msgbook's magics too."""
        reply = await super().do_complete(code, cursor_pos)
        start = MAGIC_START.fullmatch(code[:cursor_pos])
        if start is None or reply["status"] != "ok":
            return reply
        known, begin = set(reply["matches"]), start.start(1)
        names = [name for name in _OWN_NAMES if name.startswith(start[1]) and name not in known]
        if names and (reply["cursor_start"] == begin or not known):
            place = {"start": begin, "end": cursor_pos, "type": "magic"}
            typed = reply["metadata"].setdefault("_jupyter_types_experimental", [])
            typed += [{**place, "text": name, "signature": ""} for name in names]
            reply |= {"matches": [*reply["matches"], *names], "cursor_start": begin}
        return reply

    def _store_input(self, count: int, code: str) -> None:
        """Keep a message in `In`, whose positions are the cells' numbers, and out of the user's history file."""
        history = self.shell.history_manager
        history.input_hist_parsed.append(code)
        history.input_hist_raw.append(code)

    def _warn_of_own_magic(self, _result: object) -> None:
        if not self._has_warned and MSG_MAGIC[2:] in self.shell.magics_manager.magics["cell"]:
            self._has_warned = True
            sys.stderr.write(_TAKEN)
