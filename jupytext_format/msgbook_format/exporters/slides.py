"""A conversation as slides: one page, a screen for each message and its answer.

nbconvert's own slides load reveal.js from a network. These are moved by keys, by scrolling or by a touch. The page
allows the one script that knows the keys, by its digest, and no other.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

from traitlets import default

from msgbook_format.exporters.html import MsgHTMLExporter


class MsgSlidesExporter(MsgHTMLExporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to slides that are safe to pass on."""

    export_from_notebook = "Chat (slides)"

    def _init_resources(self, resources: dict[str, Any] | None) -> dict[str, Any]:
        result = super()._init_resources(resources)
        environment = self.environment
        script, *_ = environment.loader.get_source(environment, "static/slides.js")
        result["msgbook_script"] = script
        return result

    def _policy(self, resources: dict[str, Any]) -> str:
        digest = b64encode(sha256(resources["msgbook_script"].encode()).digest()).decode()
        return (
            super()._policy(resources).replace("script-src 'none'", f"script-src 'sha256-{digest}'")
        )

    @default("file_extension")
    def _default_file_extension(self) -> str:
        return ".slides.html"

    @default("template_extension")
    def _default_template_extension(self) -> str:
        return ".html.j2"

    @default("template_name")
    def _default_template_name(self) -> str:
        return "msgslides"

    @default("extra_template_paths")
    def _default_template_paths(self) -> list[str]:
        # From here its template finds the one of the page, which it extends.
        return [str(Path(__file__).with_name("templates"))]
