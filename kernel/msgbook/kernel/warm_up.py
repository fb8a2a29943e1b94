"""Imports that a kernel makes after its start, so that the first turn does not wait for them."""

from __future__ import annotations

import importlib
import threading


def start_warm_up() -> None:
    """Import what the first turn needs, in a thread: it takes about a second."""
    threading.Thread(target=warm_up, name="msgbook-warm-up", daemon=True).start()


def warm_up() -> None:
    """Import what the first turn needs, before this returns."""
    from msgbook.provider import import_sdk

    for name in (
        "msgbook.turn_run",
        "msgbook.magics",
        "msgbook_format.turn.markdown.render",
    ):
        importlib.import_module(name)
    import_sdk()
