"""The kernel behaves as Jupyter's clients expect of any kernel."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import jupyter_kernel_test
import nbformat
import pexpect
import pytest
import scripted_server as scripted
from jupyter_client.manager import KernelManager
from kernel_client import KernelClient
from scripted_server import ScriptedServer

from msgbook_format.turn import TURN_MIME


@pytest.fixture
def server(module_server):
    module_server.reset()
    return module_server


class KernelTests(jupyter_kernel_test.KernelTests):
    """The suite of jupyter_kernel_test, with the features that ipykernel's own declares."""

    kernel_name = "msgbook"
    language_name = "msgbook"
    file_extension = ".txt"
    code_hello_world = "%%python\nprint('hello, world')"
    code_stderr = "%%python\nimport sys; print('test', file=sys.stderr)"
    code_generate_error = "%%python\nraise ValueError()"
    code_execute_result = [  # noqa: RUF012 - as the suite declares it
        {"code": "%%python\n1 + 2", "result": "3"},
    ]
    code_display_data = [  # noqa: RUF012
        {
            "code": "%%python\nfrom IPython.display import HTML, display; display(HTML('<b>x</b>'))",
            "mime": "text/html",
        },
        {"code": "What is here?", "mime": "text/markdown"},
    ]
    code_page_something = "%%python\nzip?"
    code_clear_output = "%%python\nfrom IPython.display import clear_output; clear_output()"
    code_inspect_sample = "%model"
    complete_code_samples = ["hello", "%%python\nfor i in 1: pass\n"]  # noqa: RUF012
    incomplete_code_samples = ["see @[a.txt", "go on \\"]  # noqa: RUF012
    code_history_pattern = "*1?+?2*"
    supported_history_operations = ("tail", "search")
    completion_samples = [  # noqa: RUF012
        {"text": "%mod", "matches": {"%model", "%models"}},
        {"text": "%%msg hist", "matches": {"history="}},
    ]


class IopubWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "msgbook"


def test_the_user_expressions_of_a_prompt_are_answered(kernel, server):
    server.answers = [scripted.text("Yes.")]
    kernel.run("%%python\nx = 6 * 7")

    reply, _ = kernel.run("Well?", user_expressions={"x": "x", "no": "undefined_name"})

    assert reply["user_expressions"]["x"]["data"] == {"text/plain": "42"}
    assert reply["user_expressions"]["no"]["ename"] == "NameError"


def test_a_silent_prompt_calls_no_model_keeps_the_count_and_answers_expressions(kernel, server):
    before = kernel.run("%help")[0]["execution_count"]

    reply, seen = kernel.run("Well?", silent=True, user_expressions={"two": "1 + 1"})

    assert reply["user_expressions"]["two"]["data"] == {"text/plain": "2"}
    assert [m["msg_type"] for m in seen if m["msg_type"] != "status"] in ([], ["execute_input"])
    assert server.requests == []
    assert kernel.run("%help")[0]["execution_count"] == before + 1


def test_a_prompt_that_is_not_stored_changes_neither_count_nor_history_nor_conversation(
    kernel, server
):
    server.answers = [scripted.text("One."), scripted.text("Two.")]
    first, _ = kernel.run("not to be kept", "a", store_history=False)
    second, _ = kernel.run("to be kept")

    assert first["execution_count"] == second["execution_count"]
    assert len(server.requests) == 2
    assert "not to be kept" not in str(server.messages())
    history = kernel.client.history(hist_access_type="tail", n=10, reply=True, timeout=300)
    inputs = [entry[2] for entry in history["content"]["history"]]
    assert "to be kept" in inputs
    assert "not to be kept" not in inputs


def test_a_prompt_in_a_subshell_leaves_the_conversation_as_it_was(kernel, server):
    server.answers = [scripted.call("read", {"path": "."}), scripted.text("Yes.")]
    client = kernel.client
    client.control_channel.send(client.session.msg("create_subshell_request", {}))
    subshell_id = client.get_control_msg(timeout=300)["content"]["subshell_id"]

    def run(**header: str) -> str:
        fields = {"code": "Well?", "silent": False, "store_history": True, "allow_stdin": False}
        request = client.session.msg("execute_request", fields)
        request["header"] |= header
        client.shell_channel.send(request)
        server.answers *= 2
        return kernel.finish(request["header"]["msg_id"])[0]["status"]

    assert [run(subshell_id=subshell_id), run(), run(subshell_id=subshell_id)] == ["ok"] * 3


SLOW_COMM = """%%python
import asyncio
began, go_on = asyncio.Event(), asyncio.Event()

async def slow(stream, ident, message):
    began.set()
    await go_on.wait()

get_ipython().kernel.shell_handlers["comm_msg"] = slow
"""
"""A message of a page that is handled beside cells, as ipykernel does it, until a cell lets it go on."""


