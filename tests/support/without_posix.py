"""Run msgbook as on a system without POSIX: `python without_posix.py FOLDER` prints what it found, as JSON.

All modules are imported once as they are, so that Python's own and those of others are there. Then the modules,
functions and signals that only POSIX has are taken away, and msgbook's modules are imported anew.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import pkgutil
import signal
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
FUNCTIONS = """
    chown fchmod fchown fork forkpty getegid geteuid getgid getpgid getppid getsid getuid killpg lchown
    mkfifo posix_spawn setpgid setsid sysconf uname wait3 wait4 waitid O_CLOEXEC O_DIRECTORY O_NOFOLLOW
    O_NONBLOCK O_PATH WNOHANG
"""
SIGNALS = (
    "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGSTOP SIGUSR1 ITIMER_REAL setitimer alarm"
)
OURS = ("msgbook", "msgbook_format")


class Refuse(MetaPathFinder):
    """Finds none of the modules that only POSIX has."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def import_all() -> list[str]:
    """Import every module of both packages, and return those that fail, with the error."""
    failed = []
    for package in OURS:
        paths = importlib.import_module(package).__path__
        for found in pkgutil.walk_packages(paths, f"{package}."):
            # Running this module starts a kernel.
            if found.name == "msgbook.kernel.__main__":
                continue
            try:
                importlib.import_module(found.name)
            except Exception as error:  # each one is reported
                failed.append(f"{found.name}: {type(error).__name__}: {error}")
    return failed


def take_posix_away() -> None:
    """Leave of `os`, `signal` and the modules what Windows has, too."""
    for name in [n for n in sys.modules if n.partition(".")[0] in OURS or n in MODULES]:
        del sys.modules[name]
    sys.meta_path.insert(0, Refuse())
    for module, names in ((os, FUNCTIONS), (signal, SIGNALS)):
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    os.supports_dir_fd = set()
    sys.platform = "win32"


async def use_tools(folder: Path) -> dict[str, str]:
    """Call the tools that have another way without POSIX; return their results, or errors."""
    from msgbook.approval import ApprovalRequest
    from msgbook.approval.roots import Roots
    from msgbook.config import McpServerSettings
    from msgbook.errors import ToolError
    from msgbook.tools import shell_tool
    from msgbook.tools.base import CallContext
    from msgbook.tools.files.serve import answer
    from msgbook.tools.mcp.server_process import ServerProcess, StartError

    roots = Roots(folder, [], folder / ".msgbook" / "blobs")

    def call(tool: str, **arguments: str) -> str:
        request: dict[str, Any] = {"tool": tool, "arguments": arguments, "seen": {}}
        reply = answer(roots, request)
        if "approval_request" in reply:
            reply = answer(roots, {**request, "approved": reply["approval_request"]})
        return str(reply.get("content") or reply.get("error"))

    found = {
        "write": call("write", path="a.txt", content="one\n"),
        "edit": call("edit", path="a.txt", old="one", new="two"),
        "mkdir": call("mkdir", path="new"),
        "read": call("read", path="a.txt"),
        "linked": call("write", path="linked/b.txt", content="no"),
    }
    try:
        approved = ApprovalRequest("it runs a command on this machine")
        await shell_tool(folder).call('{"command": "echo hi"}', CallContext(approved))
    except ToolError as error:
        found["shell"] = str(error)
    try:
        await ServerProcess.start(McpServerSettings("s", command=sys.executable), {})
    except StartError as error:
        found["mcp"] = str(error)
    return found


def main(folder: Path) -> None:
    import papermill  # noqa: F401 - it imports our engine itself

    before = import_all()
    take_posix_away()
    failed = import_all()
    from msgbook_format.agent_states.running import mark_running

    with mark_running(folder / "chat.msg.md", "an-id"):
        tools = asyncio.run(use_tools(folder))
    print(json.dumps({"before": before, "failed": failed, **tools}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
