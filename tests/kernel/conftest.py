"""One kernel and one server for the tests of a file that need no settings of their own."""

from __future__ import annotations

import pytest
from kernel_client import KernelClient
from scripted_server import ScriptedServer


@pytest.fixture(scope="module")
def module_server():
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def module_kernel(module_server, tmp_path_factory):
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path_factory.mktemp("notebook"))) as client:
        yield client


@pytest.fixture
def kernel(module_kernel, module_server):
    """A kernel that remembers nothing; starting one takes longer than most tests."""
    module_server.reset()
    module_kernel.forget()
    return module_kernel
