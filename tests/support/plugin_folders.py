"""Plug-ins for tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from packages import install_example


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the example plug-in is installed."""
    return install_example(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def packages(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder of installed packages, for `write_package`. Their modules are forgotten afterwards."""
    folder = tmp_path_factory.mktemp("packages")
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name, module in [*sys.modules.items()]:
        if (getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
