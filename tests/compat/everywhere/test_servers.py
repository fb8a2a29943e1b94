"""A chat works on every server: under a prefix, with a token, with a kernel gateway."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chats import write_notebook
from elsewhere import ROOT, chat, needs
from fences import fences_of
from lab import running_lab
from processes import free_port, stop, until_listening

GATEWAY = ROOT / ".gateway"
(PAGE,) = fences_of(
    "compat/everywhere/test_servers.py::test_a_chat_whose_kernel_runs_behind_a_gateway"
)
"""What docs/jupyterhub.md types to start one."""


def test_a_chat_under_a_prefix_with_a_token(
    root, log, settings, new_tab, model_server, screenshots
):
    write_notebook(root / "chat.ipynb", "Write a file")
    with running_lab(root, log, settings, base="/user/me", token="a-token") as url:
        lab = new_tab(url)
        lab.page.goto(f"{url}/lab?token=a-token")
        lab.load("chat.ipynb")
        chat(lab, root, model_server)
        screenshots(lab, "turn")

    assert lab.requests == []
    assert lab.console == []


@pytest.fixture
def gateway_url(request, root: Path, log: Path, settings: dict[str, str]) -> Iterator[str]:
    """A gateway, started as docs/jupyterhub.md has it, which runs the kernels of another server."""
    folder, app = request.param
    name, passed, option = settings_of(PAGE.body)
    port = free_port()
    command = [sys.executable, "-m", "kernel_gateway"]
    environment = {**os.environ, **settings, "PYTHONPATH": str(folder)}
    command += [option, f"--{app}.port={port}", f"--{app}.ip=127.0.0.1"]
    environment[name] = passed
    with log.with_name("gateway.txt").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            until_listening(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(process)


def settings_of(example: str) -> tuple[str, str, str]:
    """Return what the page passes on to kernels, with the variable's name, and the gateway's option."""
    passed = re.search(r"^export ([KE]G_\w+)=(OPENAI_\S+)$", example, re.MULTILINE)
    option = re.search(r"(--\w+\.list_kernels=True)$", example, re.MULTILINE)
    assert passed, example
    assert option, example
    return passed[1], passed[2], option[1]


@pytest.mark.parametrize(
    "gateway_url",
    [
        pytest.param((GATEWAY, "KernelGatewayApp"), marks=needs(GATEWAY)),
    ],
    indirect=True,
    ids=["kernel-gateway"],
)
def test_a_chat_whose_kernel_runs_behind_a_gateway(
    root, log, gateway_url, new_tab, model_server, screenshots
):
    write_notebook(root / "chat.ipynb", "Write a file")
    with running_lab(root, log, {}, f"--gateway-url={gateway_url}") as url:
        lab = new_tab(url)
        lab.load("chat.ipynb")
        chat(lab, root, model_server)
        screenshots(lab, "turn")

    # The gateway knows only the older protocol of its sockets, so JupyterLab connects once more.
    assert [line for line in lab.console if "Sec-WebSocket-Protocol" not in line] == []
