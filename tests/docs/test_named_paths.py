"""The pages for developers: the files that they name exist, and their diagram is current."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCES = [
    ROOT / folder
    for folder in (
        ".",
        "kernel/msgbook",
        "jupytext_format",
        "jupytext_format/msgbook_format",
        "labextension/src",
    )
]
PAGES = ["architecture.md", "contributing.md"]
FILE = re.compile(r"\.?[\w-]+(/[\w.-]+)*(/|\.(py|ts|css|toml|json|md|sh))")
MODULE = re.compile(r"msgbook(_format)?(\.\w+)+")
NOT_IN_THE_REPOSITORY = (".msgbook/", ".agents/", "test-results/", "msgbook.toml")


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_folder_that_a_page_names_exists(page: str) -> None:
    spans = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", (ROOT / "docs" / page).read_text("utf-8"))
    paths = {span for span in spans if FILE.fullmatch(span)}
    modules = {span for span in spans if MODULE.fullmatch(span)} - paths
    ours = {path for path in paths if not path.startswith(NOT_IN_THE_REPOSITORY)}

    assert len(ours) > 5
    assert [path for path in sorted(ours) if not exists(path)] == []
    assert [module for module in sorted(modules) if not is_module(module)] == []


def exists(path: str) -> bool:
    return any((source / path).exists() for source in SOURCES)


def is_module(name: str) -> bool:
    path = name.replace(".", "/")
    return any(
        (ROOT / parent / f"{path}{end}").exists()
        for parent in ("kernel", "jupytext_format")
        for end in (".py", "")
    )


def test_every_page_and_section_that_the_code_names_exists() -> None:
    sources = [
        path.read_text("utf-8")
        for folder in ("kernel", "jupytext_format", "labextension/src")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".ts")
    ]
    named = re.findall(r'\bdocs/(\w+\.md)(?:, "(.+?)"|, section (\d))?', "".join(sources))

    assert len(named) > 20
    assert [
        (page, title or number)
        for page, title, number in named
        if not re.search(
            rf"^## {number}\." if number else rf"^#+ {title}", read_page(page), re.MULTILINE
        )
    ] == []


def read_page(name: str) -> str:
    page = ROOT / "docs" / name
    return page.read_text("utf-8") if page.exists() else ""


@pytest.mark.parametrize("package", ["msgbook", "msgbook_format"])
def test_the_layers_stand_on_the_page_in_their_order(package: str) -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(c["layers"] for c in tool["contracts"] if c.get("containers") == [package])
    section = (ROOT / "docs/architecture.md").read_text("utf-8").partition("## Layers\n")[2]
    listed = (
        section.partition(f"In `{package}`")[2].partition("\n\nIn `")[0].partition(" It never")[0]
    )
    lines = re.split(r"\n\d\. |, then |;", listed)

    assert [names for line in lines if (names := set(re.findall(r"`(\w+)`", line)))] == [
        set(re.findall(r"\w+", layer)) for layer in layers
    ]


def test_every_folder_of_the_conversation_is_in_the_table_of_folders() -> None:
    table = read_page("architecture.md").partition("## The folders\n")[2].partition("\n## ")[0]
    package = ROOT / "kernel" / "msgbook"
    folders = [path.parent.relative_to(package) for path in package.glob("*/**/__init__.py")]

    assert len(folders) > 20
    assert [str(path) for path in sorted(folders) if f"`{path}/`" not in table] == []


def test_the_diagram_of_imports_is_current() -> None:
    """`python scripts/draw_imports.py` draws it again."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    script = runpy.run_path(str(ROOT / "scripts" / "draw_imports.py"))

    assert script["with_diagram"](page) == page
