"""Tools of plug-ins: what an entry point may name, what asks, and what cannot be used."""

from __future__ import annotations

import asyncio
import itertools
import sys

import pytest
from engine_turns import results, run_prompt
from packages import write_package
from scripted_server import call, text

from msgbook.config import Settings
from msgbook.engine import Conversation, Services
from msgbook.errors import ToolError
from msgbook.tools import OWN_NAMES, ToolHost, load_tools

_numbers = itertools.count()


@pytest.fixture
def load(packages, tmp_path):
    """Installs a package with entry points for tools; the tools by name, and the problems."""

    def load(source, off=(), **entries):
        write_package(packages, f"pack-{next(_numbers)}", source, tools=entries)
        tools, problems = load_tools(ToolHost(tmp_path), off)
        return {tool.name: tool for tool in tools}, problems

    return load


def run(tool, arguments="{}", context=None):
    return asyncio.run(tool.call(arguments, *([context] if context else [])))


def reason(tool, arguments="{}"):
    """Why a call needs approval; empty if it needs none."""
    try:
        run(tool, arguments)
    except ToolError:
        raise
    except Exception as error:
        return str(error)
    return ""


def test_a_function_with_typed_arguments_is_a_tool_that_asks(load):
    tools, problems = load(
        'def double(n: int) -> int:\n    "Double it."\n    return 2 * n\n', double="double"
    )

    function = tools["double"].schema["function"]
    assert (function["description"], function["parameters"]["required"]) == ("Double it.", ["n"])
    assert reason(tools["double"], '{"n": 2}').startswith("it runs code of the plug-in pack-")
    with pytest.raises(ToolError, match="do not fit"):
        run(tools["double"], '{"n": "two"}')
    assert problems == []


def test_a_factory_gets_the_folder_and_a_read_only_tool_does_not_ask(load, tmp_path):
    tools, problems = load(
        "from __future__ import annotations\n"
        "from msgbook.tools import Tool, ToolHost, make_tool\n"
        "def where(host: ToolHost) -> Tool:\n"
        "    return make_tool(lambda: str(host.folder), name='where', read_only=True)\n",
        where="where",
    )

    assert (run(tools["where"]), problems) == (str(tmp_path), [])


ASKS = """
from msgbook.approval import ApprovalRequest
from msgbook.tools import Tool
def bind(context):
    async def water(plant: str) -> str:
        if plant == "cactus":
            return "it needs none"
        context.require(ApprovalRequest("it waters " + plant))
        return "done"
    return water
water = Tool("water", bind{more})
"""


def test_a_tool_that_asks_itself_decides_which_calls_ask(load):
    tools, _ = load(ASKS.replace("{more}", ", asks_itself=True"), water="water")

    assert reason(tools["water"], '{"plant": "cactus"}') == ""
    assert reason(tools["water"], '{"plant": "fern"}') == "it waters fern"


def test_a_tool_that_says_nothing_asks_first_and_then_what_it_wants_itself(
    server, packages, tmp_path
):
    write_package(packages, "garden", ASKS.replace("{more}", ""), tools={"water": "water"})
    server.answers = [call("water", {"plant": "fern"}), text("ok")] * 2

    turn = run_prompt(server, tmp_path, MSGBOOK_APPROVAL="allow")
    denied = run_prompt(server, tmp_path, MSGBOOK_APPROVAL="deny")

    assert [r["content"] for r in results(turn)] == ["done"]
    assert "it runs code of the plug-in garden 1.0" in results(denied)[0]["content"]


