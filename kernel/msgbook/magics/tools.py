"""`%tool` and `%tools`: functions of the notebook that a model may call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook.magics.base import MagicContext, UsageError
from msgbook.magics.conversation import agent_below
from msgbook.text import visible
from msgbook.tools import FunctionTool, Tool, function_tool


async def tool(scene: MagicContext, words: Sequence[str]) -> str:
    """Make functions tools, or with `-d` no longer."""
    removing = "-d" in words
    names = [word for word in words if word != "-d"]
    if not names:
        raise UsageError("%tool takes names of functions: %tool NAME ..., or %tool -d NAME ...")
    tools = scene.engine.tools
    own = {tool.name for tool in tools if not isinstance(tool, FunctionTool)}
    for name in names:
        if name in own:
            raise UsageError(
                f"{name} is one of msgbook's own tools; give the function another name."
            )
    if removing:
        found = [tools.find(name) for name in names]
        for tool in found:
            tools.remove(tool.name)
        return f"No tool any more: {', '.join(names)}"
    if scene.engine.namespace is None:
        raise UsageError("%tool needs a notebook's kernel.")
    made = [function_tool(name, scene.engine.namespace) for name in names]
    for tool in made:
        tools.add(tool)
    return "\n".join(_line(tool) for tool in made)


async def tools(scene: MagicContext, _words: Sequence[str]) -> str:
    """List the tools.

    Raises:
        UnknownAgentError: The agent that would answer below is not defined.
    """
    agent = await agent_below(scene)
    lines = [
        _line(tool)
        if agent.tools is None or tool.name in agent.tools
        else _line(tool, f"not offered to {visible(agent.name)}")
        for tool in scene.engine.tools
    ]
    return "\n".join(lines) or "There are no tools."


def _line(tool: Tool, leave: str = "") -> str:
    """How a tool is called, what it does, and whether it asks first or what else stands for it."""
    function: dict[str, Any] = tool.schema["function"]
    required = function["parameters"].get("required", [])
    names = function["parameters"].get("properties", {})
    parameters = ", ".join(name if name in required else f"{name}?" for name in names)
    first = " ".join(function["description"].partition("\n\n")[0].split())
    leave = leave or ("free in the notebook's folder" if tool.read_only else "asks")
    return f"{tool.name}({parameters})  [{leave}]  {first}".rstrip()
