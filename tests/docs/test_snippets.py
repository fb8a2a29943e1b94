"""The fences of README and manual: each is tested, and what cannot run here is named with the reason."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from msgbook.__main__ import VERBS, _parse
from msgbook.config import load_settings

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)(`{3,})(\w*)\n(.*?)^ *\2$", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

PROGRAMS = {
    "opens a browser": {"jupyter lab"},
    "waits for somebody who types": {"jupyter console"},
    "serves until it is stopped": {
        "jupyter kernelgateway",
        "gateway-env/bin/jupyter enterprisegateway",
    },
    "needs a graphics card": {"vllm serve"},
    "asks a server": {"curl"},
    "installs into the environment of the tests": {
        "python -m",
        "pip install",
        "playwright install",
    },
    "is not a dependency of the tests": {"pytest --nbmake", "pytest --nbval-lax"},
    "changes the environment of a shell": {"export", "source", ".", "cd", "mkdir", "echo"},
    "is a target of the Makefile: test_every_command_of_make_exists": {"make"},
    "is run by test_typed_commands.py or by the test of its page": {
        "jupytext",
        "papermill",
        "nbstripout",
        "jupyter execute",
        "jupyter nbconvert",
        "git",
    },
    "is a shell's, for what stands around it": {
        "cat",
        "cp",
        "grep",
        "ls",
        "mv",
        "printf",
        "rm",
        "sed",
        "touch",
    },
    "needs Docker": {"docker"},
}
"""Commands beside `msgbook`, by the reason for which they are not run here."""

SETTINGS_KEYS = {"model", "providers", "agents", "mcp_servers", "limits", "approval", "plugins"}


class Fence(NamedTuple):
    page: str
    language: str
    body: str


def fences(*languages: str) -> list[Fence]:
    found = []
    for page in PAGES:
        for indent, _, language, body in FENCE.findall(page.read_text("utf-8")):
            if language in languages:
                found.append(Fence(page.name, language, re.sub(f"^{indent}", "", body, flags=re.M)))
    return found


def commands() -> list[tuple[str, list[str]]]:
    """Return the commands of all pages, as words, without comments and what stands before a pipe."""
    found = []
    for fence in fences("sh", "bash", "console"):
        body = fence.body.replace("\\\n", " ")
        lines = body.splitlines()
        if fence.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in lines:
            for part in re.split(r" \|\|? (?=\w)", line):
                words = shlex.split(part, comments=True)
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    words.pop(0)
                if words[:1] == ["env"]:
                    words = words[5:]
                if words:
                    found.append((fence.page, words))
    return found


COMMANDS = commands()


@pytest.mark.parametrize(
    ("page", "words"),
    [one for one in COMMANDS if one[1][0] == "msgbook"],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_each_msgbook_command_is_one_that_the_command_takes(page: str, words: list[str]) -> None:
    until = next((i for i, word in enumerate(words) if word in (">", ">>", "<")), len(words))
    given = _parse(words[1:until])

    assert given.verb in {verb.name for verb in VERBS}
    if given.verb == "chat":
        assert given.file
        assert given.text or given.resume


def test_each_other_command_is_known_with_the_reason_why_it_is_not_run() -> None:
    known = [name.split() for names in PROGRAMS.values() for name in names]
    others = [(page, words) for page, words in COMMANDS if words[0] != "msgbook"]

    assert len(others) > 20
    assert [
        (page, " ".join(words))
        for page, words in others
        if not any(words[: len(name)] == name for name in known) and words[0] != "pytest"
    ] == []


def test_a_page_that_types_an_id_says_that_readers_have_other_ids() -> None:
    sections = [
        (page.name, section)
        for page in PAGES
        for section in re.split(r"^## ", page.read_text("utf-8"), flags=re.MULTILINE)
    ]
    typing = [(page, section) for page, section in sections if types_an_id(section)]

    assert len(typing) > 1
    assert [page for page, section in typing if "Your ids differ" not in section] == []


def types_an_id(section: str) -> bool:
    """Say whether a command of the section names something that gets random digits where it is made."""
    typed = [
        line
        for _, _, language, body in FENCE.findall(section)
        for line in body.splitlines()
        if language in ("sh", "bash") or (language == "console" and line.startswith("$ "))
    ]
    return re.search(r"\b[0-9a-f]{8}\b", "\n".join(typed)) is not None


@pytest.mark.parametrize("fence", fences("toml"), ids=lambda fence: fence.page)
def test_each_toml_is_read_and_each_of_settings_is_taken_without_a_warning(
    fence: Fence, tmp_path: Path
) -> None:
    table = tomllib.loads(fence.body)
    file = tmp_path / "msgbook.toml"
    file.write_text(fence.body)

    if table.keys() <= SETTINGS_KEYS:
        environment = {"MSGBOOK_CONFIG": str(file), "ISSUES_TOKEN": "t0ken-1"}
        if "openai" in table.get("providers", {}):
            environment["OPENAI_API_KEY"] = "sk-test-key"
        assert load_settings(environment).warnings == ()
    else:
        assert table.keys() & {"project", "formats", "build-system"}


@pytest.mark.parametrize("fence", fences("python"), ids=lambda fence: fence.page)
def test_each_python_compiles(fence: Fence) -> None:
    body = fence.body.removeprefix("%%python\n")

    with contextlib.suppress(SyntaxError):
        ast.parse(f"[{body}]")
        return
    ast.parse(body)


@pytest.mark.parametrize("fence", fences("json"), ids=lambda fence: fence.page)
def test_each_json_is_read(fence: Fence) -> None:
    assert json.loads(fence.body)
