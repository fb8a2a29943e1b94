"""The table has every variable that the installed libraries read: a new release may read a new one."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from msgbook.network.variables import VARIABLES

NOT_USED = (
    "cli/",  # commands of their own
    "client/stdio.py",  # of mcp: passes variables on to a server's process, which msgbook starts itself
    "_transports/wsgi.py",  # its `environ` is that of a request
)
"""Where the libraries read variables in code that msgbook does not use."""

PROXIES = {"getproxies", "getproxies_environment"}
"""Functions of Python that read all variables of proxies."""


def sources(package: str) -> Iterator[tuple[str, ast.AST]]:
    spec = importlib.util.find_spec(package)
    assert spec
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0])
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        if any(word in text for word in ("environ", "getenv", *PROXIES)):
            yield path.relative_to(folder).as_posix(), ast.parse(text)


def reads(tree: ast.AST) -> Iterator[str | None]:
    """Yield the name of each variable that is read; None for one that is not a literal."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_environ(node.value):
            yield name_of(node.slice)
        elif isinstance(node, ast.Compare) and any(map(is_environ, node.comparators)):
            yield name_of(node.left)
        elif isinstance(node, ast.Call):
            function = node.func
            is_method = isinstance(function, ast.Attribute) and is_environ(function.value)
            is_getenv = getattr(function, "attr", getattr(function, "id", "")) in (
                "getenv",
                "getenvb",
            )
            if is_getenv or is_method:
                yield name_of(node.args[0]) if node.args else None
            if getattr(function, "attr", getattr(function, "id", "")) in PROXIES:
                yield from ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD")


def is_environ(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "environ") or (
        isinstance(node, ast.Name) and node.id == "environ"
    )


def name_of(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@pytest.mark.parametrize(
    "package",
    ["httpx2", "httpcore2", "httpx", "httpcore", "openai", "mcp", "mcp_types", "truststore"],
)
def test_each_variable_that_a_library_reads_is_in_the_table(package):
    found = {}
    for path, tree in sources(package):
        if not path.startswith(NOT_USED):
            found |= dict.fromkeys(reads(tree), path)

    assert {name: path for name, path in found.items() if name not in VARIABLES} == {}


def test_the_search_finds_what_is_known_to_be_read():
    def named(package: str) -> set[str | None]:
        return {name for _, tree in sources(package) for name in reads(tree)}

    assert {"HTTP_PROXY", "NO_PROXY"} <= named("httpx2")
    assert {"SSL_CERT_FILE", "SSL_CERT_DIR"} <= named("httpcore2")
    assert {"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_LOG", "AZURE_OPENAI_ENDPOINT"} <= named(
        "openai"
    )


def test_each_form_of_reading_is_found():
    text = (
        "os.environ['A']; os.environ.get('B'); os.getenv('C'); getenv('D'); 'E' in os.environ; environ.pop('F')\n"
        "_sdk._os.environ.get('G', ''); os.environ.get(name); dict(os.environ.items())"
    )

    assert [*reads(ast.parse(text))].count(None) == 2
    assert {name for name in reads(ast.parse(text)) if name} == {*"ABCDEFG"}
