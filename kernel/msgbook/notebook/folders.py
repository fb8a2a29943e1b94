"""The folder that a conversation works in. The kernel imports this when it starts."""

from __future__ import annotations

from pathlib import Path

from msgbook_format.agent_states import SUB_AGENTS


def working_folder(folder: Path) -> Path:
    """Return the folder that a conversation works in: its file's, or for a sub-agent the project's.

    Args:
        folder: The absolute path of the folder with its file.
    """
    project = folder.parent.parent
    return project if folder == project / SUB_AGENTS else folder
