"""Try what a release consists of: install each file where there is no Node.js, and run the demo from it.

`python scripts/check_dist.py dist/*`. `make dist` runs it after the build.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path


class DistError(Exception):
    """A file cannot be installed, or what is installed does not work."""


def main(files: Sequence[str]) -> int:
    """Check each file, and return the exit code."""
    if not files:
        print("usage: check_dist.py FILE...", file=sys.stderr)
        return 2
    for file in map(Path, files):
        with tempfile.TemporaryDirectory(prefix="msgbook-dist-") as folder:
            try:
                version = check(file.resolve(), Path(folder))
            except DistError as error:
                print(f"{file.name}: {error}", file=sys.stderr)
                return 1
        print(f"{file.name}: msgbook {version} installs without Node.js and answers the demo")
    return 0


def check(file: Path, folder: Path) -> str:
    """Install a file into a new environment, run the demo there, and return the version.

    Raises:
        DistError: One of these steps failed.
    """
    home = folder / "environment"
    venv.create(home, with_pip=True)
    tools = home / ("Scripts" if os.name == "nt" else "bin")
    python = tools / f"python{'.exe' if os.name == 'nt' else ''}"
    environment = bare_environment(tools, folder)
    run([python, "-m", "pip", "install", "--quiet", file], folder, environment)
    return try_demo(python, folder, environment)


def bare_environment(tools: Path, folder: Path) -> dict[str, str]:
    """Return the environment of a user who has nothing but Python: no Node.js, no settings."""
    dropped = ("OPENAI_", "MSGBOOK_", "PYTHON", "JUPYTER", "JPY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    own = {f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    return {**kept, **own, "PATH": str(tools), "IPYTHONDIR": str(folder / "ipython")}


def try_demo(python: Path, folder: Path, environment: dict[str, str]) -> str:
    """Run the demo without a browser, and return the version that the command tells.

    Raises:
        DistError: It failed, or answered nothing.
    """
    command = [python, "-m", "msgbook"]
    told = run([*command, "--version"], folder, environment).split()[-1]
    run([*command, "demo", "shown", "--headless"], folder, environment)
    for name, answer, page in (
        ("demo.msg.md", "[assistant]", "demo.html"),
        ("rain.ipynb", "has the largest number", "rain.html"),
    ):
        text = (folder / "shown" / name).read_text("utf-8")
        if answer not in text or not (folder / "shown" / page).exists():
            raise DistError(f"the demo ran, but answered nothing:\n{text}")
    return told


def run(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> str:
    """Run a program and return what it printed.

    Raises:
        DistError: It failed.
    """
    ended = subprocess.run(  # noqa: S603 - of this file, with no text of others
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        words = " ".join(map(str, command))
        raise DistError(f"`{words}` exited with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
