"""Commands of a page, typed into a shell as its reader types them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PIP = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_BUILD_ISOLATION": "0",
    "PIP_DRY_RUN": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
}
"""What makes pip say whether all is there that it would install, without a network and without a change."""


def environment(settings: Mapping[str, str], *programs: Path) -> dict[str, str]:
    """Return the environment of a reader who has activated the environment of the tests.

    Args:
        settings: Variables beside the test's own.
        programs: Folders whose programs go before all others.
    """
    folders = [*programs, Path(sys.executable).parent, os.environ["PATH"]]
    return {**os.environ, **PIP, "PATH": os.pathsep.join(map(str, folders)), **settings}


def type_in(script: str, folder: Path, env: Mapping[str, str]) -> str:
    """Type commands into a shell and return what they print on standard output; each has to succeed."""
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"$ {script}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr, f"$ {script}\n{done.stderr}"
    return done.stdout


def stand_in(folder: Path, name: str, script: str) -> Path:
    """Write a program that takes the place of another, and return its folder."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder
