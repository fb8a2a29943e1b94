"""`msgbook run DIR`: answers the prompts of all conversations of a folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from msgbook.cli.many.files import find_conversations
from msgbook.cli.many.job import FileResult, Job, exit_code
from msgbook.cli.many.progress import Progress
from msgbook.cli.many.summary import summary_table
from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError
from msgbook.config import ApprovalPolicy

AT_ONCE = 4
"""Files that are answered at once unless the user says how many."""


def run_folder(
    folder: Path,
    *,
    again: bool = False,
    approval: ApprovalPolicy = "allow",
    parallel: int | None = None,
    cluster: str | None = None,
) -> int:
    """Answer the prompts without an answer, several files at once, and print a table.

    A turn that is saved as running, because a process ended in the middle, is no answer.

    Args:
        again: Also answer prompts that have an answer.
        approval: Most permissive policy for tool calls; nobody can be asked.
        parallel: Most files at once.
        cluster: Address of the scheduler of a Dask cluster, whose workers answer.

    Returns:
        0, or 1 if a prompt has no answer, or 2 if a file could not be read or written.

    Raises:
        MsgbookError: The folder, the settings or the cluster cannot be used.
    """
    paths = find_conversations(folder)
    if not paths:
        raise CommandError(
            f"{folder}: expected a folder with conversations (.msg.md, .md with message_section, .ipynb of "
            "the kernel msgbook, .mtm), found none"
        )
    jobs = [Job(path, again, approval) for path in paths]
    results, seconds = run_jobs(
        jobs, parallel or AT_ONCE, None if cluster is None else (cluster, folder)
    )
    return report(results, seconds)


def run_jobs(
    jobs: Sequence[Job], parallel: int, cluster: tuple[str, Path] | None = None
) -> tuple[list[FileResult], float]:
    """Do jobs and show the progress; return their results and the seconds they took.

    Args:
        cluster: Address of a cluster whose workers do them, and a folder above all files.
    """
    from msgbook.cli.many.cluster import do_on_cluster
    from msgbook.cli.many.side_by_side import do_side_by_side

    progress, started = Progress(len(jobs)), time.monotonic()
    try:
        if cluster is not None:
            results = do_on_cluster(jobs, *cluster, progress)
        else:
            results = do_side_by_side(jobs, parallel, progress)
    finally:
        progress.close()
    return [one for one in results if one.status != "other"], time.monotonic() - started


def report(results: Sequence[FileResult], seconds: float) -> int:
    """Print the table of a run and return its exit code."""
    for line in summary_table(results, seconds):
        say(line)
    return exit_code(results)
