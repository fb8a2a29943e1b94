"""Checks of the installation: what JupyterLab has to find."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from msgbook.cli.doctor.findings import Finding
from msgbook.config import Settings, config_path

LABEXTENSION = "@msgbook/labextension"

_INSTALL_AGAIN = "Install msgbook again, with the Python that runs JupyterLab."


def check_installation(settings: Settings) -> Iterator[Finding]:
    """Check what is installed beside the code, and who can read the settings."""
    yield _check_kernelspec()
    yield _check_labextension()
    yield _check_jupytext()
    found = _check_config_file(settings)
    if found:
        yield found


def _check_kernelspec() -> Finding:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec("msgbook")
    except NoSuchKernel:
        return Finding("kernelspec", "fail", "Jupyter finds no kernel msgbook", _INSTALL_AGAIN)
    python = spec.argv[0]
    # A bare `python` is replaced by the Python that starts it.
    if Path(python).is_absolute() and not os.access(python, os.X_OK):
        return Finding("kernelspec", "fail", f"{python} cannot be run", _INSTALL_AGAIN)
    return Finding("kernelspec", "pass", spec.display_name)


def _check_labextension() -> Finding:
    from jupyter_core.paths import jupyter_path

    for folder in jupyter_path("labextensions"):
        package = Path(folder, LABEXTENSION, "package.json")
        try:
            version = json.loads(package.read_text("utf-8")).get("version")
        except (OSError, ValueError, AttributeError):
            continue
        return Finding("labextension", "pass", f"{LABEXTENSION} {version}")
    words = f"JupyterLab finds no {LABEXTENSION}; turns are shown as Markdown"
    return Finding("labextension", "fail", words, _INSTALL_AGAIN)


def _check_jupytext() -> Finding:
    try:
        version = metadata.version("jupytext")
    except metadata.PackageNotFoundError:
        return Finding("jupytext", "fail", "it is not installed", 'pip install "jupytext<1.20"')
    if version.startswith("1.19."):
        return Finding("jupytext", "pass", version)
    advice = "Message files open without pairs. For pairs: pip install 'jupytext>=1.19.2,<1.20'"
    return Finding("jupytext", "unknown", f"{version} is not known to msgbook", advice)


def _check_config_file(settings: Settings) -> Finding | None:
    """Whether others can read a file that holds a secret."""
    path = config_path(os.environ)
    if path is None or not settings.providers or sys.platform == "win32":
        return None
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        text = path.read_text("utf-8")
    except OSError:
        return None
    # What is set in the environment is not in the file.
    in_file = any(secret in text for secret in settings.secrets)
    if in_file and mode & 0o077:
        words = f"{path} holds a secret, and others can read it ({mode:o})"
        return Finding("config file", "fail", words, f"chmod 600 {path}")
    return Finding("config file", "pass", f"{path} ({mode:o})")
