"""What the MCP client costs a kernel before the first call: its start, its first turn, its memory.

Kernels start by turns, and medians are compared: the SDK (`mcp`) hidden, as it is without `msgbook[mcp]`;
installed, and no server configured; installed, with ten servers whose tools are known.

Goals: the first two are the same; ten servers cost 1.1 x the start and 5 MB, for the schemas of their tools.

Usage: PYTHONPATH=tests/support python benchmarks/mcp_start.py [RUNS]
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil
from kernel_client import KernelClient
from mcp_turns import FAULTY
from rows import row
from scripted_server import ScriptedServer, text

HIDDEN = "import sys\nsys.modules.update(dict.fromkeys(('mcp', 'mcp_types')))\n"
SERVER = "[mcp_servers.server{}]\ncommand = {}\nargs = {}\n"


class Case:
    """Kernels that are configured alike.

    Args:
        servers: MCP servers that are configured.
        hidden: Whether the SDK cannot be imported.
    """

    def __init__(self, folder: Path, name: str, *, servers: int = 0, hidden: bool = False) -> None:
        self.name = name
        self._tools = 3 * servers
        self._folder = folder / name.replace(" ", "-")
        self._folder.mkdir()
        command, args = json.dumps(sys.executable), json.dumps([FAULTY, "none"])
        config = self._folder / "msgbook.toml"
        config.write_text("".join(SERVER.format(n, command, args) for n in range(servers)))
        self._settings = {
            "MSGBOOK_CONFIG": str(config),
            "MSGBOOK_MODEL": "m",
            "JUPYTER_DATA_DIR": str(self._folder / "data"),
            "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),
        }
        if hidden:
            (self._folder / "sitecustomize.py").write_text(HIDDEN)
            self._settings["PYTHONPATH"] = str(self._folder)
        self.starts: list[float] = []
        self.turns: list[float] = []
        self.megabytes: list[float] = []

    def measure(self, server: ScriptedServer) -> None:
        """Start a kernel, take its first turn, and note what both cost."""
        server.reset()
        server.answers = [text("ok")]
        began = time.perf_counter()
        with KernelClient(
            {**self._settings, "OPENAI_BASE_URL": server.url}, str(self._folder)
        ) as k:
            self.starts.append(time.perf_counter() - began)
            began = time.perf_counter()
            k.run("hi", "a")
            self.turns.append(time.perf_counter() - began)
            tools = [tool["function"]["name"] for tool in server.requests[-1]["tools"]]
            if sum(name.startswith("mcp__") for name in tools) != self._tools:
                sys.exit(f"{self.name}: expected {self._tools} tools of servers, got {tools}")
            process = psutil.Process(k.manager.provisioner.pid)
            self.megabytes.append(process.memory_info().rss / 1e6)

    def forget(self) -> None:
        """Forget what has been measured."""
        for measured in (self.starts, self.turns, self.megabytes):
            measured.clear()


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as name, ScriptedServer() as server:
        folder = Path(name)
        cases = [
            Case(folder, "SDK hidden", hidden=True),
            Case(folder, "no server"),
            Case(folder, "ten known servers", servers=10),
        ]
        for case in cases:  # warms the caches, and makes the tools of the servers known
            case.measure(server)
            case.forget()
        for _ in range(runs):
            for case in cases:
                case.measure(server)
        first = cases[0]
        for case in cases:
            ratio = statistics.median(case.starts) / statistics.median(first.starts)
            more = statistics.median(case.megabytes) - statistics.median(first.megabytes)
            print(
                f"{case.name:18} start {statistics.median(case.starts):.2f} s ({ratio:.2f} x), "
                f"first turn {statistics.median(case.turns) * 1000:.0f} ms, "
                f"memory {statistics.median(case.megabytes):.1f} MB ({more:+.1f} MB); medians of {runs}"
            )
            row(f"{case.name}: start", ratio, "x", 1.1)
            row(f"{case.name}: memory", more, "MB", 5)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
