"""Jupytext knows message files without any configuration: what the `.pth` file arms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FORMAT = Path(__file__).parents[3] / "jupytext_format"
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


def start(code, *flags, folder=FORMAT, **environment):
    """Run code in a Python that finds our packages, and has run no `.pth` file of theirs."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "MSGBOOK_NO_AUTOLOAD": "1",
    } | environment
    return subprocess.run(
        [sys.executable, *flags, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def armed(code, *flags, **environment):
    """The same after the line of the `.pth` file."""
    line = (FORMAT / "msgbook_autoload.pth").read_text()
    return start(line + code, *flags, MSGBOOK_NO_AUTOLOAD="", **environment)


def passes(result):
    assert (result.returncode, result.stderr) == (0, "")
    return True


def test_importing_jupytext_registers_the_format():
    assert passes(armed(KNOWS.format(True)))
    assert passes(armed("from jupytext.cli import jupytext\n" + KNOWS.format(True)))


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
def test_whoever_else_looks_for_jupytext_neither_triggers_nor_loses_it(code):
    assert passes(armed(f"{code}\n{KNOWS.format(True)}"))


def test_looking_for_jupytext_imports_nothing_of_it():
    code = "import importlib.util as u, sys; u.find_spec('jupytext')"

    assert passes(
        armed(f"{code}; assert not {{'jupytext', 'msgbook_format'}} & sys.modules.keys()")
    )


def test_arming_imports_nothing():
    code = "import sys; print(*sorted(set(sys.modules) - before))"
    line = (FORMAT / "msgbook_autoload.pth").read_text()

    shown = start(
        f"import os, sys; before = set(sys.modules)\n{line}{code}", "-S", MSGBOOK_NO_AUTOLOAD=""
    )

    assert (shown.stdout, shown.stderr) == ("\n", "")


def test_the_switch_turns_it_off():
    assert passes(start((FORMAT / "msgbook_autoload.pth").read_text() + KNOWS.format(False)))


def test_the_line_survives_a_package_that_is_gone(tmp_path):
    (tmp_path / "jupytext.py").write_text("works = True")
    line = (FORMAT / "msgbook_autoload.pth").read_text()
    code = f"{line}\nsys.path.insert(0, {str(tmp_path)!r})\nimport jupytext; jupytext.works"

    assert passes(start(code, "-I", "-S"))


@pytest.mark.parametrize("flags", [[], ["-W", "error"]])
def test_a_format_that_is_gone_gives_one_warning_and_jupytext_works(tmp_path, flags):
    (tmp_path / "msgbook_autoload.py").write_bytes((FORMAT / "msgbook_autoload.py").read_bytes())
    (tmp_path / "msgbook_format").mkdir()
    (tmp_path / "msgbook_format" / "__init__.py").write_text("raise RuntimeError('half gone')")

    shown = armed(
        "import jupytext; print(jupytext.reads('1', 'py').cells[0].source)", *flags, folder=tmp_path
    )

    assert shown.stdout.split() == ["1"]
    assert shown.stderr.count("half gone") == 1
    assert "Traceback" not in shown.stderr


def test_an_unknown_jupytext_gives_one_warning_and_works():
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
    shown = armed(hook + change)

    assert shown.stdout.split() == ["False"]
    assert shown.stderr.count("jupytext 9.9") == 1
    assert "Traceback" not in shown.stderr
