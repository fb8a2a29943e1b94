"""The verbs of the command stand in one table, and are imported when they run."""

from __future__ import annotations

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
        "msgbook.cli.conversion_arguments",
        "msgbook.cli.run_arguments",
        "msgbook.cli.terminal",
        "msgbook.errors",
    }
