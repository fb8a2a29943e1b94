"""`%tool` and `%tools`: functions of the notebook that a model may call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook.magics.agent import find_agents
from msgbook.magics.base import MagicContext, UsageError
from msgbook.request import is_off, switched_off
from msgbook.text import visible
from msgbook.tools import OWN_NAMES, FunctionTool, Tool, function_tool


async def tool(context: MagicContext, words: Sequence[str]) -> str:
    """Make functions callable by the model, or with `-d` stop that."""
    removing = "-d" in words
    names = [word for word in words if word != "-d"]
    if not names:
        raise UsageError("Expected names of functions: %tool NAME ... or %tool -d NAME ...")
    tools = context.engine.tools
    others = {tool.name: tool.origin for tool in tools if not isinstance(tool, FunctionTool)}
    for name in names:
        if name in others or name in OWN_NAMES:
            whose = others.get(name) or "msgbook itself"
            raise UsageError(f"{name} is a tool of {whose}. Give the function another name.")
    if removing:
        found = [tools.find(name) for name in names]
        for tool in found:
            tools.remove(tool.name)
        return f"No longer a tool: {', '.join(names)}"
    if context.engine.namespace is None:
        raise UsageError("%tool works only in a notebook's kernel: there are no functions here.")
    made = [function_tool(name, context.engine.namespace) for name in names]
    for tool in made:
        tools.add(tool)
    return "\n".join(_line(tool) for tool in made)


async def tools(context: MagicContext, _words: Sequence[str]) -> str:
    """List the tools.

    Raises:
        UnknownAgentError: The agent that would answer below is not defined.
    """
    below = await find_agents(context)
    agent = below.agent
    off = switched_off("disabled_tools", {"msgbook": below.notebook})

    def left_out(tool: Tool) -> str:
        if is_off(tool.name, off):
            return "switched off in this notebook"
        is_offered = agent.tools is None or tool.name in agent.tools
        return "" if is_offered else f"not offered to {visible(agent.name)}"

    lines = [_line(tool, left_out(tool)) for tool in context.engine.tools]
    if context.engine.mcp.servers:
        lines.append("%mcp lists the tools of MCP servers.")
    return "\n".join(lines) or "There are no tools."


def _line(tool: Tool, note: str = "") -> str:
    """Return the parameters of a tool, a note or whether it needs approval, and what it does."""
    function: dict[str, Any] = tool.schema["function"]
    required = function["parameters"].get("required", [])
    names = function["parameters"].get("properties", {})
    parameters = ", ".join(name if name in required else f"{name}?" for name in names)
    first = " ".join(function["description"].partition("\n\n")[0].split())
    notes = ", ".join(
        filter(None, [note or describe_approval(tool), tool.origin and f"from {tool.origin}"])
    )
    return f"{tool.name}({parameters})  [{notes}]  {first}".rstrip()


def describe_approval(tool: Tool) -> str:
    """Return whether calls of a tool need approval."""
    if not tool.read_only:
        return "needs approval"
    return "no approval" if tool.origin else "no approval in the notebook's folder"
