"""Runs one command and leaves no process of it behind: `python -I -S supervise.py COMMAND`.

Standard error takes the command's whole output, standard output the report to who started us:
`exit N` or `signal N` once all its processes are gone. When standard input closes, because nobody
wants the command any more or because who started us was killed, all its processes are killed. The
command has a process group of its own in our session, by which its processes are found if it kills
us. Imports nothing but the standard library, so that it starts
in a few milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

GRACE = 0.3
"""Seconds that the processes have to end by themselves after SIGTERM."""

GIVE_UP = 5.0
"""Seconds after which processes that cannot be killed, another user's for example, are left."""

_PR_SET_CHILD_SUBREAPER = 36


def main(command: str) -> None:
    """Run the command and report how it ended."""
    _adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Only standard input tells us to stop. Ignored signals would be ignored by the command too.
        signal.signal(number, lambda *_: None)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = subprocess.Popen(  # noqa: S603 - the command has been approved
        [_shell(), "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),
        stderr=sys.stderr.fileno(),
        process_group=0,
    )
    parent = os.getppid()
    ended: int | None = None
    while ended is None and os.getppid() == parent:
        # The parent's death shows in standard input, unless a fork of it holds the other end.
        ready, _, _ = select.select([woken, sys.stdin], [], [], 1.0)
        if sys.stdin in ready:
            break
        if woken in ready:
            os.read(woken, 4096)
        ended = _reap().get(child.pid)
    stopped = _kill_all(child.pid)
    if ended is None:
        ended = stopped.get(child.pid, -signal.SIGKILL)
    _report(f"exit {ended}" if ended >= 0 else f"signal {-ended}")


def _shell() -> str:
    """Bash where there is one, but none of the folder's, which `PATH` may name."""
    found = shutil.which("bash")
    return found if found and Path(found).is_absolute() else "/bin/sh"


def _adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends, daemons among them (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap() -> dict[int, int]:
    """Exit codes, negative for signals, of the children that have ended."""
    ended = {}
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        pass
    return ended


def _kill_all(group: int) -> dict[int, int]:
    """Kill what is left of the command: ask, wait a little, then force until there is nothing.

    Returns the exit codes of those that were our children.
    """
    ended: dict[int, int] = {}
    started = time.monotonic()
    asked: set[int] = set()
    while True:
        ended |= _reap()
        left = _processes(group)
        passed = time.monotonic() - started
        if not left or passed > GIVE_UP:
            return ended | _reap()
        if passed > GRACE:
            _signal_together(left, signal.SIGKILL)
        else:
            _signal_together(left - asked, signal.SIGTERM)
        asked |= left
        time.sleep(0.005)


def _signal_together(pids: set[int], number: signal.Signals) -> None:
    """Send a signal to processes that stand still meanwhile.

    A shell that runs on when its child has been killed would print "Killed" into the output.
    """
    for sent in (signal.SIGSTOP, number, signal.SIGCONT):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sent)


def _processes(group: int) -> set[int]:
    """The processes of the command that have not ended.

    On Linux all that descend from us; elsewhere those of the command's process group.
    """
    if sys.platform != "linux":
        listing = subprocess.run(
            ["/bin/ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=False
        )
        rows = [line.split() for line in listing.stdout.splitlines()]
        return {int(pid) for pid, pgid, stat in rows if pgid == str(group) and stat[0] != "Z"}
    children: dict[int, list[int]] = {}
    dead = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # "PID (NAME) STATE PPID ..."; the name may hold anything.
            state, parent, _ = (entry / "stat").read_text().rpartition(")")[2].split(maxsplit=2)
        except OSError:
            continue
        pid = int(entry.name)
        children.setdefault(int(parent), []).append(pid)
        if state in "ZX":
            dead.add(pid)
    found: set[int] = set()
    pending = [os.getpid()]
    while pending:
        below = children.get(pending.pop(), [])
        found.update(below)
        pending += below
    return found - dead


def _report(line: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # who started us may be gone
        os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1])