def test_a_sub_agent_gets_the_tool_made_for_its_own_folder(server, packages, tmp_path):
    folder = tmp_path / "below"
    (tmp_path / ".msgbook").mkdir()
    folder.mkdir()
    source = (
        "from msgbook.tools import Tool, ToolHost, make_tool\n"
        "def where(host: ToolHost) -> Tool:\n"
        "    return make_tool(lambda: host.folder.name, name='where', read_only=True)\n"
    )
    write_package(packages, "compass", source, tools={"where": "where"})
    team = {"context_broadcast": "", "sub_agents": [{"prompt": "Where are you?"}]}
    server.answers = [call("where", {}), call("dispatch_subagents", team)]
    server.answers += [call("where", {}), text("I know."), text("ok")]

    run_prompt(server, folder, MSGBOOK_APPROVAL="allow")

    said = [request["messages"][-1] for request in server.requests]
    told = [message["content"] for message in said if message["role"] == "tool"]
    assert told[:2] == ["below", tmp_path.name]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 3", "3"),
        ("return None", "null"),
        ("return {'a': [1]}", '{"a":[1]}'),
        ("return [{'type': 'text', 'text': 'part'}]", '[{"type":"text","text":"part"}]'),
    ],
)
def test_a_value_becomes_a_result_as_that_of_a_function_of_the_notebook(load, body, expected):
    tools, _ = load(
        "from msgbook.tools import make_tool\n"
        f"def f():\n    {body}\nvalue = make_tool(f, name='value', read_only=True)\n"
        f"async def g():\n    {body}\nlater = make_tool(g, name='later', read_only=True)\n",
        value="value",
        later="later",
    )

    assert [run(tools["value"]), run(tools["later"])] == [expected, expected]


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}


@pytest.mark.parametrize(
    ("parts", "is_kept"),
    [
        ([{"type": "text", "text": "x"}, IMAGE], True),
        ([{"type": "text", "text": 5}], False),
        ([{"type": "text", "text": "x", "more": 1}], False),
        ([{"type": "image_url", "image_url": 5}], False),
        ([{"type": "image_url", "image_url": {"url": "http://127.0.0.1/x.png"}}], False),
        ([{**IMAGE, "more": float("inf")}], False),
        ([{"type": "video"}], False),
        ([], False),
    ],
)
def test_only_parts_that_a_turn_can_hold_are_parts(load, parts, is_kept):
    tools, _ = load(
        "from msgbook.tools import Tool\ndef bind(context):\n"
        f"    async def give():\n        inf = float('inf')\n        return {parts!r}\n    return give\n"
        "give = Tool('give', bind, read_only=True)",
        give="give",
    )

    result = run(tools["give"])

    assert (result == parts) is is_kept
    assert isinstance(result, list if is_kept else str)


def test_an_error_that_cannot_say_what_it_is_is_a_result(server, packages, tmp_path):
    source = (
        "from msgbook.tools import make_tool\nclass Odd(BaseException):\n    def __str__(self): return 5\n"
        "async def fail(): raise Odd\nfail = make_tool(fail, read_only=True)"
    )
    write_package(packages, "mute", source, tools={"fail": "fail"})
    server.answers = [call("fail", {}), text("ok")]

    turn = run_prompt(server, tmp_path)

    assert (turn["status"], results(turn)[0]["content"]) == ("done", "Odd")


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ("ValueError('no such city')", "ValueError: no such city"),
        ("ToolError('No such city.')", "No such city."),
        ("SystemExit(3)", "SystemExit: 3"),
    ],
)
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_an_exception_is_a_result_for_the_model(load, raised, expected, kind):
    tools, _ = load(
        "from msgbook.errors import ToolError\nfrom msgbook.tools import make_tool\n"
        f"{kind} f():\n    raise {raised}\nfail = make_tool(f, name='fail', read_only=True)\n",
        fail="fail",
    )

    with pytest.raises(ToolError) as error:
        run(tools["fail"])
    assert str(error.value) == expected


