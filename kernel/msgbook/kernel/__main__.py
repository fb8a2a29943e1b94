"""`python -m msgbook.kernel -f CONNECTION_FILE`: what the kernelspec starts.

The kernel starts when a notebook is opened, so nothing may be imported from the notebook's folder
until a cell of Python runs: the kernelspec sets `PYTHONSAFEPATH`.
"""

import os
import sys


def _leave_out_the_folder() -> None:
    """Take the folder off `sys.path` where it was started without the kernelspec."""
    if not sys.flags.safe_path:
        del sys.path[0]
    # Python that a cell starts is none of ours.
    os.environ.pop("PYTHONSAFEPATH", None)


def _main() -> None:
    from ipykernel.kernelapp import IPKernelApp

    from msgbook.host import hide_from_children
    from msgbook.kernel.code_outputs import ListeningSession
    from msgbook.kernel.gateway import enter_folder
    from msgbook.kernel.msg_kernel import MsgKernel

    hide_from_children()
    enter_folder(os.environ)

    class KernelApp(IPKernelApp):  # type: ignore[misc]  # a base class without types
        def init_path(self) -> None:
            """`MsgKernel` does it, later."""

        def _session_default(self) -> ListeningSession:
            return ListeningSession(parent=self)

        def start(self) -> None:
            super().start()
            # The control channel has just handled what ended the loop, and flushes the output.
            # Where Python, at its exit, ends the output channel meanwhile, that waits for ever.
            if self.control_thread and self.control_thread.is_alive():
                self.control_thread.stop()
                self.control_thread.join()

    app = KernelApp.instance(kernel_class=MsgKernel)
    # Prompts have no place in the history file that the user's IPython shares.
    app.config.HistoryManager.hist_file = ":memory:"
    app.initialize()
    app.start()


if __name__ == "__main__":
    _leave_out_the_folder()
    _main()
