"""Files are written by one module, which follows no link that nobody asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WRITING = "jupytext_format/msgbook_format/files/writing.py"

EXCEPTIONS = {
    WRITING: "it is the one that writes",
    "kernel/msgbook/tools/files/writing.py": "the tools: an approved place, held open by descriptors, in the file's own encoding",
    "kernel/msgbook/tools/files/serve.py": "its standard output, no file",
    "kernel/msgbook/kernel/__main__.py": "its standard error, no file",
    "kernel/msgbook/tools/supervise.py": "the null device",
    "kernel/msgbook/__main__.py": "the null device",
    "kernel/msgbook/approval/store.py": "a lock without content, in Jupyter's data directory",
    "jupytext_format/msgbook_format/agent_states/running.py": "locks, in Jupyter's runtime directory",
    "kernel/msgbook/kernel/page/kept_turns.py": "locks, and names of its own folders, in Jupyter's data directory",
    "kernel/msgbook/cli/kernel.py": "a kernelspec in a temporary folder of its own, from which Jupyter installs it",
    "kernel/msgbook/extras/cassettes/reader.py": "gives a complete cassette its name",
}
"""Modules that open, make or rename files by themselves, and why."""

_ALWAYS = {
    "write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "copyfile", "copy2", "copytree", "move",
    "mkstemp", "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile", "rename", "renames", "link", "symlink",
    "mkfifo", "mknod", "truncate",
}  # fmt: skip
_READ_FLAGS = {
    "O_RDONLY",
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_CLOEXEC",
    "O_NONBLOCK",
    "O_BINARY",
    "O_PATH",
    "O_NOCTTY",
}


def modules() -> list[Path]:
    return sorted(
        path
        for folder in ("kernel", "jupytext_format")
        for path in (ROOT / folder).rglob("*.py")
        if "node_modules" not in path.parts
    )


def writes(source: str) -> Iterator[int]:
    """Yield the lines of a module that write, make or rename a file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in ("O_WRONLY", "O_RDWR", "O_CREAT"):
            yield node.lineno
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        owner = getattr(getattr(function, "value", None), "id", "")
        plain = [*node.args, *(word.value for word in node.keywords if word.arg == "mode")]
        modes = [
            one.value
            for one in plain
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        is_method = isinstance(function, ast.Attribute)
        if (
            (name in _ALWAYS and is_method and owner not in ("stream", "self"))
            # A path has one argument, a text two, a time only keywords. A `Snapshot` writes by `replace_bytes`.
            or (
                name == "replace"
                and is_method
                and (
                    owner == "os"
                    or (owner != "snapshot" and len(node.args) == 1 and not node.keywords)
                )
            )
            or (
                name in ("open", "fdopen", "ZipFile", "TarFile")
                and any(mode_writes(mode) for mode in modes)
            )
        ):
            yield node.lineno


def mode_writes(mode: str) -> bool:
    return 0 < len(mode) <= 4 and set(mode) <= set("rwxabt+") and bool(set(mode) & set("wxa+"))


@pytest.mark.parametrize("module", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_other_module_writes_files_by_itself(module):
    name = module.relative_to(ROOT).as_posix()

    found = [*writes(module.read_text("utf-8"))]

    assert bool(found) == (name in EXCEPTIONS), (name, found)


@pytest.mark.parametrize(
    "source",
    [
        "open(path, 'w')", "open(path, mode='ab')", "path.open('x')", "path.open('r+')", "os.open(path, os.O_CREAT)",
        "os.fdopen(1, 'wb')", "path.write_text('')", "path.write_bytes(b'')", "path.replace(other)", "os.replace(a, b)",
        "path.rename(other)", "os.link(a, b)", "path.touch()", "tempfile.mkstemp()", "shutil.copyfile(a, b)",
        "zipfile.ZipFile(path, 'w')",
    ],
)  # fmt: skip
def test_each_way_to_write_is_found(source):
    assert [*writes(source)]


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        "path.open('rb')",
        "text.replace('a', 'b')",
        "time.replace(hour=1)",
        "shelf.open('wait')",
    ],
)
def test_what_writes_nothing_is_not_found(source):
    assert not [*writes(source)]
