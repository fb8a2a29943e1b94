"""Facts on which the form of all cells of one document depends: its kernel and message section."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from msgbook_format.metadata import as_dict
from msgbook_format.syntax.lines import Escaper

LANGUAGE = "msgbook"
MSG_MAGIC = "%%msg"
"""Begins a line of attributes at the top of a prompt; the only magic that makes no code."""
PYTHON_LINE = "%%python\n"
"""First line of Python code on the msgbook kernel; code without it is IPython's."""
KERNELSPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": LANGUAGE}
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

_SHELL_COMMAND = re.compile(
    r"""\s*+!(?!
        \[ (?: [^\[\]\\\r\n] | \\[^\r\n] | \[ [^\[\]\r\n]*+ \] )*+ \]\(  # ![alt](
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Kernel and message section of a document."""

    has_prompts: bool
    """True if the kernel is msgbook's, on which a code cell is a prompt."""
    language: str
    """Language of the kernel, which is the info string of its code."""
    escaper: Escaper

    @classmethod
    def from_metadata(cls, metadata: dict[str, Any], heading: str | None) -> Dialect:
        """Return the dialect of a notebook whose messages, if `heading` is set, are below it."""
        kernelspec = as_dict(metadata.get("kernelspec"))
        language_info = as_dict(metadata.get("language_info"))
        language = language_info.get("name") or kernelspec.get("language")
        return cls(
            has_prompts=has_msgbook_kernel(metadata),
            language=language if isinstance(language, str) else "python",
            escaper=Escaper.for_document(heading),
        )

    def language_of(self, source: str) -> str:
        """Return the language of the source of a `[code]` cell."""
        if self.has_prompts:
            return "python" if source.startswith(PYTHON_LINE) else "ipython"
        return self.language


def is_shell_command(source: str) -> bool:
    """Return whether the first non-blank line of a source is a `!` command.

    A Markdown image, `![text](`, is none: no shell accepts an unquoted `](`.
    """
    return bool(_SHELL_COMMAND.match(source))


def has_msgbook_kernel(metadata: dict[str, Any]) -> bool:
    """Return whether a notebook's kernel is msgbook's; without a kernelspec its language decides."""
    kernelspec = metadata.get("kernelspec")
    if kernelspec is None:
        return as_dict(metadata.get("language_info")).get("name") == LANGUAGE
    return as_dict(kernelspec).get("name") == KERNELSPEC["name"]