def test_a_cell_ends_although_a_message_of_a_page_ends_in_it_that_came_in_the_one_before(kernel):
    assert kernel.run(SLOW_COMM)[0]["status"] == "ok"
    first = kernel.start("%%python\nawait began.wait()")
    client = kernel.client
    client.shell_channel.send(client.session.msg("comm_msg", {"comm_id": "a", "data": {}}))
    second = kernel.start(
        "%%python\ngo_on.set()\nfor _ in range(20):\n    await asyncio.sleep(0)\nprint('second')"
    )

    kernel.finish(first)
    reply, messages = kernel.finish(second)

    assert reply["status"] == "ok"
    assert [m["content"]["text"] for m in messages if m["msg_type"] == "stream"] == ["second\n"]


OVERLAPPING = """%%python
import asyncio, sys
kernel, loop = get_ipython().kernel, asyncio.get_running_loop()
usual, seen = sys.getswitchinterval(), []
first, second = (kernel.running_turn(loop.create_future()) for _ in range(2))
first.__enter__()
second.__enter__()
first.__exit__(None, None, None)
seen.append(sys.getswitchinterval() < usual)
second.__exit__(None, None, None)
print(*seen, sys.getswitchinterval() == usual)
"""


def test_threads_wait_as_usual_again_only_after_the_last_of_turns_that_overlap(kernel):
    _, messages = kernel.run(OVERLAPPING)

    assert [m["content"]["text"] for m in messages if m["msg_type"] == "stream"] == ["True True\n"]


def test_a_subshell_can_be_requested_before_the_shell_has_started():
    manager = KernelManager(kernel_name="msgbook")
    assert manager.kernel_spec is not None
    program = Path(__file__).with_name("slow_start.py")
    manager.kernel_spec.argv = [sys.executable, str(program), "-f", "{connection_file}"]
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.control_channel.send(client.session.msg("create_subshell_request", {}))
        reply = client.get_control_msg(timeout=300)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()

    assert reply["content"].keys() == {"status", "subshell_id"}


@pytest.mark.parametrize("code", ["Half \ud83d", "%%python\n'\ud83d'", "%model \ud83d"])
def test_a_cell_with_a_lone_surrogate_gets_its_reply(kernel, server, code):
    server.answers = [scripted.text("Yes.")]
    session = kernel.client.session
    usual = session.pack
    session.pack = lambda value: json.dumps(value, default=str).encode()
    try:
        request = kernel.start(code, "a")
    finally:
        session.pack = usual

    assert kernel.finish(request)[0]["status"] == "ok"


@pytest.mark.parametrize("cell_id", [5, ["a"], {"a": 1}])
def test_a_malformed_cell_id_is_treated_as_absent(kernel, server, cell_id):
    server.answers = [scripted.text("Yes.")]
    fields = {"code": "Well?", "silent": False, "allow_stdin": False}
    request = kernel.client.session.msg("execute_request", fields, metadata={"cellId": cell_id})
    kernel.client.shell_channel.send(request)

    assert kernel.finish(request["header"]["msg_id"])[0]["status"] == "ok"


def test_cells_queued_after_a_failed_turn_are_aborted_if_the_client_wants_that(kernel, server):
    is_queued = threading.Event()

    def half_an_answer() -> Iterator[scripted.Chunk]:
        is_queued.wait(300)
        yield scripted.delta(content="Half")

    server.answers = [scripted.Answer(half_an_answer(), done=False), scripted.text("Fine.")]
    failed = kernel.start("one", stop_on_error=True)
    queued = kernel.start("two")
    is_queued.set()

    assert kernel.finish(failed)[0]["status"] == "error"
    assert kernel.finish(queued)[0]["status"] == "aborted"
    assert kernel.run("three")[0]["status"] == "ok"


def test_completion_and_inspection_read_the_notebooks_folder(server, tmp_path):
    (tmp_path / "a 文.txt").write_text("first\nsecond\n")
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as kernel:
        kernel.run("%%python\nanswer = 42")
        client = kernel.client

        found = client.complete("😀 @[a", 5, reply=True, timeout=300)["content"]
        assert (found["matches"], found["cursor_start"]) == (["a 文.txt"], 4)
        magics = client.complete("%%ms", 4, reply=True, timeout=300)["content"]
        assert magics["matches"] == ["%%msg"]
        names = client.complete("@[py:an", 7, reply=True, timeout=300)["content"]
        assert names["matches"] == ["py:answer"]
        shown = client.inspect("@[a 文.txt:2]", 4, reply=True, timeout=300)["content"]
        assert "a 文.txt:2: 1 line, about" in shown["data"]["text/plain"]
        python = client.inspect("@[py:answer]", 7, reply=True, timeout=300)["content"]
        assert "42" in python["data"]["text/plain"]
        help_text = client.inspect("%usage", 3, reply=True, timeout=300)["content"]
        assert "tokens of the turns above" in help_text["data"]["text/plain"]


