"""Checks of the installation: the files that JupyterLab needs."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_core.paths import jupyter_path

from msgbook.cli.git_settings import GitSilentError, setting_in_force
from msgbook.cli.git_setup import DRIVER, driver_settings
from msgbook.config import Settings, config_path
from msgbook.server_checks.findings import Finding
from msgbook.text import one_line

LABEXTENSION = "@msgbook/labextension"

_INSTALL_AGAIN = "Install msgbook again, with the Python that runs JupyterLab."


def check_installation(settings: Settings) -> Iterator[Finding]:
    """Check what is installed beside the code, and who can read the settings."""
    yield _check_kernelspec()
    yield _check_labextension()
    yield _check_jupytext()
    for found in (_check_git(), _check_config_file(settings)):
        if found:
            yield found


def _check_kernelspec() -> Finding:
    try:
        spec = KernelSpecManager().get_kernel_spec("msgbook")
    except NoSuchKernel:
        return Finding(
            "kernelspec", "fail", "Jupyter cannot find the kernel msgbook", _INSTALL_AGAIN
        )
    python = spec.argv[0]
    # Jupyter replaces a bare `python` by its own Python.
    if Path(python).is_absolute() and not os.access(python, os.X_OK):
        return Finding("kernelspec", "fail", f"{python} cannot be run", _INSTALL_AGAIN)
    return Finding("kernelspec", "pass", spec.display_name)


def _check_labextension() -> Finding:
    for folder in jupyter_path("labextensions"):
        package = Path(folder, LABEXTENSION, "package.json")
        try:
            version = json.loads(package.read_text("utf-8")).get("version")
        except (OSError, ValueError, AttributeError):
            continue
        return Finding("labextension", "pass", f"{LABEXTENSION} {version}")
    words = f"JupyterLab cannot find {LABEXTENSION}, so it shows turns as Markdown"
    return Finding("labextension", "fail", words, _INSTALL_AGAIN)


def _check_jupytext() -> Finding:
    try:
        version = metadata.version("jupytext")
    except metadata.PackageNotFoundError:
        return Finding("jupytext", "fail", "it is not installed", 'pip install "jupytext<1.20"')
    if version.startswith("1.19."):
        return Finding("jupytext", "pass", version)
    advice = (
        "Message files open, but cannot be paired. To pair: pip install 'jupytext>=1.19.2,<1.20'"
    )
    return Finding("jupytext", "unknown", f"msgbook does not know version {version}", advice)


def _check_git() -> Finding | None:
    """Check that the Python that merges for git, if git was set up, is this one."""
    try:
        driver = setting_in_force(DRIVER)
    except GitSilentError as error:
        return Finding(
            "git", "note", one_line(str(error)), "Go to another folder, or mend these settings"
        )
    if driver is None:
        return None
    if driver == driver_settings(sys.executable)[DRIVER]:
        return Finding("git", "pass", "merges message files by cell")
    words = (
        "it merges message files with another Python, or as another version of msgbook set it up"
    )
    return Finding("git", "note", words, "If that is not what you want: msgbook git-setup")


def _check_config_file(settings: Settings) -> Finding | None:
    """Check whether other users can read a configuration file with a secret."""
    path = config_path(os.environ)
    if path is None or not settings.providers or sys.platform == "win32":
        return None
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        text = path.read_text("utf-8")
    except OSError:
        return None
    # Secrets from the environment are not in the file.
    in_file = any(secret in text for secret in settings.secrets)
    if in_file and mode & 0o077:
        words = f"{path} holds a secret, and other users can read it ({mode:o})"
        return Finding("config file", "fail", words, f"chmod 600 {path}")
    return Finding("config file", "pass", f"{path} ({mode:o})")
