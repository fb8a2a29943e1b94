"""A running server for each kind of contents manager."""

from __future__ import annotations

import shutil

import pytest
from contents_server import SYNC, started
from jupytext_command import COMMAND


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


@pytest.fixture
def run(fork_server, tmp_path):
    """Run code in the folder, with Jupytext that knows message files, and return what it prints."""

    def python(code, *args):
        result = fork_server.run(COMMAND + code, *args, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return python
