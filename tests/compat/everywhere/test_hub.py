"""A chat on the server of a user whom JupyterHub has let in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from chats import write_notebook
from elsewhere import ROOT, chat, needs
from fences import fences_of
from lab import Lab, settings_without_news
from playwright.sync_api import expect
from processes import free_port
from scripted_server import text

HUB = ROOT / ".jupyterhub"
CONFIG = """
c.JupyterHub.bind_url = "{url}"
c.JupyterHub.hub_port = {hub_port}
c.JupyterHub.db_url = "sqlite:///{folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{folder}/cookie_secret"
c.ConfigurableHTTPProxy.command = ["node", "{proxy}"]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.pid_file = "{folder}/proxy.pid"

c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allowed_users = {{"ada"}}

c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{root}"
c.Spawner.cmd = ["{python}", "-m", "jupyterhub.singleuser"]
c.Spawner.args = [
    "--allow-root",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.user_settings_dir={settings}",
]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
"""
LAB = "**/user/ada/lab**"
STARTS = 180_000
"""Milliseconds in which a server starts or stops."""
(PAGE,) = fences_of(
    "compat/everywhere/test_hub.py::test_a_chat_on_a_users_server_behind_jupyterhub_which_is_started_anew"
)
"""What docs/jupyterhub.md adds to a hub."""


@pytest.fixture
def hub_url(root: Path, log: Path, settings: dict[str, str]) -> Iterator[str]:
    """A hub with its proxy. When it is stopped, it stops the proxy and the servers of its users."""
    port, hub_port, proxy_port = free_port(), free_port(), free_port()
    config = log.with_name("jupyterhub_config.py")
    config.write_text(
        CONFIG.format(
            url=f"http://127.0.0.1:{port}",
            hub_port=hub_port,
            proxy_port=proxy_port,
            folder=log.parent,
            proxy=HUB / "node/node_modules/configurable-http-proxy/bin/configurable-http-proxy",
            python=sys.executable,
            root=root,
            settings=settings_without_news(log.parent),
        )
        + PAGE.body
    )
    environment = {**os.environ, **settings, "PYTHONPATH": str(HUB)}
    command = [sys.executable, "-m", "jupyterhub", "--config", str(config)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=log.parent, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        family = []
        try:
            until_running(process, log)
            yield f"http://127.0.0.1:{port}"
            family = psutil.Process(process.pid).children(recursive=True)
        finally:
            # It takes as long as the servers of its users take, which a kill would leave.
            process.terminate()
            process.wait()
    left = psutil.wait_procs(family, timeout=300)[1]
    for one in left:
        one.kill()
    assert left == []


def until_running(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the proxy knows the hub, which listens before."""
    while "JupyterHub is now running at" not in log.read_text():
        assert process.poll() is None, log.read_text()


@needs(HUB)
def test_a_chat_on_a_users_server_behind_jupyterhub_which_is_started_anew(
    root, hub_url, new_tab, model_server, screenshots
):
    write_notebook(root / "chat.ipynb", "Write a file", "And now?")
    lab = new_tab(f"{hub_url}/user/ada")
    page = lab.page
    page.goto(f"{hub_url}/hub/login")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("any")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(LAB, timeout=STARTS)
    lab.load("chat.ipynb")
    chat(lab, root, model_server)
    screenshots(lab, "turn")

    start_server_anew(lab, hub_url)
    lab.load("chat.ipynb")
    expect(lab.cell(0).get_by_text("I wrote it.")).to_be_visible()
    expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
    model_server.answers = [text("Nothing more.")]
    lab.wait_for_kernel()
    lab.run(1)
    expect(lab.cell(1).get_by_text("Nothing more.")).to_be_visible()
    assert "I **wrote** it." in [m["content"] for m in model_server.messages()]
    screenshots(lab, "started-anew")

    assert lab.console == []


def start_server_anew(lab: Lab, hub_url: str) -> None:
    """Stop the user's server on the hub's page, and start it there."""
    page = lab.page
    page.goto(f"{hub_url}/hub/home")
    # Until then a click does nothing.
    page.wait_for_function("() => window._jupyterhub_page_loaded")
    page.get_by_role("button", name="Stop My Server").click()
    expect(page.get_by_role("button", name="Start My Server")).to_be_visible(timeout=STARTS)
    # A server that takes long to stop can be started only when it has stopped.
    while page.reload() and page.get_by_role("button", name="Stop My Server").is_visible():
        pass
    page.get_by_role("button", name="Start My Server").click()
    page.wait_for_url(LAB, timeout=STARTS)
