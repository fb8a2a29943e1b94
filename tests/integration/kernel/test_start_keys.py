"""Code of the user's that runs while a kernel starts finds no key, and messages are answered all the same."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from kernel_client import KernelClient
from scripted_server import ScriptedServer, text

KEYS = ("sk-of-the-environment", "sk-named-in-the-file", "sk-of-claude", "pw-of-the-url")
LOOK = """
import os, subprocess
with open({found!r}, "a") as found:
    found.write(repr(dict(os.environ)))
    found.write(subprocess.run(["env"], capture_output=True, text=True).stdout)
    found.write("looked")
"""


def environment(server: ScriptedServer, folder: Path) -> dict[str, str]:
    """Return variables with keys, one of them a repetition, and of settings that name one more."""
    settings = folder / "msgbook.toml"
    settings.write_text(
        '[providers.other]\nbase_url = "http://127.0.0.1:9"\napi_key_env = "MINE"\n'
    )
    return {
        "OPENAI_API_KEY": KEYS[0],
        "OPENAI_BASE_URL": server.url.replace("://", f"://me:{KEYS[3]}@"),
        "MINE": KEYS[1],
        "ANTHROPIC_API_KEY": KEYS[2],
        "REPEATED": f"Basic {base64.b64encode(KEYS[0].encode()).decode()}",
        "MSGBOOK_MODEL": "m",
        "MSGBOOK_CONFIG": str(settings),
        "IPYTHONDIR": str(folder / "ipython"),
        "KEPT": "a value of mine",
    }


def holds_a_key(printed: str) -> bool:
    coded = base64.b64encode(KEYS[0].encode()).decode()
    return any(key in printed for key in (*KEYS, coded))


@pytest.mark.parametrize("name", ["msgbook-python", "msgbook"])
@pytest.mark.parametrize(
    "place",
    ["startup/00-look.py", "ipython_config.py", "ipython_kernel_config.py", "PYTHONSTARTUP"],
)
def test_code_that_runs_at_the_start_and_its_children_find_no_key(server, tmp_path, name, place):
    found = tmp_path / "found.txt"
    variables = environment(server, tmp_path)
    profile = tmp_path / "ipython" / "profile_default"
    (profile / "startup").mkdir(parents=True)
    program = profile / place
    program.write_text(LOOK.format(found=str(found)))
    if place == "PYTHONSTARTUP":
        variables[place] = str(program)
    server.answers = [text("Yes.")]

    with KernelClient(variables, str(tmp_path), name=name) as kernel:
        looked = found.read_text()
        assert "looked" in looked
        assert "a value of mine" in looked
        assert not holds_a_key(looked)
        reply, _ = kernel.run("%%msg\nAre you there?", "a")

    assert reply["status"] == "ok"
    password = base64.b64encode(f"me:{KEYS[3]}".encode()).decode()
    assert server.headers[0]["Authorization"] == f"Basic {password}"


@pytest.mark.parametrize("name", ["msgbook-python", "msgbook"])
def test_no_child_finds_a_key_where_the_settings_cannot_be_used(tmp_path, name):
    settings = tmp_path / "msgbook.toml"
    settings.write_text('[providers.x]\nbase_url = "nonsense"\napi_key_env = "MINE"\nbad =')
    found = {"MSGBOOK_CONFIG": str(settings), "MINE": KEYS[1], "IPYTHONDIR": str(tmp_path)}

    with KernelClient(found, str(tmp_path), name=name) as kernel:
        _, messages = kernel.run("!env", "a")

    printed = "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")
    assert "IPYTHONDIR" in printed
    assert not holds_a_key(printed)


def test_a_start_file_may_set_a_variable_that_messages_need(server, tmp_path):
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "key.py").write_text("import os; os.environ['OPENAI_API_KEY'] = 'sk-set-by-a-file'")
    found = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    found["IPYTHONDIR"] = str(tmp_path / "ipython")
    server.answers = [text("Yes.")]

    with KernelClient(found, str(tmp_path), name="msgbook-python") as kernel:
        assert kernel.run("%%msg\nAre you there?", "a")[0]["status"] == "ok"
        _, messages = kernel.run("!env", "b")

    assert server.headers[0]["Authorization"] == "Bearer sk-set-by-a-file"
    assert not [m for m in messages if "sk-set-by-a-file" in str(m["content"])]
