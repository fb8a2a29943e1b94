"""Agents that call agents: the sub-agents of a turn, from the call to the reports.

- `parent`: the turn that starts them, and what it passes on.
- `planning`: checks a call, says which agent gets which task with which folders, and what stands in its file.
- `subagent_file`: the file of a sub-agent.
- `dispatcher`: one sub-agent, what the reader sees of it and its parent is told, and several side by side.
- `connected_tools`: the tools of a turn that start them.

All but `parent` and `connected_tools` is imported by a turn's first call.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.subagents.parent import Parent, with_subagents
else:
    __getattr__ = lazy_names(__name__)
