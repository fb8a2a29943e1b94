"""`make demo` and `make test` on a machine that lacks something: one line says what to do.

The programs that would build and download are stand-ins, which fail as the real ones do.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT = ("Makefile", "scripts", "pyproject.toml", "install.json")

PYTHON = """\
case "$*" in
  *version_info*) exit {old} ;;
  -V) echo "Python 3.9.2" ;;
  *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  *"pip install"*) echo "{pip}" >&2; exit 1 ;;
esac
"""
NODE = 'case "$1" in -p) echo {version} ;; -v) echo v{version}.1.0 ;; esac\n'
FAILURES = {
    "no network": "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution",
    "full disk": "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
    "anything else": "ERROR: the wheel is no wheel",
}
REMEDIES = {
    "no network": "check the network",
    "full disk": "free some space",
    "anything else": "at the end of .setup.log",
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone, as far as make reads it, in a folder whose name has blanks and an umlaut."""
    folder = tmp_path / "my notebooks" / "für mich"
    folder.mkdir(parents=True)
    for name in BUILT:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for name in ("labextension", "kernel/kernelspec", "kernel/kernelspec-python", "server-config"):
        (folder / name).mkdir(parents=True)
    for name in ("package.json", "yarn.lock", "tsconfig.json"):
        (folder / "labextension" / name).touch()
    return folder


def make(
    clone: Path, target: str, *, old: int = 0, pip: str = "", node: str | None = "22"
) -> list[str]:
    """Run make with stand-ins for Python and Node.js, and return what it says but for its own last line."""
    programs = clone.parents[1] / "programs"
    programs.mkdir()
    scripts = {"python3": PYTHON.format(old=old, pip=pip)}
    if node is not None:
        scripts["node"] = NODE.format(version=node)
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}")
        (programs / name).chmod(0o755)
    for name in ("sh", "git", "make", "mkdir", "cp", "cut", "grep", "cat", "rm", "touch", "find"):
        (programs / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        [programs / "make", target],
        cwd=clone,
        env={"PATH": str(programs), "HOME": str(clone), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    print(done.stdout, done.stderr)
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    return [line for line in lines if not line.startswith("make") and not line.endswith(" ...")]


@pytest.mark.parametrize("target", ["demo", "test"])
def test_what_the_machine_lacks_is_named_in_one_line(clone: Path, target: str) -> None:
    (line,) = make(clone, target, old=1, node=None)

    assert line.startswith(
        "To build msgbook, install first: Python 3.11 or newer; python3 is 3.9.2"
    )
    assert line.endswith("Node.js 20 or newer (https://nodejs.org, or your distribution's nodejs)")


def test_an_old_node_is_named(clone: Path) -> None:
    assert make(clone, "demo", node="18") == [
        "To build msgbook, install first: Node.js 20 or newer; node is v18.1.0"
    ]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_step_that_fails_says_in_one_line_what_to_do(clone: Path, failure: str) -> None:
    (line,) = make(clone, "demo", pip=FAILURES[failure])

    assert line.startswith("Installing JupyterLab failed")
    assert REMEDIES[failure] in line
    assert "make again" in line


def test_what_is_no_python_is_called_so(clone: Path) -> None:
    done = subprocess.run(
        ["sh", clone / "scripts" / "check-tools.sh", "/bin/false"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "/bin/false is no Python, so type make PYTHON=" in done.stderr
