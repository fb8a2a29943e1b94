"""Tools: functions that a model can call.

- `base`: `Tool` and `ToolSet`. A tool's schema is made from the signature of a Python function.
- `file_tools`: `read`, `glob`, `grep`, `write`, `edit`, `mkdir`. `worker` runs them in child processes, by the code in `files/`.
- `shell`: `shell`. `process` and `supervise` run its command and leave no process behind.
- `functions`: `python`, and the functions that `%tool` offers.
- `results`, `tool_output`: long results, and output that is shown while it grows.

To add a tool, write a module like `shell`, with a function that returns a `Tool`, and add that tool to the
`ToolSet` in `engine.py`. The tool raises `msgbook.errors.ToolError` for a failure that the model should
read, and calls `CallContext.require` before it does what needs approval.

Names are imported when they are first used: a worker of the file tools starts without pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msgbook.tools.base import CallContext, Content, Tool, ToolSet
    from msgbook.tools.file_tools import FileTools, find_ripgrep
    from msgbook.tools.functions import Called, FunctionTool, Namespace, function_tool, python_tool
    from msgbook.tools.results import BLOB_LIMIT, NotKeptError, Results
    from msgbook.tools.shell import shell_tool
    from msgbook.tools.tool_output import PIECE_INTERVAL, WHOLE_LIMIT, Output, TerminalText

__all__ = [
    "BLOB_LIMIT",
    "PIECE_INTERVAL",
    "WHOLE_LIMIT",
    "CallContext",
    "Called",
    "Content",
    "FileTools",
    "FunctionTool",
    "Namespace",
    "NotKeptError",
    "Output",
    "Results",
    "TerminalText",
    "Tool",
    "ToolSet",
    "find_ripgrep",
    "function_tool",
    "python_tool",
    "shell_tool",
]

_HOMES = {
    "BLOB_LIMIT": "results",
    "CallContext": "base",
    "Called": "functions",
    "Content": "base",
    "FileTools": "file_tools",
    "FunctionTool": "functions",
    "Namespace": "functions",
    "NotKeptError": "results",
    "Output": "tool_output",
    "PIECE_INTERVAL": "tool_output",
    "Results": "results",
    "TerminalText": "tool_output",
    "Tool": "base",
    "ToolSet": "base",
    "WHOLE_LIMIT": "tool_output",
    "find_ripgrep": "file_tools",
    "function_tool": "functions",
    "python_tool": "functions",
    "shell_tool": "shell",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
