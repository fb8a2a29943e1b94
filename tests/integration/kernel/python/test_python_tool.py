"""The tool `python` and `%tool` in a real kernel: results, interrupts, nothing beside the turn."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from kernel_client import KernelClient, Message
from scripted_server import Answer, ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME


@pytest.fixture(scope="module")
def allowing(module_server, tmp_path_factory) -> Iterator[KernelClient]:
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    settings["MSGBOOK_APPROVAL"] = "allow"
    with KernelClient(settings, str(tmp_path_factory.mktemp("notebook"))) as client:
        yield client


@pytest.fixture
def kernel(allowing, module_server):
    module_server.reset()
    allowing.forget()
    return allowing


@pytest.fixture
def server(module_server) -> ScriptedServer:
    return module_server


def turns_of(messages: list[Message]) -> list[dict[str, Any]]:
    data = [m["content"].get("data", {}) for m in messages]
    return [bundle[TURN_MIME] for bundle in data if TURN_MIME in bundle]


def result_of(messages: list[Message]) -> tuple[str, Any]:
    """Status and content of a turn's only result."""
    results = [b for b in turns_of(messages)[-1]["blocks"] if b["type"] == "tool_result"]
    assert len(results) == 1
    return results[0]["status"], results[0]["content"]


def python(kernel, server, code: str) -> tuple[str, Any]:
    return tool(kernel, server, "python", {"code": code})


def tool(kernel, server, name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    server.reset()
    server.answers = [call(name, arguments), text("ok")]
    reply, messages = kernel.run("hi", "a")
    assert reply["status"] == "ok"
    kinds = {message["msg_type"] for message in messages}
    assert kinds <= {"status", "execute_input", "display_data", "update_display_data"}
    return result_of(messages)


def magic(kernel, source: str) -> str:
    _, messages = kernel.run(source)
    found = [m["content"].get("text") or m["content"].get("evalue") for m in messages]
    return "".join(words for words in found if words)


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1 + 1", "2"),
        ("print('a')\nimport sys; print('b', file=sys.stderr)\n'c'", "a\nb\n'c'"),
        ("import asyncio\nawait asyncio.sleep(0)\nprint('a')\n3", "a\n3"),
        ("x = 1", "(no output)"),
        ("", "(no output)"),
        ("!echo a", "a\n"),
        ("import os\n_ = os.system('echo a; echo b >&2')", "a\nb\n"),
        ("import subprocess\n_ = subprocess.run(['echo', 'a'])", "a\n"),
        ("print('10%', end='\\r')\nprint('\\x1b[31m100%\\x1b[0m')", "100%\n"),
        ("h = display('a', display_id=True)\nh.update('b')", "'b'"),
        ("from IPython.display import Markdown\nMarkdown('**b**')", "**b**"),
    ],
)
def test_the_result_of_code_is_its_output(kernel, server, code, result):
    assert python(kernel, server, code) == ("success", result)


