"""The verbs of the command stand in one table, and are imported when they run."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PRINT_IMPORTS = """
import sys
from msgbook.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    print(*(name for name in sys.modules if name.startswith(("msgbook.", "msgbook_format"))))
"""


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["check"]])
def test_help_and_usage_errors_import_no_verb(argv):
    command = [sys.executable, "-c", PRINT_IMPORTS, *argv]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert set(printed.splitlines()[-1].split()) == {
        "msgbook.__main__",
        "msgbook.cli",
        "msgbook.cli.arguments",
        "msgbook.cli.terminal",
        "msgbook.errors",
        "msgbook.extras",
        "msgbook.extras.verbs",
    }


@pytest.mark.parametrize(
    "argv", [["doctor", "--offline"], ["agents"], ["check", "."], ["preview", "a.msg.md"]]
)
def test_no_verb_prints_a_warning_of_a_library(tmp_path, argv):
    (tmp_path / "a.msg.md").write_text("# %% [^a]\n\nHi\n", "utf-8")
    env = {**os.environ, "HOME": "/dev/null/home", "MSGBOOK_MODEL": "demo"}
    env.pop("IPYTHONDIR", None)

    ran = subprocess.run(
        [sys.executable, "-m", "msgbook", *argv],
        cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip

    assert "Warning" not in ran.stderr
    assert "Traceback" not in ran.stderr
