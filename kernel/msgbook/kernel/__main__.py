"""`python -m msgbook.kernel -f CONNECTION_FILE`: what the kernelspec starts."""

from ipykernel.kernelapp import IPKernelApp

from msgbook.host import hide_from_children
from msgbook.kernel.kernel import MsgKernel

if __name__ == "__main__":
    hide_from_children()
    app = IPKernelApp.instance(kernel_class=MsgKernel)
    # Prompts have no place in the history file that the user's IPython shares.
    app.config.HistoryManager.hist_file = ":memory:"
    app.initialize()
    app.start()
