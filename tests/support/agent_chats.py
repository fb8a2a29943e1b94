"""Message files of agents: with AgentMetadata, and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROMPT = "# %% [^a]\n\nCount the lines.\n"


def write_chat(path: Path, agent_metadata: Any = None, prompt: str = PROMPT) -> Path:
    """Write a message file with one prompt, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = ""
    if agent_metadata is not None:
        head = (
            f"---\njupyter:\n  msgbook:\n    agent_metadata: {json.dumps(agent_metadata)}\n---\n\n"
        )
    path.write_text(head + prompt, "utf-8")
    return path
