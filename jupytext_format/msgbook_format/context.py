"""What the cells of one document have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgbook_format.body import Escaper

LANGUAGE = "msgbook"
KERNELSPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": LANGUAGE}
LANGUAGE_INFO = {"name": LANGUAGE, "mimetype": "text/x-markdown", "file_extension": ".txt"}


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
            chat=kernelspec.get("name") == KERNELSPEC["name"],
            language=language if isinstance(language, str) else "python",
            escaper=Escaper.of(heading),
        )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
