"""The place of sub-agents' conversations."""

from __future__ import annotations

from pathlib import Path

SUB_AGENTS = Path(".msgbook") / "subagents"
"""Folder of the conversations of sub-agents, in the project's."""
