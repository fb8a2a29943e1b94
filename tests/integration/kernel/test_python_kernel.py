"""`Python + Chat`: IPython's kernel in all but messages, and a chat's in these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupyter_kernel_test
import pytest
from ipykernel.ipkernel import IPythonKernel
from jupyter_client.kernelspec import KernelSpecManager
from kernel_client import FakePage, KernelClient, Message, until_shown
from scripted_server import Answer, ScriptedServer, call, delta, text

from msgbook_format.turn import TURN_MIME

NAME = "msgbook-python"


class KernelTests(jupyter_kernel_test.KernelTests):
    """The suite as ipykernel runs it."""

    kernel_name = NAME
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    code_generate_error = "raise ValueError()"
    code_execute_result = [  # noqa: RUF012 - as the suite declares it
        {"code": "1+2+3", "result": "6"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
    ]
    code_display_data = [  # noqa: RUF012
        {
            "code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))",
            "mime": "text/html",
        },
        {
            "code": "from IPython.display import Math, display; display(Math('\\\\frac{1}{2}'))",
            "mime": "text/latex",
        },
        {"code": "%%msg\nWhat is here?", "mime": "text/markdown"},
    ]
    code_page_something = "zip?"
    code_clear_output = "from IPython.display import clear_output; clear_output()"
    code_inspect_sample = "zip"
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n"]  # noqa: RUF012
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]  # noqa: RUF012
    invalid_code_samples = ["import = 7q"]  # noqa: RUF012
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "search")
    completion_samples = [  # noqa: RUF012
        {"text": "zi", "matches": {"zip"}},
        {"text": "%%ms", "matches": {"%%msg"}},
        {"text": "%%msg hist", "matches": {"history="}},
        {"text": "%mod", "matches": {"%model", "%models"}},
    ]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # The first message imports the engine; the suite waits 15 s, however slow the machine is.
        cls.kc.execute_interactive("%%msg\nHello", timeout=300, output_hook=lambda _message: None)


class IopubWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = NAME


@pytest.fixture(scope="module")
def running(module_server, tmp_path_factory) -> Iterator[KernelClient]:
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    folder = str(tmp_path_factory.mktemp("notebook"))
    with KernelClient(settings, folder, name=NAME) as client:
        yield client


@pytest.fixture
def kernel(running: KernelClient, module_server: ScriptedServer) -> KernelClient:
    module_server.reset()
    running.forget()
    return running


@pytest.fixture
def server(module_server: ScriptedServer) -> ScriptedServer:
    module_server.reset()
    module_server.answers = [text("Yes.")]
    return module_server


def sent(server: ScriptedServer) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in server.messages()][1:]


def shown(messages: list[Message]) -> list[Any]:
    return [m["content"]["data"][TURN_MIME] for m in messages if "transient" in m["content"]]


def result(messages: list[Message]) -> str:
    found = (m["content"]["data"] for m in messages if m["msg_type"] == "execute_result")
    return next((data["text/plain"] for data in found), "")


def printed(messages: list[Message]) -> str:
    return "".join(m["content"]["text"] for m in messages if m["msg_type"] == "stream")


@pytest.mark.smoke
def test_a_message_is_sent_with_the_code_above_and_its_output_but_without_its_line(kernel, server):
    kernel.run("import asyncio\nx = 6 * 7\nawait asyncio.sleep(0)\nx", "a")
    kernel.run("print('seen')", "b")

    reply, messages = kernel.run("%%msg\nWhat is x?", "c")

    assert reply["status"] == "ok"
    assert shown(messages)[-1]["status"] == "done"
    (_, first), (_, second), (role, asked) = sent(server)
    assert first.startswith("I ran this code:\n\n```python\nimport asyncio\nx = 6 * 7\n")
    assert "42" in first
    assert "seen" in second
    assert (role, asked) == ("user", "What is x?")


def test_a_cell_is_python_whatever_it_looks_like(kernel, server):
    assert printed(kernel.run("?", "a")[1]) is not None
    assert kernel.run("Hello there", "b")[0]["ename"] == "SyntaxError"
    assert kernel.run("%no_such_magic", "c")[0]["status"] in ("ok", "error")
    assert kernel.run("%%no_such\nx", "d")[0]["status"] in ("ok", "error")

    assert server.requests == []


def test_references_name_variables_and_cells(kernel, server):
    kernel.run("rows = [1, 2, 3]", "first-cell")

    kernel.run("%%msg\nExplain @[py:rows] and @[cell:first-cell].", "b")

    files = sent(server)[-1][1]
    assert "[1, 2, 3]" in files
    assert "rows = [1, 2, 3]" in files.split("<content_reference>")[1]


def test_a_models_python_runs_in_the_notebook_once_it_is_approved(kernel, server):
    server.answers = [call("python", {"code": "y = x + 1\ny"}), text("Done.")]
    kernel.run("x = 41", "a")
    cell = {"id": "b", "cell_type": "code", "source": "%%msg\nAdd.", "metadata": {}, "outputs": []}
    page = FakePage(kernel, [cell])
    page.decide = lambda asked: {"decision": "once", "arguments": asked["arguments"]}

    _, messages = kernel.finish(kernel.start("%%msg\nAdd.", "b"), page.take)
    page.close()

    (done,) = [b for b in shown(messages)[-1]["blocks"] if b["type"] == "tool_result"]
    assert (done["status"], done["content"].strip()) == ("success", "42")
    assert result(kernel.run("y", "c")[1]) == "42"


def test_a_model_that_asks_to_run_exit_ends_neither_the_kernel_nor_its_turn(server, tmp_path):
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "allow"}
    codes = ("exit()", "quit()", "import sys; sys.exit(3)", "raise SystemExit")
    server.answers = [*(call("python", {"code": code}) for code in codes), text("Still here.")]
    with KernelClient(settings, str(tmp_path), name=NAME) as kernel:
        kernel.run("x = 1")

        reply, messages = kernel.run("%%msg\nEnd it.")

        assert reply["status"] == "ok"
        results = [b for b in shown(messages)[-1]["blocks"] if b["type"] == "tool_result"]
        assert len(results) == len(codes)
        assert result(kernel.run("x")[1]) == "1"
        assert kernel.manager.is_alive()


def test_messages_and_code_are_interrupted(kernel, server):
    server.answers = [Answer([delta(content="half")], hold=1)]
    request = kernel.start("%%msg\nGo", "a")
    until_shown(kernel, "half")
    kernel.manager.interrupt_kernel()
    assert kernel.finish(request)[0]["ename"] == "KeyboardInterrupt"

    for code in ("while True: pass", "import asyncio\nawait asyncio.sleep(1000)"):
        request = kernel.start(f"print('began', flush=True)\n{code}", "b")
        while kernel.client.get_iopub_msg(timeout=300)["msg_type"] != "stream":
            pass
        kernel.manager.interrupt_kernel()
        assert kernel.finish(request)[0]["ename"] in ("KeyboardInterrupt", "CancelledError")


def test_a_cell_can_ask_its_reader(kernel):
    request = kernel.start("name = input('Who? ')\nname.upper()", "a", allow_stdin=True)
    asked = kernel.client.get_stdin_msg(timeout=300)
    assert asked["content"]["prompt"] == "Who? "
    kernel.client.input("ann")

    assert result(kernel.finish(request)[1]) == "'ANN'"


def test_a_notebook_with_a_magic_of_that_name_is_told_and_its_cells_are_messages(kernel, server):
    defining = "from IPython.core.magic import register_cell_magic\n\n@register_cell_magic\n"
    defining += "def msg(line, cell):\n    return f'mine {cell}'"

    _, messages = kernel.run(defining, "a")

    assert "A magic %%msg is defined in this notebook." in printed(messages)
    assert shown(kernel.run("%%msg\nHello", "b")[1])
    assert len(server.requests) == 1
    assert printed(kernel.run("1", "c")[1]) == ""
    called = "get_ipython().run_cell_magic('msg', '', 'own')"
    assert result(kernel.run(called, "d")[1]) == "'mine own'"
    kernel.run("del get_ipython().magics_manager.magics['cell']['msg']", "e")


def test_the_python_magic_starts_another_process_as_in_ipython(kernel):
    _, messages = kernel.run("%%python\nimport os; print(os.getpid())", "a")

    assert printed(messages).strip() != result(kernel.run("import os\nos.getpid()", "b")[1])


def test_messages_keep_their_number_and_stay_out_of_the_history_file(kernel, server):
    count = kernel.run("%%msg\nnot in the file", "a")[0]["execution_count"]
    kernel.run("'in the file'", "b")

    assert result(kernel.run(f"In[{count}], In[{count + 1}]", "c")[1]) == repr(
        ("%%msg\nnot in the file", "'in the file'")
    )
    history = kernel.client.history(hist_access_type="tail", n=10, reply=True, timeout=300)
    inputs = [entry[2] for entry in history["content"]["history"]]
    assert "'in the file'" in inputs
    assert not [one for one in inputs if "not in the file" in one]


def test_completion_is_ipythons_with_the_names_of_messages_beside_it(kernel):
    def complete(code: str) -> dict[str, Any]:
        found: dict[str, Any] = kernel.client.complete(code, reply=True, timeout=300)["content"]
        return found

    kernel.run("number = 5", "a")
    assert complete("numb")["matches"] == ["number"]
    assert complete("number.bit_l")["matches"] == ["bit_length"]
    cells = complete("%%m")
    assert {"%%msg", "%%markdown"} <= set(cells["matches"])
    assert (cells["cursor_start"], cells["cursor_end"]) == (0, 3)
    lines = complete("%m")["matches"]
    assert {"%model", "%models", "%mcp", "%matplotlib"} <= set(lines)
    assert complete("%%msg\nWhat is @[py:numb")["matches"] == ["py:number"]


def test_clients_take_it_for_python_without_a_debugger(kernel):
    info = kernel.client.kernel_info(reply=True, timeout=300)["content"]
    spec = KernelSpecManager().get_kernel_spec(NAME)

    assert info["language_info"] == IPythonKernel.language_info
    assert "debugger" not in info["supported_features"]
    assert (spec.language, spec.display_name) == ("python", "Python + Chat (msgbook)")
    assert not spec.metadata["debugger"]
    assert info["banner"].startswith("Python ")


def test_before_the_first_message_nothing_of_the_engine_is_there(server, tmp_path):
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "OPENAI_API_KEY": "sk-secret"}
    of_engine = ("openai", "httpx2", "pydantic", "msgbook.engine", "msgbook.turn_run", "jupytext")
    look = f"import sys, os\n[name for name in {of_engine} if name in sys.modules]"
    with KernelClient(settings, str(tmp_path), name=NAME) as kernel:
        kernel.client.complete("pri", reply=True, timeout=300)
        assert result(kernel.run(look)[1]) == "[]"
        assert "sk-secret" not in result(kernel.run("dict(os.environ)")[1])
        kernel.run("%%msg\nHello")
        assert "msgbook.engine" in result(kernel.run(look)[1])


def test_modules_of_the_notebooks_folder_are_imported_as_in_ipython(server, tmp_path):
    (tmp_path / "helper.py").write_text("value = 7\n")
    (tmp_path / "openai.py").write_text("raise RuntimeError('not this one')\n")
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path), name=NAME) as kernel:
        assert result(kernel.run("import helper\nhelper.value")[1]) == "7"
        (tmp_path / "second.py").write_text("inside = 1\n")
        found = kernel.client.complete("from second import ins", reply=True, timeout=300)["content"]
        assert found["matches"] == ["inside"]
        assert kernel.run("%%msg\nHello")[0]["status"] == "ok"


def test_user_expressions_silent_requests_and_stored_ones_are_ipythons(kernel, server):
    reply, _ = kernel.run("z = 3", "a", user_expressions={"z": "z + 1"})
    assert reply["user_expressions"]["z"]["data"] == {"text/plain": "4"}
    count = kernel.run("1", "b")[0]["execution_count"]
    assert kernel.run("z = 9", silent=True)[0]["status"] == "ok"
    assert kernel.run("z", "c")[0]["execution_count"] == count + 1
    assert kernel.run("%%msg\nHello", silent=True)[0]["status"] == "ok"
    assert server.requests == []


def test_the_working_folder_and_the_process_are_the_notebooks(kernel):
    folder = result(kernel.run("import os\nos.getcwd()", "a")[1])

    assert Path(folder.strip("'")).name.startswith("notebook")


@pytest.mark.parametrize("source", ["%continue x", "%continue\nx = 1", "\n%continue please"])
def test_a_cell_that_begins_with_continue_is_msgbooks_and_says_what_is_wrong(
    kernel, server, source
):
    reply, _ = kernel.run(source, "a")

    assert "%continue has to be alone in its cell" in reply["evalue"]
    assert server.requests == []


def test_what_is_said_of_a_message_that_a_client_hides_is_true_of_this_kernel(kernel, server):
    _, messages = kernel.run("%%msg\nHello", store_history=False)

    assert printed(messages).startswith("This was not sent to a model")
    assert "%%python" not in printed(messages)
    assert server.requests == []


def test_what_is_said_of_a_file_that_cannot_be_sent_is_true_of_this_kernel(kernel, server):
    kernel.run("open('frame.parquet', 'wb').write(bytes(range(256)))", "a")

    _, messages = kernel.run("%%msg\nWhat is in @[frame.parquet]?", "b")

    notices = [b["text"] for b in shown(messages)[-1]["blocks"] if b["type"] == "notice"]
    assert "read it in a cell of Python" in str(notices)
