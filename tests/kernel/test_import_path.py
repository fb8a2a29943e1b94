"""Whose import it is: msgbook's, however far below, or one of the user's Python."""

from __future__ import annotations

import pytest

from msgbook.kernel.python.import_path import is_own_import

INSTALLED = ("/env/lib", "<frozen ")
CELL = ("__main__", "/tmp/ipykernel_1/5.py")
SHELL = ("IPython.core.interactiveshell", "/env/lib/IPython/core/interactiveshell.py")
KERNEL = ("msgbook.kernel.msg_kernel", "/env/lib/msgbook/kernel/msg_kernel.py")
SERVER = ("msgbook.provider.http", "/env/lib/msgbook/provider/http.py")
SDK = ("openai", "/env/lib/openai/__init__.py")
IMPORTLIB = ("importlib._bootstrap", "<frozen importlib._bootstrap>")
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
