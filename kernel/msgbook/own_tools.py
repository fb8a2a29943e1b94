"""The names of msgbook's own tools. Their schemas are taken by all servers; those of other tools have many authors."""

from __future__ import annotations

OWN_NAMES = frozenset(
    {
        "read",
        "glob",
        "grep",
        "write",
        "edit",
        "mkdir",
        "shell",
        "python",
        "dispatch_subagents",
        "get_agent_types",
        "task_finish",
    }
)
"""The names of msgbook's own tools, also of those that a host or an agent does not offer."""
