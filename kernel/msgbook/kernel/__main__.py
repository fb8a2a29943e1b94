"""`python -m msgbook.kernel -f CONNECTION_FILE`: what the kernelspec starts."""

import sys

from ipykernel.kernelapp import IPKernelApp

from msgbook.kernel.kernel import MsgKernel

_PR_SET_DUMPABLE = 4


def _hide_from_children() -> None:
    """Keep other processes of the user from reading this one's start environment (Linux).

    The key may stand there. Root can read it all the same.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


if __name__ == "__main__":
    _hide_from_children()
    app = IPKernelApp.instance(kernel_class=MsgKernel)
    # Prompts have no place in the history file that the user's IPython shares.
    app.config.HistoryManager.hist_file = ":memory:"
    app.initialize()
    app.start()
