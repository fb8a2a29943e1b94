"""What a code cell is, a message or code, by its source and the notebook's kernel. Pure.

Nothing else decides it: the kernels, the history, the file, the commands and the checks ask here, and the
page's `cellFacts.ts` is held to the same table (`tests/format/syntax/fixtures/cell_rule.json`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from msgbook_format.syntax.kernels import CHAT_KERNEL, CODE_FIRST_KERNEL, LANGUAGE
from msgbook_format.typed import as_dict

MSG_MAGIC = "%%msg"
"""Begins a line of attributes at the top of a message; the only magic that makes no code."""
CONTINUE_MAGIC = "%continue"
"""A message that asks for the rest of the answer above; alone in its cell."""

_MSG_LINE = re.compile(rf"\s*{MSG_MAGIC}(?!\S)")
_CONTINUE_LINE = re.compile(rf"\s*{CONTINUE_MAGIC}(?!\S)")
"""Whatever follows: a run says that the magic has to stand alone."""
_BARE_LINE = f"{MSG_MAGIC}\n"
_MAGIC_NAME = re.compile(r"%{1,2}[A-Za-z_][\w.]*")
_CELL_MAGIC = re.compile(r"((%%[A-Za-z_][\w.]*)\S*)")
"""First word of a cell magic, in two groups: the word, since a language can have any name (`%%c++`),
and the part of it that a magic's name can have."""
_SHELL_COMMAND = re.compile(
    r"""\s*+!(?!
        \[ (?: [^\[\]\\\r\n] | \\[^\r\n] | \[ [^\[\]\r\n]*+ \] )*+ \]\(  # ![alt](
    )""",
    re.VERBOSE,
)

IsMagic = Callable[[str], bool]
"""Returns whether a name with its percent signs (`%time`, `%%bash`) is a magic that would run."""


class CellRule(Protocol):
    """Tells the messages among the code cells of a notebook."""

    def is_message(self, source: str) -> bool:
        """Return whether a code cell goes to a model."""

    def as_message(self, text: str) -> str:
        """Return the source of a message with this text, whatever it begins with."""

    def missing_magic(self, source: str) -> str | None:
        """Return the name (`%%sql`) if a cell begins with a cell magic that nothing here can run."""

    def read_body(self, body: str) -> str:
        """Return the source of a message for the body of its cell in a text."""

    def write_body(self, source: str) -> str:
        """Return the body for the source of a message; `read_body` returns the source again."""


def any_magic(name: str) -> bool:
    """Return whether the file format takes a name for a magic: any name but `%%msg`."""
    return name != MSG_MAGIC


@dataclass(frozen=True, slots=True)
class ChatCells:
    """On the chat's kernel a cell is a message, unless it begins with a magic or `!`.

    A cell is code if and only if its first non-blank line is a shell command, or starts with `%%name`
    other than `%%msg` or with a registered `%name`. After two percent signs code is meant, even if
    nothing here can run it.
    """

    is_magic: IsMagic = any_magic
    """Its answer may change while a notebook runs; without a kernel every name counts."""

    def is_message(self, source: str) -> bool:
        text = source.lstrip()
        if not text.startswith(("%", "!")):
            return True
        if is_shell_command(text):
            return False
        magic = _MAGIC_NAME.match(text)
        if magic is None or _CONTINUE_LINE.match(text):
            return True
        if self.missing_magic(text) is not None:
            return False
        return magic[0] == MSG_MAGIC or not self.is_magic(magic[0])

    def as_message(self, text: str) -> str:
        is_special = _is_marked(text) or text.lstrip().startswith("\\")
        return text if self.is_message(text) and not is_special else f"\\{text}"

    def missing_magic(self, source: str) -> str | None:
        magic = _CELL_MAGIC.match(source.lstrip())
        if magic is None or magic[1] == MSG_MAGIC or self.is_magic(magic[2]):
            return None
        return magic[1]

    def read_body(self, body: str) -> str:
        return body

    def write_body(self, source: str) -> str:
        return source


@dataclass(frozen=True, slots=True)
class CodeFirstCells:
    """On the kernel `Python + Chat` a cell is Python, unless it begins with `%%msg` or `%continue`."""

    def is_message(self, source: str) -> bool:
        return _is_marked(source)

    def as_message(self, text: str) -> str:
        return _BARE_LINE + text

    def missing_magic(self, source: str) -> str | None:
        return None  # IPython says what is missing

    def read_body(self, body: str) -> str:
        return body if self.is_message(body) else _BARE_LINE + body

    def write_body(self, source: str) -> str:
        body = source.removeprefix(_BARE_LINE)
        return body if self.read_body(body) == source else source


@dataclass(frozen=True, slots=True)
class OtherCells:
    """On a kernel of others every cell is code."""

    def is_message(self, source: str) -> bool:
        return False

    def as_message(self, text: str) -> str:
        return text

    def missing_magic(self, source: str) -> str | None:
        return None

    def read_body(self, body: str) -> str:
        return body

    def write_body(self, source: str) -> str:
        return source


CHAT_CELLS = ChatCells()
CODE_FIRST_CELLS = CodeFirstCells()
OTHER_CELLS = OtherCells()


def rule_of_kernel(name: Any) -> CellRule:
    """Return the rule of a kernelspec's name.

    `msgbook kernel install` makes kernels for other environments; their names begin with one of ours.
    """
    for kernel, rule in ((CODE_FIRST_KERNEL, CODE_FIRST_CELLS), (CHAT_KERNEL, CHAT_CELLS)):
        if name == kernel or (isinstance(name, str) and name.startswith(f"{kernel}-")):
            return rule
    return OTHER_CELLS


def rule_of(metadata: Mapping[str, Any]) -> CellRule:
    """Return the rule of a notebook; without a kernelspec its language decides."""
    kernelspec = metadata.get("kernelspec")
    if kernelspec is not None:
        return rule_of_kernel(as_dict(kernelspec).get("name"))
    language = as_dict(metadata.get("language_info")).get("name")
    return CHAT_CELLS if language == LANGUAGE else OTHER_CELLS


def is_shell_command(source: str) -> bool:
    """Return whether the first non-blank line of a source is a `!` command.

    A Markdown image, `![text](`, is none: no shell accepts an unquoted `](`.
    """
    return bool(_SHELL_COMMAND.match(source))


def _is_marked(source: str) -> bool:
    return bool(_MSG_LINE.match(source) or _CONTINUE_LINE.match(source))


def is_continue(source: str) -> bool:
    """Return whether a cell asks for the rest of the answer above."""
    return source.strip() == CONTINUE_MAGIC
