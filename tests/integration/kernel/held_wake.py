"""A kernel whose wake a test can follow; run as a kernel's program with the test's folder as its own.

It is one of Python, or a chat where the variable `CHAT` is set.

Of the files there, `broken` lets it fail; `begun` and `go` are pipes: it writes to the one as it begins, and
waits for the other. `awake` says that it has woken.
"""

import os
import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from msgbook.config.environment import set_keys_aside
from msgbook.kernel.msg_kernel import MsgKernel
from msgbook.kernel.talking_kernel import TalkingKernel
from msgbook.kernel.waking_kernel import ChatKernel, PythonKernel


class Followed(MsgKernel):
    def set_up(self) -> None:
        if Path("begun").exists():
            Path("begun").write_text("begun")
            Path("go").read_text()
        super().set_up()
        if Path("broken").exists():
            raise OSError("the disk is gone, and sk-of-mine with it")
        Path("awake").touch()


class AwakeKernel(Followed, TalkingKernel):
    pass


class HeldKernel(PythonKernel):
    awake_class = (os.environ.get("ENGINE", "held_wake"), "AwakeKernel")


class HeldChat(ChatKernel):
    awake_class = ("held_wake", "Followed")


if __name__ == "__main__":
    # IPython puts the notebook's module in the place of `__main__`.
    sys.path.insert(0, str(Path(__file__).parent))
    app = IPKernelApp.instance(kernel_class=HeldChat if os.environ.get("CHAT") else HeldKernel)
    app.keys_aside = set_keys_aside(os.environ)
    app.initialize()
    app.start()
