"""Whose import it is: msgbook's, however far below, or one of the user's Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from packages import write_package

from msgbook.kernel.python.import_path import is_own_import

INSTALLED = ("/env/lib", "<frozen ")
CELL = ("__main__", "/tmp/ipykernel_1/5.py")
SHELL = ("IPython.core.interactiveshell", "/env/lib/IPython/core/interactiveshell.py")
KERNEL = ("msgbook.kernel.msg_kernel", "/env/lib/msgbook/kernel/msg_kernel.py")
SERVER = ("msgbook.provider.http", "/env/lib/msgbook/provider/http.py")
SDK = ("openai", "/env/lib/openai/__init__.py")
IMPORTLIB = ("importlib._bootstrap", "<frozen importlib._bootstrap>")
ASKS = """
import sys
from importlib import metadata
from msgbook.kernel.python.import_path import import_from_folder

import_from_folder()
asks = "import importlib.metadata as m; found = (m.version('httpx2'), [p for p in m.distributions() if p.name == 'mine'])"
for name in sys.argv[1:]:
    scope = {"__name__": name}
    exec(compile(asks, "/nowhere/cell.py", "exec"), scope)
    print(name, scope["found"][0] == "99.9", len(scope["found"][1]))
"""

MINE = ("mine", "/home/user/chats/mine.py")


@pytest.mark.parametrize(
    ("callers", "is_own"),
    [
        ([IMPORTLIB, SERVER], True),
        ([IMPORTLIB, SDK, IMPORTLIB, SDK, IMPORTLIB, SERVER, KERNEL], True),
        ([IMPORTLIB, CELL, SHELL, KERNEL], False),
        ([IMPORTLIB, MINE, IMPORTLIB, CELL, SHELL, KERNEL], False),
        # A cell that uses the SDK itself.
        ([IMPORTLIB, SDK, IMPORTLIB, CELL, SHELL, KERNEL], False),
        # IPython completes `from mine import`.
        ([IMPORTLIB, SHELL, KERNEL], False),
        # A tool of the user's, which msgbook calls.
        ([IMPORTLIB, MINE, SERVER, KERNEL], False),
        ([IMPORTLIB, SDK], False),
    ],
)
def test_an_import_belongs_to_the_nearest_code_that_is_no_library(callers, is_own):
    assert is_own_import(callers, INSTALLED) is is_own


def test_a_package_in_the_folder_takes_the_place_of_none_that_msgbook_asks_for(
    tmp_path: Path,
) -> None:
    for name in ("httpx2", "mine"):
        write_package(tmp_path, name, "", version="99.9")
    (tmp_path / "httpx2.py").unlink()

    ran = subprocess.run(
        [sys.executable, "-P", "-c", ASKS, "__main__", "msgbook.provider.http", "msgbook_format.x"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.splitlines() == [
        "__main__ True 1",
        "msgbook.provider.http False 0",
        "msgbook_format.x False 0",
    ]
