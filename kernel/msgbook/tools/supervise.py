"""The supervisor of one command or server, which leaves no process behind.

`python -I -S supervise.py shell COMMAND`: the command's output goes to standard error. The report goes to
standard output once all processes are gone: `exit N` or `signal N`. Standard input is the lifeline. Both are
a socket, which the command cannot open by a name.

`python -I -S supervise.py server LIFELINE PROGRAM ARGUMENT...`: the program has the supervisor's standard
streams. Its exit code is the supervisor's; a signal N is 128 + N. LIFELINE is the file descriptor of a
socket, and the report goes there, too.

When the lifeline closes, the supervisor kills all processes: the call was stopped, or the kernel was killed.
The command has its own process group in the supervisor's session; its processes are found by them if it
kills the supervisor. This module imports the standard library alone, so that it starts in a few milliseconds.
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
from collections.abc import Callable, Sequence
from pathlib import Path

GRACE = 0.3
"""Seconds that processes have to end after SIGTERM."""

GIVE_UP = 5.0
"""Seconds after which processes that cannot be killed, such as another user's, are left running."""

_PR_SET_CHILD_SUBREAPER = 36
"""Number of the option in `linux/prctl.h`, which Python does not name."""


def main(mode: str, *words: str) -> None:
    """Run what the command line names."""
    if mode == "shell":
        _run_command(*words)
    else:
        sys.exit(_run_server(int(words[0]), words[1:]))


def _run_command(command: str) -> None:
    """Run a command of the shell and report how it ended."""

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - the command has been approved
            [_shell(), "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            stderr=sys.stderr.fileno(),
            process_group=0,
        )

    ended = _supervise(start, sys.stdin.fileno())
    _report(sys.stdout.fileno(), ended)


def _run_server(lifeline: int, command: Sequence[str]) -> int | str:
    """Run a program that has the standard streams to itself.

    Returns:
        The supervisor's exit code, or why the program cannot be started.
    """

    def start() -> subprocess.Popen[bytes]:
        child = subprocess.Popen(command, process_group=0)  # noqa: S603 - of the user's own configuration
        # The streams end with the program.
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        return child

    try:
        ended = _supervise(start, lifeline)
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    _report(lifeline, ended)
    return ended if ended >= 0 else 128 - ended


def _supervise(start: Callable[[], subprocess.Popen[bytes]], lifeline: int) -> int:
    """Start a process and wait until all processes are gone.

    Returns:
        Its exit code, negative for a signal.
    """
    _adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Only the end of the lifeline stops us. A signal set to be ignored would be ignored by the command too.
        signal.signal(number, lambda *_: None)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = start()
    parent = os.getppid()
    ended: int | None = None
    while ended is None and os.getppid() == parent:
        # When the parent dies, the lifeline closes, unless a fork of the parent holds the other end.
        ready, _, _ = select.select([woken, lifeline], [], [], 1.0)
        if lifeline in ready:
            break
        if woken in ready:
            os.read(woken, 4096)
        ended = _reap().get(child.pid)
    stopped = _kill_all(child.pid)
    if ended is None:
        ended = stopped.get(child.pid, -signal.SIGKILL)
    return ended


def _shell() -> str:
    """Return bash if there is one, but not one in the current folder, which `PATH` may name."""
    found = shutil.which("bash")
    return found if found and Path(found).is_absolute() else "/bin/sh"


def _adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends, daemons among them (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap() -> dict[int, int]:
    """Return the exit codes of the children that have ended, negative for signals."""
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
    """Kill the remaining processes: first SIGTERM, then SIGKILL until none is left.

    Returns the exit codes of the supervisor's children.
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
    """Send a signal to processes that are stopped meanwhile.

    Otherwise a shell whose child is killed first would print "Killed" into the output.
    """
    for sent in (signal.SIGSTOP, number, signal.SIGCONT):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, sent)


def _processes(group: int) -> set[int]:
    """Return the processes of the command that have not ended.

    On Linux these are all descendants of the supervisor, elsewhere the command's process group.
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
            # "PID (NAME) STATE PPID ..."; the name may hold anything, also half a character.
            state, parent = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:2]
            children.setdefault(int(parent), []).append(int(entry.name))
        except (OSError, ValueError):  # it is gone, or says nothing we know
            continue
        if state in b"ZX":
            dead.add(int(entry.name))
    found: set[int] = set()
    pending = [os.getpid()]
    while pending:
        below = children.get(pending.pop(), [])
        found.update(below)
        pending += below
    return found - dead


def _report(descriptor: int, ended: int) -> None:
    line = f"exit {ended}" if ended >= 0 else f"signal {-ended}"
    with contextlib.suppress(BrokenPipeError):  # the kernel may be gone
        os.write(descriptor, f"{line}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
