"""A key that is entered for a session goes from the server's memory to kernels, and nowhere else."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from queue import Empty

import pytest
from contents_server import RefusedError, started
from jupyter_client.blocking import BlockingKernelClient
from scripted_server import ScriptedServer, text

KEY = "sk-0123456789-secret"
SETTINGS = 'model = "scripted"\n\n[providers.main]\nbase_url = "{}"\napi_key_session = true\n'


@pytest.fixture(scope="module")
def model_server():
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def server(tmp_path, monkeypatch, model_server):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MSGBOOK_MODEL", "MSGBOOK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    model_server.reset()
    model_server.answers = [text("Yes.")]
    root, runtime = tmp_path / "root", tmp_path / "jupyter"
    root.mkdir()
    (runtime / "CONFIG").mkdir(parents=True)
    (runtime / "CONFIG" / "msgbook.toml").write_text(SETTINGS.format(model_server.url))
    with started(root, runtime, ["--debug"]) as running:
        yield running


@contextmanager
def client_of(server, kernel_id):
    client = BlockingKernelClient()
    client.load_connection_file(str(Path(server.runtime) / f"kernel-{kernel_id}.json"))
    client.start_channels()
    try:
        _await_output(client)
        yield client
    finally:
        client.stop_channels()


def _await_output(client):
    """Wait until the kernel answers and its outputs arrive. `wait_for_ready` takes a slow start for a death."""
    while True:
        client.kernel_info()
        client.get_shell_msg(timeout=300)
        try:
            client.get_iopub_msg(timeout=1)
        except Empty:
            continue
        return


def start(server):
    return json.loads(server.send("POST", "api/kernels", {"name": "msgbook"}))["id"]


def run(client, code):
    """The messages of a cell, as one text."""
    shown = []
    client.execute_interactive(code, timeout=300, output_hook=lambda m: shown.append(m["content"]))
    return json.dumps(shown)


def test_kernels_that_start_and_start_again_have_the_key_and_their_children_do_not(
    server, model_server, tmp_path
):
    server.send("PUT", "msgbook/keys", {"server": model_server.url, "key": KEY})
    kernel_id = start(server)

    with client_of(server, kernel_id) as client:
        shown = run(client, "Hello")
        shown += run(client, "!env")
        shown += run(client, "%%python\nimport os\nprint(dict(os.environ))")
        shown += run(client, "!cat /proc/$PPID/environ | tr '\\0' '\\n'")
    assert model_server.seen[-1]["authorization"] == f"Bearer {KEY}"
    server.send("POST", f"api/kernels/{kernel_id}/restart", {})
    with client_of(server, kernel_id) as client:
        shown += run(client, "Hello again")

    assert [seen["authorization"] for seen in model_server.seen] == [f"Bearer {KEY}"] * 2
    assert KEY not in shown
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_a_kernel_that_runs_already_gets_it_before_its_first_message(server, model_server):
    kernel_id = start(server)
    with client_of(server, kernel_id) as client:
        server.send("PUT", "msgbook/keys", {"server": model_server.url, "key": KEY})
        run(client, "Hello")

    assert model_server.seen[-1]["authorization"] == f"Bearer {KEY}"


def test_without_it_the_answer_names_the_form(server, model_server):
    with client_of(server, start(server)) as client:
        shown = run(client, "Hello")

    assert "Enter it again in Connect a Model" in shown
    assert model_server.seen[-1]["authorization"] != f"Bearer {KEY}"


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"server": "http://h/v1"},
        {"server": 1, "key": KEY},
        {"server": "u", "key": "a\nb"},
    ],
)
def test_what_is_no_key_is_refused_and_nothing_can_be_read(server, body):
    with pytest.raises(RefusedError) as raised:
        server.send("PUT", "msgbook/keys", body)
    assert raised.value.status == 400
    assert KEY not in raised.value.message
    with pytest.raises(RefusedError) as raised:
        server.send("GET", "msgbook/keys")
    assert raised.value.status == 405