@pytest.mark.parametrize("config", ["", "c.HistoryManager.hist_file = {path!r}\n"])
def test_prompts_never_reach_the_history_file_of_ipython(server, tmp_path, config):
    server.answers = [scripted.text("Yes.")]
    profile = tmp_path / "ipython" / "profile_default"
    profile.mkdir(parents=True)
    history = profile / "history.sqlite"
    if config:
        text = "c = get_config()\n" + config.format(path=str(history))
        (profile / "ipython_config.py").write_text(text)
    settings = {
        "OPENAI_BASE_URL": server.url,
        "MSGBOOK_MODEL": "m",
        "IPYTHONDIR": str(tmp_path / "ipython"),
    }
    with KernelClient(settings, str(tmp_path)) as kernel:
        kernel.run("a very private question")
        kernel.run("%%python\nsecret_number = 1")
        kernel.client.shutdown()
        kernel.manager.provisioner.process.wait(300)

    assert history_of(tmp_path / "ipython") == []


def history_of(folder: Path) -> list[str]:
    """The inputs in all history files below a folder."""
    found = []
    for file in folder.rglob("*.sqlite"):
        connection = sqlite3.connect(file)
        try:
            found += [row[0] for row in connection.execute("select source_raw from history")]
        finally:
            connection.close()
    return found


def test_papermill_runs_a_notebook_of_prompts_with_its_parameters(server, tmp_path):
    server.answers = [scripted.text("First."), scripted.text("Second.")]
    parameters = nbformat.v4.new_code_cell(
        "%%python\ntone = 'dry'", metadata={"tags": ["parameters"]}
    )
    cells = [parameters, *map(nbformat.v4.new_code_cell, ("one", "%%python\nprint(tone)", "two"))]
    spec = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(notebook, tmp_path / "in.ipynb")

    done = subprocess.run(
        [sys.executable, "-m", "papermill", "in.ipynb", "out.ipynb", "-p", "tone", "warm"],
        cwd=tmp_path,
        env={**os.environ, "OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    ran = nbformat.read(tmp_path / "out.ipynb", as_version=4).cells
    turns = [o["data"][TURN_MIME] for c in ran for o in c.get("outputs", ()) if "data" in o]
    assert [turn["blocks"][-1]["text"] for turn in turns] == ["First.", "Second."]
    assert "```\nwarm\n```" in server.messages()[-2]["content"]
    assert ran[1].source.startswith("%%python\n# Parameters\n")
    assert len(server.requests) == 2
    assert [o.text for c in ran for o in c.get("outputs", ()) if o.output_type == "stream"] == [
        "warm\n"
    ]


def test_jupyter_console_shows_a_turn_as_text(server: ScriptedServer, tmp_path):
    server.answers = [scripted.text("It is forty two.", reasoning="Hm.")]
    env = {
        **os.environ,
        "OPENAI_BASE_URL": server.url,
        "MSGBOOK_MODEL": "m",
        "TERM": "dumb",
        "IPYTHONDIR": str(tmp_path / "ipython"),
    }
    command = ["-m", "jupyter", "console", "--kernel", "msgbook", "--simple-prompt"]
    console = pexpect.spawn(
        sys.executable, command, env=env, cwd=str(tmp_path), encoding="utf-8", timeout=300
    )
    try:
        console.expect(r"In \[1\]: ")
        console.sendline("%display text")
        console.expect("written as text while they grow")
        console.expect(r"In \[2\]: ")
        console.sendline("What is it?")
        console.expect("💭 Hm.")
        console.expect("It is forty two.")
        console.expect(r"In \[3\]: ")
        console.sendline("%usage")
        console.expect("What is it")
        console.expect(r"In \[4\]: ")
        console.sendeof()
        console.expect("exit")
        console.sendline("y")
        console.expect(pexpect.EOF)
    finally:
        console.close(force=True)

    assert history_of(tmp_path / "ipython") == []


@pytest.mark.parametrize("code", ["%%python", "%%python\n", "%%bash"])
def test_a_magic_of_a_cell_waits_for_the_cell(kernel, server, code):
    kernel.client.is_complete(code)

    assert kernel.client.get_shell_msg(timeout=300)["content"]["status"] == "incomplete"


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        (
            "msgbook.kernel.msg_kernel",
            {
                "msgbook.engine",
                "msgbook.request.history",
                "msgbook.notebook.conversation_file",
                "openai",
                "pydantic",
                "PIL",
                "nbformat",
                "markdown_it",
                "yaml",
            },
        ),
        ("msgbook.engine, msgbook.magics", {"IPython", "PIL", "nbformat"}),
        (
            "msgbook.turn_run",
            {
                "msgbook.subagents.dispatcher",
                "msgbook.tools.process",
                "msgbook_format.document",
                "markdown_it",
                "mcp",
                "nbformat",
                "openai",
                "psutil",
            },
        ),
    ],
)
def test_slow_imports_happen_when_they_are_needed(module, heavy):
    program = f"import sys, {module}; print({heavy!r} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.decode() == "set()\n"
