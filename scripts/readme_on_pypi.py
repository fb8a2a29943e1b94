"""The README as PyPI shows it: with links and pictures of the tag, since PyPI has no other file of the repository.

A metadata hook of hatchling; pyproject.toml names it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE = re.compile(r"(!?)(\[[^\[\]]*\]\()(?![a-z]+:|#)([^()\s]+\))")


class ReadmeHook(MetadataHookInterface):
    """Hook that sets the field `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text("utf-8")
        repository, tag = metadata["urls"]["Source"], f"v{metadata['version']}"
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, repository, tag),
        }


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """Return Markdown whose relative links and pictures lead to a tag of a repository on GitHub."""

    def absolute(match: re.Match[str]) -> str:
        kind = "raw" if match[1] else "blob"
        return f"{match[1]}{match[2]}{repository}/{kind}/{tag}/{match[3]}"

    return _RELATIVE.sub(absolute, text)
