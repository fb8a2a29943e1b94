"""Jupytext knows message files without any configuration: the files that Python reads at its start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FORMAT = Path(__file__).parents[4] / "jupytext_format"
LINE = (FORMAT / "msgbook_autoload.pth").read_text()
ENTRY_POINT = (FORMAT / "msgbook_autoload.start").read_text().strip()
KNOWS = "import jupytext.formats as f; assert ('msg' in f._VALID_FORMAT_NAMES) is {}"

THREADS = """
import importlib, threading
threads = [threading.Thread(target=importlib.import_module, args=["jupytext"]) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
LAZY = """
import importlib.util, sys
spec = importlib.util.find_spec("jupytext")
spec.loader = importlib.util.LazyLoader(spec.loader)
module = sys.modules["jupytext"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
module.reads
"""


class Pythons:
    """Pythons that find our packages and ignore their files in site-packages."""

    def __init__(self, fork_server):
        self._fork_server = fork_server

    def start(self, code, *flags, folder=FORMAT, **environment):
        """Run code in a Python with `flags`; without any a forked one will do."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "MSGBOOK_NO_AUTOLOAD": "1",
        } | environment
        if not flags:
            path = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
            return self._fork_server.run(path + code, cwd=folder, env=environment)
        return subprocess.run(
            [sys.executable, *flags, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def armed(self, code, *flags, **environment):
        """Run code as `start` does, after the line of the `.pth` file."""
        return self.start(LINE + code, *flags, MSGBOOK_NO_AUTOLOAD="", **environment)


@pytest.fixture
def pythons(fork_before_jupytext):
    return Pythons(fork_before_jupytext)


def passes(result):
    assert (result.returncode, result.stderr) == (0, "")
    return True


def test_importing_jupytext_registers_the_format(pythons):
    assert passes(pythons.armed(KNOWS.format(True)))
    assert passes(pythons.armed("from jupytext.cli import jupytext\n" + KNOWS.format(True)))


@pytest.mark.parametrize(
    "code",
    [
        "import importlib.util as u; assert u.find_spec('jupytext').loader.get_source('jupytext')",
        "import importlib.util as u; u.find_spec('jupytext'); u.find_spec('jupytext')",
        "import importlib.resources as r; import jupytext; assert r.files('jupytext').is_dir()",
        "import jupytext, importlib; importlib.reload(jupytext)",
        THREADS,
        LAZY,
        "from msgbook_format.jupytext_plugin import register; assert register()",
        "import jupytext; from msgbook_format.jupytext_plugin import register; assert register()",
    ],
)
def test_whoever_else_looks_for_jupytext_neither_triggers_nor_loses_it(pythons, code):
    assert passes(pythons.armed(f"{code}\n{KNOWS.format(True)}"))


def test_looking_for_jupytext_imports_nothing_of_it(pythons):
    code = "import importlib.util as u, sys; u.find_spec('jupytext')"

    assert passes(
        pythons.armed(f"{code}; assert not {{'jupytext', 'msgbook_format'}} & sys.modules.keys()")
    )


def test_a_start_of_python_imports_one_module_of_ours_and_no_other(pythons):
    code = "import sys; print(*sorted(set(sys.modules) - before))"

    shown = pythons.start(
        f"import os, sys; before = set(sys.modules)\n{LINE}{code}", "-S", MSGBOOK_NO_AUTOLOAD=""
    )

    assert (shown.stdout, shown.stderr) == ("msgbook_autoload\n", "")


def test_it_waits_for_jupytext_and_for_nothing_else(pythons):
    code = "import sys, nbconvert.exporters.exporter, nbclient.cli; print('msgbook_format' in sys.modules)"

    assert pythons.armed(code).stdout == "False\n"


def test_the_entry_point_for_later_pythons_does_what_the_line_does(pythons):
    module, function = ENTRY_POINT.split(":")

    assert f"import {module}; {module}.{function}()\n" == LINE
    resolved = f"import pkgutil; pkgutil.resolve_name({ENTRY_POINT!r})()\n"
    assert passes(pythons.start(resolved + KNOWS.format(True), MSGBOOK_NO_AUTOLOAD=""))


def test_the_line_and_the_entry_point_together_do_no_harm(pythons):
    assert passes(pythons.armed(LINE + KNOWS.format(True)))


def test_the_switch_turns_it_off(pythons):
    assert passes(pythons.start(LINE + KNOWS.format(False)))


def test_python_and_jupytext_start_without_a_word_when_the_package_is_gone(pythons, tmp_path):
    (tmp_path / "jupytext.py").write_text("works = True")
    (tmp_path / "msgbook_autoload.py").write_bytes((FORMAT / "msgbook_autoload.py").read_bytes())
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"

    shown = pythons.start(
        f"{path}{LINE}import jupytext; jupytext.works", "-I", "-S", MSGBOOK_NO_AUTOLOAD=""
    )

    assert passes(shown)


@pytest.mark.parametrize("flags", [[], ["-W", "error"]])
def test_a_format_that_is_gone_gives_one_warning_and_jupytext_works(pythons, tmp_path, flags):
    (tmp_path / "msgbook_autoload.py").write_bytes((FORMAT / "msgbook_autoload.py").read_bytes())
    (tmp_path / "msgbook_format").mkdir()
    (tmp_path / "msgbook_format" / "__init__.py").write_text("raise RuntimeError('half gone')")

    shown = pythons.armed(
        "import jupytext; print(jupytext.reads('1', 'py').cells[0].source)", *flags, folder=tmp_path
    )

    assert shown.stdout.split() == ["1"]
    assert shown.stderr.count("half gone") == 1
    assert "Traceback" not in shown.stderr


def test_an_unknown_jupytext_gives_one_warning_and_works(pythons):
    change = "import jupytext.formats as f; print('msg' in f._VALID_FORMAT_NAMES)"
    hook = (
        "import sys\n"
        "class Old:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name != 'jupytext.version': return None\n"
        "        import importlib.util as u\n"
        "        return u.spec_from_loader(name, self)\n"
        "    def create_module(self, spec): return None\n"
        "    def exec_module(self, module): module.__version__ = '9.9'\n"
        "sys.meta_path.insert(0, Old())\n"
    )
    shown = pythons.armed(hook + change)

    assert shown.stdout.split() == ["False"]
    assert shown.stderr.count("jupytext 9.9") == 1
    assert "Traceback" not in shown.stderr
