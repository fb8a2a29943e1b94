"""The fences of README and manual: each is run by the one test that is named for it, or is named with a reason."""

from __future__ import annotations

import ast
import re
import tomllib

from fences import (
    LEFT_OUT,
    PAGES,
    ROOT,
    RUN_BY,
    SHELLS,
    TESTS,
    Fence,
    read_fences,
    table,
)

TABLE = table()
NAMED = sorted({test for _, test in TABLE if "::" in test})


def test_each_fence_has_one_test_or_the_reason_why_it_has_none() -> None:
    assert [f"{fence.page}:{fence.line}" for fence, test in TABLE if not test] == []
    for page in PAGES:
        languages = [fence.language for fence in read_fences(page)]
        tests = RUN_BY.get(page, {})
        assert set(tests) == set(languages), page
        for language, named in tests.items():
            assert isinstance(named, str) or len(named) == languages.count(language), page


def test_what_the_table_names_is_a_test_or_a_reason() -> None:
    assert [
        test
        for _, test in TABLE
        if not re.fullmatch(r"(\w+/)*test_\w+\.py::test_\w+|not run: \w.*", test)
    ] == []
    assert RUN_BY.keys() <= PAGES.keys()


def test_each_test_of_the_table_exists_and_takes_its_fences_or_names_the_page() -> None:
    assert len(NAMED) > 50
    for test in NAMED:
        path, _, name = test.partition("::")
        source = (TESTS / path).read_text("utf-8")
        nodes = ast.walk(ast.parse(source))
        functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        pages = {fence.page for fence, by in TABLE if by == test}

        assert name in functions, test
        assert (
            takes_fences(functions, name)
            or f"::{name}" in source
            or all(f"docs/{page}" in source for page in pages)
        ), test


def takes_fences(functions: dict[str, ast.FunctionDef], name: str) -> bool:
    """Return whether a test takes its fences, itself or by a fixture of its module."""
    taken = [argument.arg for argument in functions[name].args.args]
    return "fences" in taken or any(takes_fences(functions, x) for x in taken if x in functions)


def test_each_fence_of_a_shell_has_commands_that_are_typed() -> None:
    typed = [fence for fence, test in TABLE if fence.language in SHELLS and "::" in test]

    assert [f"{fence.page}:{fence.line}" for fence in typed if not fence.commands] == []


def test_what_is_left_out_stands_on_a_page() -> None:
    shells = "".join(fence.body for fence, _ in TABLE if fence.language in SHELLS)

    assert [part for part in LEFT_OUT if part not in shells] == []


def test_each_target_of_make_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    shells = [fence.body for fence, _ in TABLE if fence.language in SHELLS]
    targets = set(re.findall(r"^make ([\w-]+)", "\n".join(shells), re.MULTILINE))

    assert targets
    assert [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_what_no_test_downloads_is_installed_by_make() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    shells = [fence.body for fence, _ in TABLE if fence.language in SHELLS]
    names = set(re.findall(r"^[^#\n]*pip install (jupyter[\w-]+)", "\n".join(shells), re.MULTILINE))

    assert len(names) > 1
    assert [name for name in names if not re.search(rf"\s{name}==", makefile)] == []


def test_each_part_that_a_page_installs_is_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pages = "".join(path.read_text("utf-8") for path in PAGES.values())
    named = ",".join(re.findall(r"pip install '(?:msgbook|\.)\[([\w,]+)\]'", pages)).split(",")

    assert {"dask", "mcp", "pdf"} <= set(named) <= project["optional-dependencies"].keys()


def test_a_page_that_types_an_id_says_that_readers_have_other_ids() -> None:
    sections = [
        (page, section)
        for page, path in PAGES.items()
        for section in re.split(r"^## ", path.read_text("utf-8"), flags=re.MULTILINE)
    ]
    typing = [
        (page, section)
        for page, section in sections
        if any(types_an_id(fence) for fence in read_fences(page, section))
    ]

    assert len(typing) > 1
    assert [page for page, section in typing if "Your ids differ" not in section] == []


def types_an_id(fence: Fence) -> bool:
    """Say whether a command of a fence names something that gets random digits where it is made."""
    lines = fence.body.splitlines() if fence.language in SHELLS else []
    typed = [line for line in lines if fence.language != "console" or line.startswith("$ ")]
    return re.search(r"\b[0-9a-f]{8}\b", "\n".join(typed)) is not None
