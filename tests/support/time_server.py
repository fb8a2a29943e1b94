"""The MCP server `mcp-server-time`, as far as its names go, without a download."""

from __future__ import annotations

import sys
from pathlib import Path

from typed import stand_in

_PROGRAM = """
import faulty_mcp
faulty_mcp.TOOLS[:] = map(faulty_mcp.tool, ("get_current_time", "convert_time"))
faulty_mcp.main("none")
"""


def uvx_with_time(folder: Path) -> Path:
    """Write a program `uvx` that only has the time server, and return its folder."""
    run = f"PYTHONPATH={Path(__file__).parent} exec {sys.executable} -c '{_PROGRAM}'"
    return stand_in(folder, "uvx", f'[ "$*" = mcp-server-time ] && {run}')
