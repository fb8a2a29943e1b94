"""What the cells of one document have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgbook_format.syntax.lines import Escaper

LANGUAGE = "msgbook"
KERNELSPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": LANGUAGE}
LANGUAGE_INFO = {
    "name": LANGUAGE,
    "version": "1",
    "mimetype": "text/x-markdown",
    "file_extension": ".txt",
    "pygments_lexer": "markdown",
}
"""What the kernel says of its language, to the letter: JupyterLab takes a notebook that says
anything else for changed as soon as the kernel is there.

No `codemirror_mode`: JupyterLab then finds its Markdown mode by the MIME type. The extension is not
`.md`, or Jupytext's menu would take our files for its own.
"""


@dataclass(frozen=True, slots=True)
class Context:
    """Kernel and section of a document."""

    chat: bool
    """Whether its kernel is msgbook's, on which a code cell is a prompt."""
    language: str
    """Language of the kernel, the info string of its code."""
    escaper: Escaper

    @classmethod
    def of(cls, metadata: dict[str, Any], heading: str | None) -> Context:
        """The context of a notebook with `metadata`, its messages below `heading` if any."""
        kernelspec = _dict(metadata.get("kernelspec"))
        language_info = _dict(metadata.get("language_info"))
        language = language_info.get("name") or kernelspec.get("language")
        return cls(
            chat=is_chat(metadata),
            language=language if isinstance(language, str) else "python",
            escaper=Escaper.of(heading),
        )


def is_chat(metadata: dict[str, Any]) -> bool:
    """Whether a notebook's kernel is msgbook's, as its language says where no kernel is named."""
    kernelspec = metadata.get("kernelspec")
    if kernelspec is None:
        return _dict(metadata.get("language_info")).get("name") == LANGUAGE
    return _dict(kernelspec).get("name") == KERNELSPEC["name"]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
