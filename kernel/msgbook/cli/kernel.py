"""`msgbook kernel install`: offers this environment's kernels to a Jupyter of another environment."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_core.paths import ENV_JUPYTER_PATH, jupyter_path

from msgbook.cli.terminal import CommandError, say
from msgbook.errors import describe_file_error
from msgbook_format.syntax import CHAT_KERNEL, CODE_FIRST_KERNEL, rule_of_kernel

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PLAIN_FOLDERS = ("venv", "env")
"""Names of environments that do not tell one from another: that of the folder around them does."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    prefix = Path(arguments.prefix) if arguments.prefix else None
    path = install(
        arguments.name, arguments.display_name, prefix, is_code_first=arguments.code_first
    )
    say(str(path))
    return 0


def install(
    name: str | None, display_name: str | None, prefix: Path | None, *, is_code_first: bool
) -> Path:
    """Install a kernelspec that starts a kernel in this environment, and return its folder.

    Args:
        name: Of the kernelspec; by default the environment's. It gets the beginning by which files and
            pages know the kernel, if it has not got it.
        prefix: Environment of the other Jupyter; None for all of this user's.

    Raises:
        CommandError: The name cannot be one, or the folder cannot be written.
    """
    kind = CODE_FIRST_KERNEL if is_code_first else CHAT_KERNEL
    environment = _environment()
    full = _full_name(name or environment, kind)
    template = _template(kind)
    spec = json.loads((template / "kernel.json").read_text("utf-8"))
    named = display_name or f"{spec['display_name'].removesuffix(')')}, {name or environment})"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / full
        shutil.copytree(template, source)
        text = json.dumps(_spec_here(spec, named), indent=1, ensure_ascii=False)
        (source / "kernel.json").write_text(text + "\n", "utf-8")
        manager = KernelSpecManager()
        try:
            installed = manager.install_kernel_spec(
                str(source),
                full,
                user=prefix is None,
                prefix=None if prefix is None else str(prefix),
            )
        except OSError as error:
            where = prefix or manager.user_kernel_dir
            raise CommandError(describe_file_error(Path(where), error)) from error
    return Path(installed)


def _full_name(name: str, kind: str) -> str:
    """Return the name of the kernelspec, which begins with `kind`.

    Raises:
        CommandError: It has other characters, or is the name of the other kind.
    """
    if not _NAME.fullmatch(name):
        raise CommandError(
            f"expected a name of letters, digits, '.', '_' and '-', found {name!r}. "
            "What people read is --display-name."
        )
    full = name if name == kind or name.startswith(f"{kind}-") else f"{kind}-{name}"
    if rule_of_kernel(full) is not rule_of_kernel(kind):
        raise CommandError(
            f"{name}: names that begin with {CODE_FIRST_KERNEL} are those of kernels with --code-first."
        )
    return full.lower()


def _spec_here(spec: dict[str, Any], display_name: str) -> dict[str, Any]:
    # Another environment's Jupyter has another Python.
    return {**spec, "argv": [sys.executable, *spec["argv"][1:]], "display_name": display_name}


def _template(kind: str) -> Path:
    """Return the folder of the kernelspec that was installed with msgbook."""
    for folder in (*ENV_JUPYTER_PATH, *jupyter_path()):
        found = Path(folder) / "kernels" / kind
        if (found / "kernel.json").is_file():
            return found
    raise CommandError(f"this environment has no kernelspec {kind}. Install msgbook again.")


def _environment() -> str:
    """Return a word for this environment: the name of its folder."""
    folder = Path(sys.prefix)
    if folder.name.strip(".") in _PLAIN_FOLDERS:
        folder = folder.parent
    return re.sub(r"[^A-Za-z0-9._-]+", "-", folder.name).strip(".-") or "environment"
