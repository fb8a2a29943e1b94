"""A running server for each kind of contents manager."""

from __future__ import annotations

import shutil

import pytest
from contents_server import SYNC, started


@pytest.fixture(scope="session", params=["async", "sync"])
def running(request, tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    runtime = tmp_path_factory.mktemp("jupyter")
    options = [] if request.param == "async" else [f"--ServerApp.contents_manager_class={SYNC}"]
    with started(root, runtime, options) as server:
        yield server


@pytest.fixture
def server(running):
    yield running
    for path in running.root.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
