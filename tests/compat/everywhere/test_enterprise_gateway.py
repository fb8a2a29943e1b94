"""A chat whose kernel Enterprise Gateway starts, with the settings of docs/jupyterhub.md and a plain client."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import websocket
from elsewhere import ROOT, needs
from fences import Fence
from jupyter_client.session import Session, json_default
from processes import free_port, stop, until_listening
from scripted_server import ScriptedServer, text

ENTERPRISE = ROOT / ".enterprise-gateway"


@needs(ENTERPRISE)
def test_a_kernel_behind_enterprise_gateway_gets_the_settings_and_answers(
    fences: list[Fence], tmp_path: Path, server: ScriptedServer
):
    example = fences[0].body
    name, passed = re.search(r"^export (EG_\w+)=(OPENAI_\S+)$", example, re.MULTILINE).groups()
    option = re.search(r"(--\w+\.list_kernels=True)$", example, re.MULTILINE)[1]
    kernels = tmp_path / "specs" / "kernels"
    shutil.copytree(ROOT / "kernel" / "kernelspec", kernels / "msgbook")
    spec = kernels / "msgbook" / "kernel.json"
    spec.write_text(spec.read_text().replace('"python"', f'"{sys.executable}"'))
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "scripted-model", name: passed}
    port = free_port()
    command = [ENTERPRISE / "bin" / "jupyter-enterprisegateway", option]
    command += [f"--EnterpriseGatewayApp.{key}" for key in (f"port={port}", "ip=127.0.0.1")]
    server.answers = [text("It runs here.")]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, **settings, "JUPYTER_PATH": str(tmp_path / "specs")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until_listening(process, port)
        reply = run(port, "Where are you?")
    finally:
        stop(process)

    assert reply["status"] == "ok"
    assert server.messages()[-1]["content"] == "Where are you?"


def run(port: int, code: str) -> dict:
    """Start a kernel by the gateway, run a cell, and return the reply."""
    body = json.dumps({"name": "msgbook", "env": {"KERNEL_USERNAME": "ada"}}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/kernels", body) as started:
        kernel = json.load(started)["id"]
    url = f"ws://127.0.0.1:{port}/api/kernels/{kernel}/channels"
    channels = websocket.create_connection(url, timeout=300)
    request = Session().msg("execute_request", {"code": code, "silent": False})
    channels.send(json.dumps({**request, "channel": "shell"}, default=json_default))
    while True:
        message = json.loads(channels.recv())
        if message["msg_type"] == "execute_reply":
            channels.close()
            return message["content"]
