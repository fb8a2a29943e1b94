"""The tools `roll` and `largest_file`."""

import random
from typing import Annotated

from pydantic import Field

from msgbook.errors import ToolError
from msgbook.tools import Tool, ToolHost, make_tool

Sides = Annotated[int, Field(ge=2, le=100, description="Sides of each die.")]


def roll(dice: int = 1, sides: Sides = 6) -> list[int]:
    """Roll dice and return what each shows."""
    return [random.randint(1, sides) for _ in range(dice)]


def largest_file(host: ToolHost) -> Tool:
    """Make the tool `largest_file` for the notebook's folder."""

    def largest_file() -> str:
        """Return the name of the largest file in the notebook's folder."""
        files = [path for path in host.folder.iterdir() if path.is_file()]
        if not files:
            raise ToolError("The folder has no files.")
        return max(files, key=lambda path: path.stat().st_size).name

    return make_tool(largest_file, read_only=True)
