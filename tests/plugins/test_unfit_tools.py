"""Tools of plug-ins whose schemas model servers refuse are made fit, or not used, with a reason."""

from __future__ import annotations

from packages import write_package

from msgbook.tools import ToolHost, ToolSet, load_tools

OWN_SCHEMA = """
from functools import cached_property
from msgbook.tools import Tool, ToolHost
class Own(Tool):
    @cached_property
    def schema(self):
        return {"type": "function", "function": {"name": self.name, "description": "", "parameters": %s}}
def bind(context):
    async def run() -> str:
        return "done"
    return run
def make(host: ToolHost) -> Tool:
    return Own("own", bind)
"""


def test_an_array_of_a_typed_function_has_items(packages, tmp_path):
    source = 'def place(at: tuple[int, int]) -> str:\n    "Place it."\n    return "done"\n'
    write_package(packages, "pack-tuple", source, tools={"place": "place"})

    tools, problems = load_tools(ToolHost(tmp_path))

    (schema,) = ToolSet(tools).schemas
    assert schema["function"]["parameters"]["properties"]["at"]["items"] == {}
    assert problems == []


def test_a_schema_of_its_own_is_made_fit(packages, tmp_path):
    parameters = (
        '{"type": "object", "anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}'
    )
    write_package(packages, "pack-any", OWN_SCHEMA % parameters, tools={"own": "make"})

    tools, problems = load_tools(ToolHost(tmp_path))

    (schema,) = ToolSet(tools).schemas
    assert schema["function"]["parameters"] == {"type": "object", "properties": {"a": {}, "b": {}}}
    assert problems == []


def test_a_tool_whose_arguments_are_no_object_is_not_used_and_the_reason_names_the_setting(
    packages, tmp_path
):
    write_package(
        packages, "pack-list", OWN_SCHEMA % '{"type": "array", "items": {}}', tools={"own": "make"}
    )

    tools, problems = load_tools(ToolHost(tmp_path))

    assert tools == []
    assert "not of an object" in problems[0]
    assert "own" in problems[0]
    assert "off" in problems[0]
