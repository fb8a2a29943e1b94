"""A chat works on every server: Notebook 7, under a prefix as behind JupyterHub, with a kernel gateway."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chats import answer, approve, saved_turn, write_notebook
from lab import Lab, running_lab
from playwright.sync_api import expect
from processes import free_port, stop, until_listening
from scripted_server import ScriptedServer, call, text

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / ".notebook7"
GATEWAY = ROOT / ".gateway"


def needs(folder: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not folder.is_dir(), reason=f"make {folder.name}/.installed installs it"
    )


def chat(lab: Lab, root: Path, model_server: ScriptedServer) -> None:
    """Ask in an open notebook for a file, approve it, and see the answer saved."""
    model_server.answers = [
        call("write", {"path": "made.txt", "content": "made\n"}),
        text("I **wrote** it."),
    ]
    lab.wait_for_kernel()
    lab.run(0)
    answer(approve(lab.cell(0)))
    expect(lab.cell(0).get_by_text("I wrote it.")).to_be_visible()
    expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
    assert (root / "made.txt").read_text() == "made\n"
    lab.save()
    assert saved_turn(root / "chat.ipynb")["status"] == "done"


@needs(NOTEBOOK)
def test_a_chat_in_notebook_7(root, log, settings, new_tab, model_server, screenshots):
    write_notebook(root / "chat.ipynb", "Write a file")
    share = NOTEBOOK / "share" / "jupyter"
    installed = {
        "PYTHONPATH": str(NOTEBOOK),
        "JUPYTER_PATH": str(share),
        "JUPYTER_CONFIG_PATH": str(NOTEBOOK / "etc" / "jupyter"),
        "JUPYTERLAB_DIR": str(share / "lab"),
    }
    with running_lab(root, log, {**settings, **installed}, program=("notebook",)) as url:
        lab = new_tab(url)
        lab.load_at("/notebooks/chat.ipynb")
        chat(lab, root, model_server)
        screenshots(lab, "turn")

    assert lab.console == []


def test_a_chat_under_a_prefix_with_a_token(
    root, log, settings, new_tab, model_server, screenshots
):
    write_notebook(root / "chat.ipynb", "Write a file")
    (root / "made.txt").unlink(missing_ok=True)
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
    (root / "made.txt").unlink(missing_ok=True)
    with running_lab(root, log, {}, f"--gateway-url={gateway_url}") as url:
        lab = new_tab(url)
        lab.load("chat.ipynb")
        chat(lab, root, model_server)
        screenshots(lab, "turn")

    # The gateway knows only the older protocol of its sockets, so JupyterLab connects once more.
    assert [line for line in lab.console if "Sec-WebSocket-Protocol" not in line] == []