def test_images_are_parts_of_the_result_in_order(kernel, server):
    code = "print('a')\ndisplay({'image/png': 'AAAA', 'text/plain': 'x'}, raw=True)\n'c'"

    assert python(kernel, server, code) == (
        "success",
        [
            {"type": "text", "text": "a\n"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "text", "text": "'c'"},
        ],
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('before')\n1/0", "before\n"),
        ("1/0", "ZeroDivisionError: division by zero"),
        ("await __import__('asyncio').sleep(0)\n1/0", "ZeroDivisionError"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("quit()", "only its user may"),
        ("input('Name? ')", "Nobody can be asked"),
        ("import getpass\ngetpass.getpass()", "Nobody can be asked"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import asyncio\nraise asyncio.CancelledError", "CancelledError"),
    ],
)
def test_code_that_fails_is_an_error_for_the_model(kernel, server, code, words):
    status, content = python(kernel, server, code)

    assert status == "error"
    assert words in content
    assert "\x1b" not in content
    assert python(kernel, server, "1") == ("success", "1")


def test_the_namespace_is_the_notebooks_and_no_cell_is_counted(kernel, server):
    kernel.run("%%python\nshared = [1]", "b")
    before, _ = kernel.run("%%python\nIn[-1]", "c")

    assert python(kernel, server, "shared.append(2)") == ("success", "(no output)")

    _, messages = kernel.run("%%python\nshared, 'app' + 'end' in ''.join(In)", "d")
    reply, _ = kernel.run("%%python\n1", "e")
    results = [m["content"]["data"] for m in messages if m["msg_type"] == "execute_result"]
    assert results == [{"text/plain": "([1, 2], False)"}]
    # The turn, the cell above and this one.
    assert reply["execution_count"] == before["execution_count"] + 3


def running(sign: Path) -> str:
    """Code that tells that it runs; no file object, in whose destructor an interrupt gets lost."""
    return f"import os; os.mkdir({str(sign)!r})"


def by_message(kernel: KernelClient) -> None:
    kernel.manager.interrupt_kernel()


def by_signal(kernel: KernelClient) -> None:
    kernel.manager.signal_kernel(signal.SIGINT)


@pytest.mark.parametrize(
    "code",
    [
        "while True: print('x' * 1000)",
        "import os\nos.system('yes')",
        "while True: display({'image/png': 'A' * 100_000}, raw=True)",
    ],
)
def test_code_that_prints_for_ever_takes_bounded_memory(kernel, server, tmp_path, code):
    server.answers = [
        call("python", {"code": f"{running(tmp_path / 'on')}\n{code}"}),
        text("fine"),
    ]
    request = kernel.start("hi", "a")
    process = psutil.Process(kernel.manager.provisioner.pid)
    while not (tmp_path / "on").exists():
        pass
    before = process.memory_info().rss
    started = process.cpu_times().user
    while process.cpu_times().user < started + 1:
        pass

    kernel.manager.interrupt_kernel()
    kernel.finish(request)

    assert process.memory_info().rss < before + 200_000_000


@pytest.mark.parametrize("interrupt", [by_message, by_signal])
@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time\ntime.sleep(600)",
        "import subprocess\nsubprocess.run(['sleep', '600'])",
        "import asyncio\nawait asyncio.sleep(600)",
        "import asyncio\nawait asyncio.sleep(0)\nwhile True: pass",
        "import asyncio\nasync def main():\n    while True: await asyncio.sleep(0)\nawait main()",
        "while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: break",
        "import asyncio\nwhile True:\n    try: await asyncio.sleep(600)\n    except BaseException: pass",
    ],
)
def test_an_interrupt_stops_code_and_keeps_what_it_printed(
    kernel, server, tmp_path, interrupt, code
):
    server.answers = [
        call("python", {"code": f"print('on')\n{running(tmp_path / 'on')}\n{code}"}),
        text("fine"),
    ]
    request = kernel.start("hi", "a")
    while not (tmp_path / "on").exists():
        pass

    interrupt(kernel)
    reply, messages = kernel.finish(request)

    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert turns_of(messages)[-1]["status"] == "interrupted"
    assert result_of(messages)[1].startswith("on\n")
    assert len(server.requests) == 1
    assert python(kernel, server, "x = 1\nx") == ("success", "1")
    printed = kernel.run("%%python\nprint(x)", "b")[1]
    streams = [m["content"]["text"] for m in printed if m["msg_type"] == "stream"]
    assert "".join(streams) == "1\n"


COMPUTING = """
try:
    sign('on')
    while True: pass
except KeyboardInterrupt:
    sign('again')
    while True: pass
"""

WAITING = """
import asyncio
while True:
    try:
        sign('on')
        await asyncio.sleep(600)
    # The first interrupt may come before the code waits.
    except (asyncio.CancelledError, KeyboardInterrupt): sign('again')
"""

# As an interrupt in IPython's own code leaves it.
HOLDING = f"get_ipython().display_trap.__enter__()\n{COMPUTING}"


@pytest.mark.parametrize("code", [COMPUTING, WAITING, HOLDING])
def test_a_second_interrupt_leaves_a_kernel_whose_code_shows_its_values(
    kernel, server, tmp_path, code
):
    sign = f"import os\ndef sign(name): os.makedirs(os.path.join({str(tmp_path)!r}, name), exist_ok=True)"
    server.answers = [call("python", {"code": f"{sign}\n{code}"}), text("fine")]
    request = kernel.start("hi", "a")
    for name in ("on", "again"):
        while not (tmp_path / name).exists():
            pass
        by_signal(kernel)
    reply, messages = kernel.finish(request)

    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert turns_of(messages)[-1]["status"] == "interrupted"
    assert len(server.requests) == 1
    assert python(kernel, server, "x = 1\nx") == ("success", "1")
    shown = kernel.run("%%python\nx", "b")[1]
    results = [m["content"]["data"] for m in shown if m["msg_type"] == "execute_result"]
    assert results == [{"text/plain": "1"}]


