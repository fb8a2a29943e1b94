"""What pip installs: from a wheel without Node.js, and editable."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import msgbook

ROOT = Path(__file__).parents[2]


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
    assert "share/jupyter/kernels/msgbook-python/kernel.json" in shared
    assert "share/jupyter/kernels/msgbook-python/logo-svg.svg" in shared
    assert "etc/jupyter/jupyter_server_config.d/msgbook.json" in shared
    assert "etc/jupyter/jupyter_execute_config.py" in shared
    assert not [name for name in shared if name.endswith(".map") or "build_log" in name]


def test_the_wheel_holds_both_packages_and_nothing_of_the_workshop(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}

    autoload = {f"msgbook_autoload.{suffix}" for suffix in ("py", "pth", "start")}
    modules = {"msgbook", "msgbook_format"} | autoload
    assert modules < tops
    assert all(top in modules or top.startswith("msgbook-") for top in tops)
    samples = {f"msgbook/samples/{name}" for name in ("rain.csv", "rain.msg.md", "tour.msg.md")}
    assert samples | {"msgbook/py.typed", "msgbook_format/py.typed"} < set(wheel.namelist())
    assert "msgbook_format/locale/zh_CN/LC_MESSAGES/msgbook.json" in wheel.namelist()


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


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """The Python of a new environment with the wheel, and what it needs from this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    packages = next(folder.glob("lib/python3*/site-packages"))
    # A path alone: the `.pth` files that lie there are not run.
    (packages / "needs.pth").write_text(sysconfig.get_path("purelib"))
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*command, "--no-index", "--ignore-installed", wheel.filename], check=True)
    templates = Path("share", "jupyter", "nbconvert")
    (folder / templates).symlink_to(Path(sys.prefix, templates))
    return python


def test_jupytext_knows_message_files_right_after_the_installation(fresh, tmp_path):
    text = "# %% [^a]\n\n[^a]: [markdown]\n\nHi\n\n# %%% [^a-1]\n\n[^a-1]: [assistant]\n\nHo\n"
    (tmp_path / "chat.msg.md").write_text(text)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    for arguments in (
        ["--from", ".msg.md", "--to", "ipynb", "chat.msg.md"],
        ["--to", ".msg.md", "--output", "back.msg.md", "chat.ipynb"],
    ):
        command = [fresh, "-W", "error", "-m", "jupytext", *arguments]
        subprocess.run(command, check=True, cwd=tmp_path, env=environment)

    assert (tmp_path / "back.msg.md").read_text() == text
    assert "Ho" in (tmp_path / "chat.ipynb").read_text()


def test_the_demo_of_the_wheel_answers_without_node(fresh, tmp_path):
    checks = runpy.run_path(str(ROOT / "scripts" / "check_dist.py"))
    environment = checks["bare_environment"](fresh.parent, tmp_path)

    assert checks["try_demo"](fresh, tmp_path, environment) == msgbook.__version__


def test_an_editable_installation_waits_for_jupytext_too():
    code = "import sys; print([type(f).__name__ for f in sys.meta_path])"
    environment = {**os.environ, "MSGBOOK_NO_AUTOLOAD": ""}

    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )

    assert "JupytextFinder" in shown.stdout


def test_the_kernelspec_is_installed_under_its_fixed_names():
    command = [sys.executable, "-m", "jupyter", "kernelspec", "list", "--json"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    spec = json.loads(listed.stdout)["kernelspecs"]["msgbook"]["spec"]

    assert spec["display_name"] == "Chat (msgbook)"
    assert spec["language"] == "msgbook"
    assert spec["interrupt_mode"] == "message"
    assert spec["argv"][1:] == ["-m", "msgbook.kernel", "-f", "{connection_file}"]
