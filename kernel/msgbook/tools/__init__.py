"""Tools: functions that a model can call.

- `base`: `Tool` and `ToolSet`. A tool's schema is made from the signature of a Python function.
- `displays`: what a tool may show to the reader beside its result.
- `file_tools`: `read`, `glob`, `grep`, `write`, `edit`, `mkdir`. Child processes run them, by the code in `files/`.
- `shell`: `shell`. `process` and `supervise` run its command and leave no process behind.
- `cell_tools`: `read_cell`, `edit_cell`, `insert_cell`, `run_cell`.
- `functions`: `python`, and the functions that `%tool` offers.
- `mcp/`: the tools of MCP servers. `plugins`: those of plug-ins.
- `subagent_tools`: `dispatch_subagents`, `get_agent_types`, `task_finish`. `msgbook.subagents` runs what they start.
- `tool_schemas`: schemas that others wrote, made into what model servers take.
- `results`: long results. `tool_output`: output that is shown while it grows.

To add a tool, write a module like `shell`, with a function that returns a `Tool`, and add that tool to the
`ToolSet` in `engine.py`. The tool raises `msgbook.errors.ToolError` for a failure that the model should
read, and calls `CallContext.require` before it does what needs approval.

Names are imported when they are first used: a worker of the file tools starts without pydantic.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.tools.base import CallContext, Content, Tool, ToolSet
    from msgbook.tools.cell_tools import (
        CELL_TOOLS,
        CellTool,
        RunningNotebook,
        connect_cells,
    )
    from msgbook.tools.displays import Display, Displays, ignore_display, rich_data
    from msgbook.tools.file_tools import FileTools, find_ripgrep
    from msgbook.tools.files.cells import (
        CellEdit,
        CellInsertion,
        NotebookCells,
        with_source,
    )
    from msgbook.tools.functions import (
        AbsentPython,
        Called,
        FunctionTool,
        Namespace,
        RanCell,
        function_tool,
        python_tool,
        runs_in_kernel,
    )
    from msgbook.tools.plugins import (
        OWN_NAMES,
        ToolFactory,
        ToolHost,
        import_tools,
        load_tools,
        make_tool,
    )
    from msgbook.tools.results import BLOB_LIMIT, NotKeptError, Results
    from msgbook.tools.shell import SHELL, shell_tool
    from msgbook.tools.subagent_tools import (
        AGENT_TYPES,
        DISPATCH,
        SubagentTask,
        dispatch_tools,
        subagents_folder,
        task_finish_tool,
    )
    from msgbook.tools.tool_output import PIECE_INTERVAL, START_LIMIT, Output, TerminalText
else:
    __getattr__ = lazy_names(__name__)
