"""Jupyter server extension: `.msg.md` files are notebooks."""

from __future__ import annotations

from typing import Any

__all__ = ["_jupyter_server_extension_points", "_load_jupyter_server_extension"]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "msgbook_format.server"}]


def _load_jupyter_server_extension(app: Any) -> None:
    from msgbook_format.server.extension import load

    load(app)
