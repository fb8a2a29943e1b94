"""Python programs in processes of their own, forked from one that has imported what they import.

`nbformat`, Jupytext and nbconvert take seconds to import, most tests of a command far less to run.
What a test says of the start itself (imports, `.pth` files, `sys.path`) needs a new interpreter:
use `subprocess` there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_SERVE = """
import json, os, sys, traceback

def run(job):
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    for number, name in enumerate(job["files"]):
        os.dup2(os.open(name, os.O_RDWR), number)
    sys.argv[:] = ["-c", *job["args"]]
    sys.stdin, sys.stdout, sys.stderr = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
    try:
        exec(compile(job["code"], "<forked>", "exec"), {"__name__": "__main__"})
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)

exec(sys.argv[1], {"__name__": "prepare"})
for line in sys.stdin:
    child = os.fork()
    if not child:
        run(json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class ForkServer:
    """Runs programs one after the other; use as a context manager.

    Args:
        imports: Python code that the server runs once, before all programs.
        environment: Variables that the server starts with, beside the test's own.
    """

    def __init__(self, imports: str, **environment: str) -> None:
        self._imports = imports
        self._environment = environment

    def __enter__(self) -> ForkServer:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE, self._imports],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **self._environment},
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(
        self, code: str, *args: str, cwd: Path, env: dict[str, str] | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run `code` to its end, with `sys.argv[1:]` as given.

        Args:
            env: The environment; None for the test's own.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
            for file in files:
                file.write_text(stdin if file.name == "stdin" else "", "utf-8")
            job = {
                "code": code,
                "args": args,
                "cwd": str(cwd),
                "env": dict(os.environ) if env is None else env,
                "files": [str(file) for file in files],
            }
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            status = int(self._process.stdout.readline())
            _, out, err = (file.read_text("utf-8") for file in files)
        return subprocess.CompletedProcess([code, *args], status, out, err)
