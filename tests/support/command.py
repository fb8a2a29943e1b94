"""Verbs of `msgbook` against a scripted server: called here, or as somebody types them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest
from scripted_server import ScriptedServer

HOSTILE_MODULES = (
    "argparse",
    "asyncio",
    "bs4",
    "json",
    "jupyter",
    "jupyterlab",
    "jupytext",
    "mistune",
    "nbformat",
    "openai",
    "pydantic",
    "shlex",
    "subprocess",
    "tempfile",
    "tomllib",
    "yaml",
)
"""Some that the commands import, at their start or later."""


def settings(server: ScriptedServer, **more: str) -> dict[str, str]:
    """Environment variables of a user of that server."""
    return {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **more}


def with_settings(server: ScriptedServer, verb: Callable[..., int], *args: Any, **more: Any) -> int:
    """Run the function of a verb in this process; names in capitals are environment variables."""
    wanted = {key: value for key, value in more.items() if key.isupper()}
    options = {key: value for key, value in more.items() if not key.isupper()}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings(server, **wanted).items():
            patch.setenv(name, value)
        return verb(*args, **options)


def run(server: ScriptedServer, *argv: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a verb in a process to its end; nobody can be asked."""
    return subprocess.run(
        [sys.executable, "-m", "msgbook", *map(str, argv)],
        env={**os.environ, **settings(server)},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def terminal(server: ScriptedServer, *argv: object) -> Any:
    """Begin to run a verb on a terminal of its own."""
    return pexpect.spawn(
        sys.executable,
        ["-m", "msgbook", *map(str, argv)],
        env={**os.environ, **settings(server)},
        encoding="utf-8",
        timeout=300,
        dimensions=(40, 200),
    )


def said(message: dict[str, Any]) -> tuple[str, str]:
    """Role and text of a message of a request."""
    return message["role"], message["content"]


def inserted(before: str, path: Path) -> bool:
    """Whether the file now is a text with nothing but lines put in."""
    lines = iter(path.read_text("utf-8").splitlines())
    return all(line in lines for line in before.splitlines())


def plant_modules(folder: Path) -> Path:
    """Put modules into a folder that take the place of others'; the file in which one that was
    imported leaves its name.
    """
    trace = folder.parent / f"{folder.name}-imported"
    for name in HOSTILE_MODULES:
        (folder / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write(__name__ + '\\n')\n")
    return trace
