"""docs/plugins.md: its example is the package that the tests install, and its names exist."""

from __future__ import annotations

import shutil
import sys
import sysconfig
import venv
from pathlib import Path

from fences import Fence
from typed import environment, stand_in, type_in

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "tests" / "plugins" / "example"


def test_the_package_is_installed_as_the_page_says_and_the_doctor_lists_it(
    fences: list[Fence], tmp_path: Path
) -> None:
    (install,) = fences
    package, reader = tmp_path / "package", tmp_path / "reader"
    shutil.copytree(EXAMPLE, package)
    python = _environment_beside_ours(reader)
    programs = stand_in(reader / "bin", "msgbook", f'exec {python} -m msgbook "$@"')
    jupyter = str(Path(sys.prefix, "share", "jupyter"))
    settings = {"PIP_DRY_RUN": "0", "JUPYTER_PATH": jupyter}

    told = type_in(install.script, package, environment(settings, programs))

    assert "plug-in: msgbook-example 1.0: provider parrot, tool largest_file, tool roll\n" in told


def _environment_beside_ours(folder: Path) -> Path:
    """Make an environment that also has the packages of this one, and return its Python."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    ours = sysconfig.get_path("purelib")
    (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    return folder / "bin" / "python"
