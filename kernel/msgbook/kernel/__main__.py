"""`python -m msgbook.kernel -f CONNECTION_FILE`: what the kernelspec starts.

The kernel starts when a notebook is opened, so nothing may be imported from the notebook's folder
until a cell of Python runs: the kernelspec sets `PYTHONSAFEPATH`.
"""

import os
import sys

_PR_SET_DUMPABLE = 4


def _leave_out_the_folder() -> None:
    """Take the folder off `sys.path` where it was started without the kernelspec."""
    if not sys.flags.safe_path:
        del sys.path[0]
    # Python that a cell starts is none of ours.
    os.environ.pop("PYTHONSAFEPATH", None)


def _hide_from_children() -> None:
    """Keep other processes of the user from reading this one's start environment (Linux).

    The key may stand there. Root can read it all the same.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _main() -> None:
    from ipykernel.kernelapp import IPKernelApp

    from msgbook.kernel.kernel import MsgKernel

    class KernelApp(IPKernelApp):  # type: ignore[misc]  # a base class without types
        def init_path(self) -> None:
            """`MsgKernel` does it, later."""

    app = KernelApp.instance(kernel_class=MsgKernel)
    # Prompts have no place in the history file that the user's IPython shares.
    app.config.HistoryManager.hist_file = ":memory:"
    app.initialize()
    app.start()


if __name__ == "__main__":
    _leave_out_the_folder()
    _hide_from_children()
    _main()
