"""A conversation as one HTML page that runs and loads nothing, or as slides.

The page has a Content-Security-Policy that allows no script and no address, on top of a notebook
whose every part is made harmless. Formulas are MathML, with a font in the page. Diagrams are shown as
their source; widgets and require.js are left out.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import IPython.lib.lexers  # noqa: F401  # nbconvert imports it when it colours the first code
from nbconvert.exporters.html import HTMLExporter
from traitlets import default

from msgbook_format.exporters.conversation import MsgExporter
from msgbook_format.exporters.harmless_notebook import build_harmless_notebook, contents_of
from msgbook_format.exporters.page_markdown import Texts, has_formulas, text_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbformat import NotebookNode


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_POLICY = (
    "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)


class MsgHTMLExporter(MsgExporter, HTMLExporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to an HTML page that is safe to pass on."""

    export_from_notebook = "Chat (HTML)"

    @cached_property
    def _texts(self) -> Texts:
        return Texts()

    @default("template_name")
    def _default_template_name(self) -> str:
        return "msghtml"

    @default("extra_template_basedirs")
    def _default_template_folders(self) -> list[str]:
        # nbconvert looks into the working directory, too. A template is code.
        return [str(Path(__file__).with_name("templates"))]

    @default("exclude_input_prompt")
    def _default_exclude_input_prompt(self) -> bool:
        return True

    @default("exclude_output_prompt")
    def _default_exclude_output_prompt(self) -> bool:
        return True

    def default_filters(self) -> Iterator[tuple[str, Any]]:
        yield from super().default_filters()  # type: ignore[no-untyped-call]  # nbconvert has no types
        # nbconvert's own mends links of an old server in quadratic time.
        yield "strip_files_prefix", lambda text: text
        yield "markdown2html", self._texts.html

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a notebook, which is not modified."""
        page, result = super().from_notebook_node(nb, resources, **kw)
        return (_finished(page) if isinstance(page, str) else page), result

    def _make_harmless(self, notebook: NotebookNode) -> NotebookNode:
        self._texts.clear()
        return build_harmless_notebook(notebook, self._texts.add)

    def _preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        notebook, resources = super()._preprocess(nb, resources)
        resources["msgbook_policy"] = self._policy(resources)
        resources["msgbook_contents"] = contents_of(notebook)
        return notebook, resources

    def _policy(self, resources: dict[str, Any]) -> str:
        return _POLICY

    def _init_resources(self, resources: dict[str, Any] | None) -> dict[str, Any]:
        result: dict[str, Any] = super()._init_resources(resources)  # type: ignore[no-untyped-call]  # nbconvert has no types
        result["should_not_encode_svg"] = False
        environment = self.environment
        theme, *_ = environment.loader.get_source(environment, "static/theme-dark.css")
        result["msgbook_dark_theme"] = theme
        return result


def markdown_to_html(text: str) -> str:
    """Return Markdown of anybody as HTML that runs and loads nothing, as in an exported page.

    Formulas are MathML. An image whose data are in the text is shown, any other is a link.
    """
    return text_html(text)


def _finished(page: str) -> str:
    return with_signs(without_surrogates(with_formula_font(page)))


def with_formula_font(page: str) -> str:
    """Return a page with a font for its formulas, if it has any; its policy has to allow `font-src data:`."""
    return page.replace("</head>", f"{font_style()}</head>", 1) if has_formulas(page) else page


def without_surrogates(page: str) -> str:
    """Return a page that can be encoded."""
    return _LONE_SURROGATE.sub("\ufffd", page)


# The font of formulas in an exported page: a part of STIX Two Math, which has no script and no address.
#
# `scripts/math_font.py` makes the file.


_FILE = Path(__file__).with_name("fonts") / "stix-two-math.woff2"


@lru_cache(maxsize=1)
def font_style() -> str:
    """Return a style sheet that holds the font and gives it to formulas."""
    data = b64encode(_FILE.read_bytes()).decode("ascii")
    return (
        "<style>@font-face { font-family: 'msgbook Math'; "
        f"src: url(data:font/woff2;base64,{data}) format('woff2'); }}\n"
        "math { font-family: 'msgbook Math', math; }</style>\n"
    )


# Signs of a page: drawings in place of the emoji of the derived Markdown, which not every system can show.


_NAMES = {
    "💭": "thought",
    "🔧": "call",
    "📝": "result",
    "⚠": "warning",
    "ℹ": "info",
    "❌": "error",
    "❔": "unknown",
    "⏳": "running",
    "✅": "done",
    "⏹": "stopped",
    "⏸": "waiting",
    "🗑": "deleted",
}
_WORDS = {"warning": "Warning", "info": "Note", "error": "Error"}
"""Names of the signs that no word beside them repeats."""
_MARKED = re.compile(rf"(<summary>|<blockquote>\s*<p>|<li>(?:\s*<p>)?)({'|'.join(_NAMES)})\ufe0f? ")


def with_signs(page: str) -> str:
    """Return a page with signs, which its style sheet draws, where the Markdown of a turn has emoji."""
    return _MARKED.sub(_sign, page)


def _sign(match: re.Match[str]) -> str:
    name = _NAMES[match[2]]
    label = f' role="img" aria-label="{_WORDS[name]}"' if name in _WORDS else ""
    return f'{match[1]}<span class="msg-Sign msg-Sign-{name}"{label}></span>'


# A conversation as slides: one page, a screen for each message and its answer.
#
# nbconvert's own slides load reveal.js from a network. These are moved by keys, by scrolling or by a touch. The page
# allows the one script that knows the keys, by its digest, and no other.


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