LATE_SIGNAL = """
import asyncio, signal
loop, usual = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
raised = []
def handle(wait, *arguments):
    loop.call_soon(handle, wait - 1, *arguments) if wait else usual(*arguments)
def handle_late(*arguments):
    raised.append(True)
    handle(10, *arguments)
signal.signal(signal.SIGINT, handle_late)
while not raised: pass
try: await asyncio.sleep(600)
finally:
    for _ in range(50): await asyncio.sleep(0)
    print('cleaned up')
"""


def test_code_cleans_up_also_when_the_signal_of_an_interrupt_comes_after_it_began_to_wait(
    kernel, server, tmp_path
):
    code = f"{running(tmp_path / 'on')}\n{LATE_SIGNAL}"
    server.answers = [call("python", {"code": code}), text("fine")]
    request = kernel.start("hi", "a")
    while not (tmp_path / "on").exists():
        pass

    by_message(kernel)
    _, messages = kernel.finish(request)

    assert result_of(messages)[1].startswith("cleaned up")
    assert len(server.requests) == 1


DEFINITIONS = """%%python
from dataclasses import dataclass
from typing import Literal, Optional

@dataclass
class Point:
    x: int
    y: 'int' = 2

def add(a: int, b: 'int' = 3, *, how: Literal['sum', 'text'] = 'sum',
        at: Optional[Point] = None, rest=None):
    '''Add numbers.

    More of it.
    '''
    print('adding')
    return {'sum': a + b, 'at': at, 'rest': rest} if how == 'sum' else f'{a}+{b}'

async def later(word: str):
    import asyncio
    await asyncio.sleep(0)
    return word

def fails(n: int):
    print('before')
    return helper(n)

def helper(n):
    return 1 / n

def picture():
    return b'\\x89PNG\\r\\n\\x1a\\n'

class Drawing:
    def _repr_png_(self):
        return b'\\x89PNG'

def drawing():
    return Drawing()

def thing():
    return object

class Stop(BaseException): ...

class Stopping:
    def __repr__(self): raise Stop('shown')

def stops():
    print('before')
    raise Stop('here')

async def stops_later():
    print('before')
    raise Stop('here')

async def quits():
    import sys
    print('before')
    sys.exit(3)

def stops_when_shown(): return Stopping()

class Hanging:
    def __repr__(self): hangs()

def hangs_when_shown(): return Hanging()

def hangs():
    import os
    print('on')
    os.mkdir('on')
    while True: pass

def many(*numbers: int): ...
def unknown(x: 'Nowhere'): ...
def odd(x: 'Drawing'): ...
number = 3
"""


@pytest.fixture
def defined(kernel) -> KernelClient:
    reply, _ = kernel.run(DEFINITIONS, "definitions")
    assert reply["status"] == "ok"
    return kernel


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("add", {"a": 1}, 'adding\n{"sum":4,"at":null,"rest":null}'),
        ("add", {"a": 1, "b": 1, "how": "text"}, "adding\n1+1"),
        (
            "add",
            {"a": 1, "at": {"x": 5}, "rest": [1]},
            'adding\n{"sum":4,"at":{"x":5,"y":2},"rest":[1]}',
        ),
        ("later", {"word": "on"}, "on"),
        ("thing", {}, "<class 'object'>"),
        (
            "picture",
            {},
            [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}],
        ),
        (
            "drawing",
            {},
            [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}],
        ),
    ],
)
def test_a_function_is_called_with_arguments_of_the_annotated_types(
    defined, server, name, arguments, result
):
    magic(defined, f"%tool {name}")

    assert tool(defined, server, name, arguments) == ("success", result)


def test_the_description_of_a_function_is_its_docstring(defined, server):
    assert (
        magic(defined, "%tool add")
        == "add(a, b?, how?, at?, rest?)  [needs approval]  Add numbers.\n"
    )

    tool(defined, server, "add", {"a": 1})

    schemas = {t["function"]["name"]: t["function"] for t in server.requests[0]["tools"]}
    assert schemas["add"]["description"] == "Add numbers.\n\nMore of it."
    parameters = schemas["add"]["parameters"]
    assert parameters["required"] == ["a"]
    assert parameters["properties"]["a"]["type"] == "integer"
    assert parameters["properties"]["b"] == {"default": 3, "title": "B", "type": "integer"}
    assert parameters["properties"]["how"]["enum"] == ["sum", "text"]