def test_a_function_that_blocks_does_not_hold_up_the_turn_that_is_stopped(load):
    tools, _ = load(
        "import threading\nfrom msgbook.tools import make_tool\n"
        "going, gate = threading.Event(), threading.Event()\n"
        "def f():\n    going.set()\n    gate.wait(300)\n"
        "block = make_tool(f, name='block', read_only=True)\n"
        "def g():\n    going.wait(300)\nwait = make_tool(g, name='wait', read_only=True)\n"
        "def h():\n    gate.set()\nopen_gate = make_tool(h, name='open_gate', read_only=True)\n",
        block="block",
        wait="wait",
        open_gate="open_gate",
    )

    async def stop():
        running = asyncio.ensure_future(tools["block"].call("{}"))
        await tools["wait"].call("{}")
        running.cancel()
        await asyncio.wait([running])
        await tools["open_gate"].call("{}")
        return running.cancelled()

    assert asyncio.run(stop())


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            "import no_such_module_anywhere",
            "cannot be imported: ModuleNotFoundError: No module named",
        ),
        ("raise SystemExit(1)", "cannot be imported: SystemExit: 1"),
        ("raise GeneratorExit", "cannot be imported: GeneratorExit"),
        ("import asyncio\nraise asyncio.CancelledError", "cannot be imported: CancelledError"),
        ("class Odd(BaseException): ...\nraise Odd('no')", "cannot be imported: Odd: no"),
        (
            "class Odd(Exception):\n    def __str__(self): return 5\nraise Odd",
            "cannot be imported: Odd",
        ),
        ("def broken(): ...\nbroken.__doc__ = '\\ud800'", "is not used: UnicodeEncodeError"),
        ("x = 1", "cannot be imported: AttributeError"),
        ("broken = 7", "but got int"),
        ("def broken(*words): ...", "a model passes arguments by name"),
        ("def broken(n: open): ...", "broken(n)"),
        ("def broken(n: 'Nothing'): ...", "broken(n)"),
        (
            "from msgbook.tools import ToolHost\ndef broken(host: ToolHost):\n    raise ValueError('no')",
            "is not used: ValueError: no",
        ),
        (
            "from msgbook.tools import ToolHost\ndef broken(host: ToolHost):\n    return 'a tool'",
            "but got str",
        ),
        (
            "from msgbook.tools import make_tool\ndef other(): ...\nbroken = make_tool(other)",
            "the tool is named 'other', but its entry point 'broken'",
        ),
        ("from msgbook.tools import Tool\nbroken = Tool('broken', 5)", "is not used: TypeError"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_one_line_and_all_else_works(
    load, packages, source, problem, tmp_path
):
    write_package(packages, f"fine-{next(_numbers)}", "def fine(): ...", tools={"fine": "fine"})

    tools, problems = load(source, broken="broken")

    assert list(tools) == ["fine"]
    assert len(problems) == 1
    assert "the plug-in pack-" in problems[0]
    assert problem in problems[0]
    assert "\n" not in problems[0]


def test_a_turn_says_which_plug_in_cannot_be_used(server, packages, tmp_path):
    write_package(packages, "bad-plants", "1 / 0", tools={"grow": "grow"})
    server.answers = [text("ok")]

    turn = run_prompt(server, tmp_path)

    assert (turn["status"], turn["blocks"][0]["type"]) == ("done", "notice")
    assert turn["blocks"][0]["text"] == (
        "the plug-in bad-plants 1.0 (tool grow = bad_plants:grow) cannot be imported: "
        "ZeroDivisionError: division by zero"
    )


def test_an_interrupt_that_a_plug_in_makes_up_does_not_end_the_event_loop(packages, tmp_path):
    write_package(packages, "bad-stop", "raise KeyboardInterrupt", tools={"stop": "stop"})

    async def load():
        return load_tools(ToolHost(tmp_path))

    tools, [problem] = asyncio.run(load())

    assert tools == []
    assert "cannot be imported: KeyboardInterrupt" in problem
    with pytest.raises(KeyboardInterrupt):  # without a loop it is the user's
        load_tools(ToolHost(tmp_path))


@pytest.mark.parametrize("name", ["read", "python", "dispatch_subagents"])
def test_a_name_of_ours_stays_ours(load, name):
    tools, problems = load("def f(): ...", **{name: "f"})

    assert tools == {}
    assert f"{name} is the name of one of msgbook's own tools" in problems[0]
    assert "(tool" in problems[0]


def test_our_own_names_are_those_of_the_tools_of_an_engine(tmp_path):
    assert {tool.name for tool in Conversation(Services(Settings()), tmp_path).tools} < OWN_NAMES


@pytest.mark.parametrize("name", ["mcp__git__log", "a.b", "a" * 65, "fünf"])
def test_a_name_that_servers_refuse_or_that_belongs_to_mcp_is_not_used(load, name):
    tools, problems = load("def f(): ...", **{name: "f"})

    assert tools == {}
    assert "cannot be that of a tool" in problems[0]


def test_a_name_of_two_plug_ins_is_an_error_that_names_both(packages, tmp_path):
    for name in ("one", "two"):
        source = f"def f() -> str: return {name!r}"
        write_package(packages, f"weather-{name}", source, tools={"weather": "f"})

    tools, [problem] = load_tools(ToolHost(tmp_path))
    [left], none = load_tools(ToolHost(tmp_path), ["Weather_One:weather"])
    everything_off = load_tools(ToolHost(tmp_path), ["weather-one", "weather-two"])

    assert tools == []
    assert "the plug-in weather-one 1.0 (tool weather = weather_one:f)" in problem
    assert "the plug-in weather-two 1.0 (tool weather = weather_two:f)" in problem
    assert "[plugins] off" in problem
    assert (left.origin, none) == ("the plug-in weather-two 1.0", [])
    assert everything_off == ([], [])


def test_the_entry_points_and_modules_of_the_working_directory_never_count(
    packages, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    write_package(packages, "honest", "def f() -> str: return 'honest'", tools={"f": "f"})
    write_package(tmp_path, "planted", "raise SystemExit('imported')", tools={"evil": "f"})
    (tmp_path / "honest.py").write_text("raise SystemExit('imported')")
    for place in ("", ".", str(tmp_path)):
        monkeypatch.syspath_prepend(place)

    tools, problems = load_tools(ToolHost(tmp_path))

    assert ([tool.name for tool in tools], problems) == (["f"], [])


def test_hostile_metadata_cannot_disguise_what_it_is(packages, tmp_path):
    write_package(packages, "sly", "1 / 0", tools={"roll": "f"}, version="1\u202e\x1b[2J")

    _, [problem] = load_tools(ToolHost(tmp_path))

    assert problem.isprintable()


def test_of_a_package_that_is_there_twice_the_first_one_counts(packages, tmp_path, monkeypatch):
    old = tmp_path / "old"
    old.mkdir()
    monkeypatch.setattr("sys.path", [*sys.path, str(old)])
    write_package(old, "twice", "def f(): ...", tools={"f": "f", "gone": "f"}, version="1.0")
    write_package(packages, "Twice", "def f(): ...", tools={"f": "f"}, version="2.0")

    tools, problems = load_tools(ToolHost(tmp_path))

    assert ([(t.name, t.origin) for t in tools], problems) == ([("f", "the plug-in Twice 2.0")], [])


@pytest.mark.parametrize(
    "damage", ["[msgbook.tools]\nno equals sign", "\x00\xff[", "[msgbook.tools"]
)
def test_damaged_metadata_of_another_package_changes_nothing(packages, tmp_path, damage):
    write_package(packages, "whole", "def f(): ...", tools={"f": "f"})
    write_package(packages, "mistreated", "def g(): ...", tools={"g": "g"})
    (packages / "mistreated-1.0.dist-info" / "entry_points.txt").write_text(damage)

    tools, _ = load_tools(ToolHost(tmp_path))

    assert [tool.name for tool in tools] == ["f"]


@pytest.mark.parametrize(
    "damage", [None, b"", b"Metadata-Version: 2.1\nName: mistreated\n", b"\xff\xfe"]
)
def test_a_plug_in_whose_own_metadata_are_damaged_disturbs_nothing_else(packages, tmp_path, damage):
    write_package(packages, "whole", "def f(): ...", tools={"f": "f"})
    write_package(packages, "mistreated", "def g(): ...", tools={"g": "g"})
    file = packages / "mistreated-1.0.dist-info" / "METADATA"
    file.unlink() if damage is None else file.write_bytes(damage)

    tools, problems = load_tools(ToolHost(tmp_path))

    names = [tool.name for tool in tools]
    assert (names, problems) == (["f", "g"] if b"Name" in (damage or b"") else ["f"], [])
