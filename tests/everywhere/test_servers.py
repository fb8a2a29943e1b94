"""A chat works on every server: under a prefix, with a token, with a kernel gateway."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chats import write_notebook
from elsewhere import ROOT, chat, needs
from lab import running_lab
from processes import free_port, stop, until_listening

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

GATEWAY = ROOT / ".gateway"


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
def gateway_url(root: Path, log: Path, settings: dict[str, str]) -> Iterator[str]:
    """A kernel gateway, which runs the kernels of another server."""
    port = free_port()
    command = [sys.executable, "-m", "kernel_gateway", f"--KernelGatewayApp.port={port}"]
    # JupyterLab asks which kernels there are.
    command += [
        "--KernelGatewayApp.ip=127.0.0.1",
        "--JupyterWebsocketPersonality.list_kernels=True",
    ]
    environment = {**os.environ, **settings, "PYTHONPATH": str(GATEWAY)}
    environment["KG_ENV_PROCESS_WHITELIST"] = ",".join(settings)
    with log.with_name("gateway.txt").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            until_listening(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(process)


@needs(GATEWAY)
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
