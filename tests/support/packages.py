"""Packages as pip leaves them: the example plug-in really installed, others written by hand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "plugins" / "example"


def install_example(target: Path) -> Path:
    """Install the example plug-in into a folder, without a network."""
    options = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")
    command = [sys.executable, "-m", "pip", "install", *options, "--no-build-isolation"]
    subprocess.run([*command, "--target", str(target), str(EXAMPLE)], check=True)
    return target


def write_package(
    folder: Path,
    name: str,
    source: str,
    *,
    tools: Mapping[str, str] | None = None,
    providers: Mapping[str, str] | None = None,
    version: str = "1.0",
) -> None:
    """Write a package of one module and its entry points: names, and attributes of the module."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = []
    for group, entries in (("tools", tools), ("providers", providers)):
        lines += [f"[msgbook.{group}]"]
        lines += [f"{entry} = {module}:{value}" for entry, value in (entries or {}).items()]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
