"""A kernel of Python whose wake a test can follow; run as a kernel's program with the test's folder as its own.

Of the files there, `broken` lets it fail; `begun` and `go` are pipes: it writes to the one as it begins, and
waits for the other. `awake` says that it has woken.
"""

import os
import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from msgbook.config.environment import set_keys_aside
from msgbook.kernel.talking_kernel import TalkingKernel
from msgbook.kernel.waking_kernel import PythonKernel


class AwakeKernel(TalkingKernel):
    def set_up(self) -> None:
        if Path("begun").exists():
            Path("begun").write_text("begun")
            Path("go").read_text()
        super().set_up()
        if Path("broken").exists():
            raise OSError("the disk is gone, and sk-of-mine with it")
        Path("awake").touch()


class HeldKernel(PythonKernel):
    awake_class = (os.environ.get("ENGINE", "held_wake"), "AwakeKernel")


if __name__ == "__main__":
    # IPython puts the notebook's module in the place of `__main__`.
    sys.path.insert(0, str(Path(__file__).parent))
    app = IPKernelApp.instance(kernel_class=HeldKernel)
    app.keys_aside = set_keys_aside(os.environ)
    app.initialize()
    app.start()
