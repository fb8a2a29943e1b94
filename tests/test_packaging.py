"""What pip installs: from a wheel without Node.js, and editable."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel built from the tree without Node.js on the path; the extension has been built."""
    folder = tmp_path_factory.mktemp("wheel")
    nowhere = tmp_path_factory.mktemp("path")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run(
        command,
        cwd=ROOT,
        check=True,
        capture_output=True,
        env={**os.environ, "PATH": str(nowhere)},
    )
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_holds_the_built_extension_the_kernelspec_and_the_server_extension(wheel):
    data = next(name for name in wheel.namelist() if ".data/data/" in name).split("/data/")[0]
    shared = {
        name.removeprefix(f"{data}/data/")
        for name in wheel.namelist()
        if name.startswith(f"{data}/data/")
    }

    extension = "share/jupyter/labextensions/@msgbook/labextension"
    assert f"{extension}/install.json" in shared
    assert any(re.fullmatch(rf"{extension}/static/remoteEntry\..*\.js", name) for name in shared)
    assert "share/jupyter/kernels/msgbook/kernel.json" in shared
    assert "share/jupyter/kernels/msgbook/logo-svg.svg" in shared
    assert "etc/jupyter/jupyter_server_config.d/msgbook.json" in shared
    assert not [name for name in shared if name.endswith(".map") or "build_log" in name]


def test_the_wheel_holds_both_packages_and_nothing_of_the_workshop(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}

    assert {"msgbook", "msgbook_format"} < tops
    assert all(top in ("msgbook", "msgbook_format") or top.startswith("msgbook-") for top in tops)
    assert {"msgbook/sample.msg.md", "msgbook/py.typed", "msgbook_format/py.typed"} < set(
        wheel.namelist()
    )


def test_the_wheel_installs_without_node_and_runs(wheel, tmp_path):
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index"]
    # Another prefix, and hands off the one that runs this test.
    command += ["--ignore-installed", "--prefix"]
    nowhere = {**os.environ, "PATH": str(tmp_path)}
    subprocess.run([*command, str(tmp_path), wheel.filename], check=True, env=nowhere)
    package = next(tmp_path.glob("lib/python3*/site-packages"))

    shown = subprocess.run(
        [sys.executable, "-c", "import msgbook, msgbook_format; print(msgbook.__file__)"],
        env={**nowhere, "PYTHONPATH": str(package)},
        check=True,
        capture_output=True,
        text=True,
    )

    assert shown.stdout.startswith(str(package))
    assert (tmp_path / "share/jupyter/labextensions/@msgbook/labextension/package.json").exists()
    assert (tmp_path / "bin/msgbook").exists()


def test_the_kernelspec_is_installed_under_its_fixed_names():
    command = [sys.executable, "-m", "jupyter", "kernelspec", "list", "--json"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    spec = json.loads(listed.stdout)["kernelspecs"]["msgbook"]["spec"]

    assert spec["display_name"] == "Chat (msgbook)"
    assert spec["language"] == "msgbook"
    assert spec["interrupt_mode"] == "message"
    assert spec["argv"][1:] == ["-m", "msgbook.kernel", "-f", "{connection_file}"]


def test_extension_and_package_have_one_version():
    import msgbook

    package = json.loads((ROOT / "labextension" / "package.json").read_text())
    pyproject = (ROOT / "pyproject.toml").read_text()

    assert package["version"] == msgbook.__version__
    assert f'\nversion = "{msgbook.__version__}"\n' in pyproject
