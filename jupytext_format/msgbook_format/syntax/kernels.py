"""msgbook's two kernels, as notebooks name them. It imports nothing: kernels start with it."""

from __future__ import annotations

LANGUAGE = "msgbook"
CHAT_KERNEL = "msgbook"
CODE_FIRST_KERNEL = "msgbook-python"

KERNELSPEC = {"name": CHAT_KERNEL, "display_name": "Chat (msgbook)", "language": LANGUAGE}
CODE_FIRST_KERNELSPEC = {
    "name": CODE_FIRST_KERNEL,
    "display_name": "Python + Chat (msgbook)",
    "language": "python",
}
LANGUAGE_INFO = {
    "name": LANGUAGE,
    "version": "1",
    "mimetype": "text/x-markdown",
    "file_extension": ".txt",
    "pygments_lexer": "markdown",
}
"""Language information of the msgbook kernel, exactly as the kernel sends it: JupyterLab marks a
notebook that holds anything else as changed as soon as the kernel has started.

There is no `codemirror_mode`: in JupyterLab our extension gives each cell its language. The file
extension is not `.md`, because Jupytext's menu would then treat our files as its own.
"""
