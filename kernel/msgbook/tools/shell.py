"""The tool `shell`: runs a command, shows its output as it comes, and leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from msgbook.approval import ApprovalRequest
from msgbook.errors import ToolError
from msgbook.throttle import Throttle
from msgbook.tools.base import CallContext, Tool, ToolFunction

if TYPE_CHECKING:
    from msgbook.tools.process import Supervised

SHELL = "shell"
DEFAULT_TIMEOUT = 120
"""Seconds, as the tools of other coding agents have it; models know that number."""
MAX_TIMEOUT = 600
"""Seconds that a model may ask for. What runs longer belongs in the background."""

_STOP_WAIT = 8.0
"""Seconds to wait until the supervisor has ended a command that ran too long; it gives up earlier."""

Command = Annotated[str, Field(description="The command; bash where there is one, else sh.")]
Timeout = Annotated[
    float,
    Field(gt=0, le=MAX_TIMEOUT, description="Seconds after which the command is killed."),
]


def shell_tool(
    folder: Path, secrets: Iterable[str] = (), environ: Mapping[str, str] | None = None
) -> Tool:
    """Return the tool `shell`; every call needs approval.

    Args:
        folder: The notebook's folder, where commands run.
        secrets: Secrets that are kept out of the environment of commands.
        environ: The environment; by default the process's own at the time of each call.
    """

    def bind(context: CallContext) -> ToolFunction:
        async def shell(command: Command, timeout: Timeout = DEFAULT_TIMEOUT) -> str:  # noqa: ASYNC109
            """Run a shell command in the notebook's folder and return what it printed and its exit
            code. It cannot ask for input, and all its processes are killed when it ends.
            """
            context.require(ApprovalRequest("it runs a command on this machine"))
            own = os.environ if environ is None else environ
            return await _run(command, folder, own, secrets, timeout, context)

        return shell

    return Tool(SHELL, bind)


async def _run(
    command: str,
    folder: Path,
    environ: Mapping[str, str],
    secrets: Iterable[str],
    timeout: float,  # noqa: ASYNC109 - the limit is part of the result
    context: CallContext,
) -> str:
    from msgbook.tools.tool_output import PIECE_INTERVAL, Output

    output = Output(context.show)
    throttle = Throttle(output.flush, lambda: PIECE_INTERVAL)

    def take(data: bytes) -> None:
        output.feed(data)
        throttle.schedule()

    running = _start(command, folder, environ, secrets, take)
    try:
        timed_out = not await _ends_within(running, timeout)
        if timed_out:
            running.stop()
            # A process of another user may run on.
            await _ends_within(running, _STOP_WAIT)
    finally:
        throttle.cancel()
        running.abandon()
        output.finish()
    text = await asyncio.to_thread(output.text)
    ending = f"stopped after {timeout:g} s" if timed_out else _ending(running.ending)
    result = (text.removesuffix("\n") or "(no output)") + f"\n[{ending}]"
    if ending == "exit code 0":
        return result
    raise ToolError(result)


def _start(
    command: str,
    folder: Path,
    environ: Mapping[str, str],
    secrets: Iterable[str],
    take: Callable[[bytes], None],
) -> Supervised:
    """Start a command; `take` gets its output."""
    if sys.platform == "win32":
        raise ToolError("The tool shell needs Linux or another Unix; use the tool python.")
    from msgbook.tools.process import Supervised, child_environment

    try:
        return Supervised(command, folder, child_environment(environ, secrets), take)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ToolError(f"The command could not be started: {reason}.") from None


async def _ends_within(running: Supervised, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await running.gone.wait()
    except TimeoutError:
        return False
    return True


def _ending(report: str) -> str:
    """Return how a command ended, in words for the model."""
    kind, _, number = report.partition(" ")
    if kind == "exit":
        return f"exit code {number}"
    if kind == "signal":
        return f"killed by signal {number}"
    return "the command killed the process that watched over it; all its processes were ended"