def test_a_function_that_fails_says_where_in_the_notebook(defined, server):
    magic(defined, "%tool fails")

    status, content = tool(defined, server, "fails", {"n": 0})

    assert status == "error"
    assert content.startswith("before\nZeroDivisionError: division by zero\n  in helper, line ")
    assert content.endswith(": return 1 / n")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stops", "before\nStop: here\n  in stops, line "),
        ("stops_later", "before\nStop: here\n  in stops_later, line "),
        ("quits", "before\nSystemExit: 3\n  in quits, line "),
        ("stops_when_shown", "Stop: shown"),
    ],
)
def test_whatever_a_function_raises_the_turn_goes_on(defined, server, name, words):
    magic(defined, f"%tool {name}")

    status, content = tool(defined, server, name, {})

    assert (status, content[: len(words)]) == ("error", words)


def test_arguments_that_do_not_fit_are_an_error_for_the_model(defined, server):
    magic(defined, "%tool add")

    assert tool(defined, server, "add", {"a": "x"})[0] == "error"
    assert tool(defined, server, "add", {"a": 1, "c": 1})[0] == "error"


def test_a_redefined_function_is_the_one_that_is_called(defined, server):
    magic(defined, "%tool later")
    defined.run("%%python\ndef later(count: int):\n    'New.'\n    return count + 1", "new")

    assert tool(defined, server, "later", {"count": 1}) == ("success", "2")
    assert "later(count)  [needs approval]  New." in magic(defined, "%tools")

    defined.run("%%python\ndel later", "gone")

    status, content = tool(defined, server, "later", {"count": 1})
    assert (status, "later is not defined" in content) == ("error", True)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("%tool", "Expected names of functions"),
        ("%tool nowhere", "nowhere is not defined"),
        ("%tool number", "number is not a function; its type is int"),
        ("%tool read", "a tool of msgbook itself"),
        ("%tool python", "a tool of msgbook itself"),
        ("%tool a.b", "cannot be the name of a tool"),
        ("%tool many", "has the parameter *numbers"),
        ("%tool unknown", "'Nowhere'"),
        ("%tool odd", "cannot pass a Drawing"),
        ("%tool later nowhere", "nowhere is not defined"),
        ("%tool -d helper", "no tool named 'helper'"),
    ],
)
def test_an_error_says_what_cannot_be_a_tool(defined, source, words):
    assert words in magic(defined, source)


def test_a_tool_can_be_removed(defined):
    magic(defined, "%tool add")

    magic(defined, "%tool -d add")

    assert "add(" not in magic(defined, "%tools")
    assert "read(path, start?, end?)  [no approval in the notebook's folder]" in magic(
        defined, "%tools"
    )


def test_a_tool_that_the_next_agent_does_not_have_is_listed_as_such(defined):
    magic(defined, "%tool add")
    defined.run("%agent new reader tools=read", "new")
    defined.run("%agent default reader", "chosen")

    listed = magic(defined, "%tools").splitlines()

    assert "[not offered to reader]" in next(line for line in listed if line.startswith("add("))
    assert any(line.startswith("read(path, start?, end?)  [no approval") for line in listed)


@pytest.mark.parametrize("interrupt", [by_message, by_signal])
@pytest.mark.parametrize("name", ["hangs", "hangs_when_shown"])
def test_an_interrupt_stops_a_function(defined, server, tmp_path, interrupt, name):
    defined.run(f"%%python\nimport os; os.chdir({str(tmp_path)!r})", "folder")
    magic(defined, f"%tool {name}")
    server.answers = [call(name, {}), text("fine")]
    request = defined.start("hi", "a")
    while not (tmp_path / "on").exists():
        pass

    interrupt(defined)
    reply, messages = defined.finish(request)

    assert reply["ename"] == "KeyboardInterrupt"
    assert result_of(messages)[1].startswith("on\n")


SAMPLES = """\
%%python
import sys, threading, time
usual, seen, over = sys.getswitchinterval(), set(), threading.Event()

def sample():
    while not over.wait(0.001):
        seen.add(sys.getswitchinterval())

threading.Thread(target=sample).start()
"""


def test_threads_wait_less_for_each_other_while_a_turn_runs(kernel, server):
    """So that an interrupt, which needs a thread of its own, is not late. Code of cells switches as it always did."""
    kernel.run(SAMPLES, "b")
    server.answers = [Answer(text("So it is.").chunks, pause=0.05)]

    kernel.run("hi", "a")

    said = magic(kernel, "%%python\nover.set()\nprint(min(seen), sys.getswitchinterval() == usual)")
    assert said == "0.001 True\n"
