"""MCP servers that others wrote, as `make .mcp-servers/.installed` installs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import free_port, stop, until_listening

from msgbook.config import McpServerSettings

FOLDER = Path(__file__).parents[2] / ".mcp-servers"
PYTHON = FOLDER / "python" / "bin"
NODE = FOLDER / "node" / "node_modules" / "@modelcontextprotocol"

needs_servers = pytest.mark.skipif(
    not (FOLDER / ".installed").exists(), reason="make .mcp-servers/.installed installs them"
)


def python_server(name: str, *args: str, **settings: Any) -> McpServerSettings:
    """Return one of PyPI: `time` for mcp-server-time."""
    return McpServerSettings(
        name, command=str(PYTHON / f"mcp-server-{name}"), args=args, startup_timeout=30, **settings
    )


def node_server(name: str, *args: str, **settings: Any) -> McpServerSettings:
    """Return one of npm: `memory` for @modelcontextprotocol/server-memory."""
    return McpServerSettings(
        name, command="node", args=(_script(name), *args), startup_timeout=30, **settings
    )


@contextmanager
def http_server() -> Iterator[tuple[McpServerSettings, subprocess.Popen[bytes]]]:
    """Start `everything` on a free port; it ends with the context."""
    port = free_port()
    process = subprocess.Popen(
        [str(shutil.which("node")), _script("everything"), "streamableHttp"],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until_listening(process, port)
        settings = McpServerSettings(
            "web",
            url=f"http://127.0.0.1:{port}/mcp",
            startup_timeout=30,
            headers={"X-Team": "red team"},
        )
        yield settings, process
    finally:
        stop(process)


def _script(name: str) -> str:
    return str(NODE / f"server-{name}" / "dist" / "index.js")
