"""The verbs of the command: what they print, write and return."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from doctor_answers import CALLS, NUMBERS
from format.test_conformance import SUITE
from other_programs import MESSAGES, archive, chatgpt, claude, jupyter_ai
from scripted_server import Answer, error, text
from streamed_turns import CASSETTE

from msgbook.__main__ import VERBS, main
from msgbook.config import ProviderSettings
from msgbook.provider import OpenAIProvider
from msgbook.server_checks.asking import Asker
from msgbook.server_checks.server import ServerChecks

from .chats import AGENTS, HISTORY, REFERRED, RULES, cells
from .world import CountedIds, Record, World, inside

TOUR = (SUITE.parent / "fixtures" / "tour.msg.md").read_bytes()
CONTEXT = (SUITE.parent / "agent_context" / "fixtures" / "tools_and_macros.mtm").read_bytes()
DEMO = {path.name: path.read_bytes() for path in CASSETTE.parent.glob("demo.*")}
CHATS = {
    "team.msg.md": cells(
        "Hi", frontmatter="jupyter:\n  msgbook:\n    agent_metadata: {uuid: u, name: Lead}\n"
    )
}
WRONG = "#%%\n\n# %% [^a]\n\n[^a]: [markdown] histroy=exclude\n\nHi\n\n# %% [^a]\n\nAgain\n"
FILES: Mapping[str, str | bytes] = {
    "chat.msg.md": HISTORY,
    "agents.msg.md": cells("Hi", "Again", frontmatter=AGENTS),
    "tour.msg.md": TOUR,
    "wrong.msg.md": WRONG,
    "bytes.msg.md": b"# %%\n\n\xff\n",
    "empty.msg.md": "",
    "notes.md": "# Notes\n",
    "talk.mtm": CONTEXT,
    "broken.ipynb": "{",
    "python.ipynb": '{"cells": [], "metadata": {"kernelspec": {"name": "python3", "display_name": "P"}}, "nbformat": 4, "nbformat_minor": 5}',
    **RULES,
    **REFERRED,
}


@dataclass(frozen=True)
class Commands:
    """Command lines, in order, in one folder."""

    lines: Sequence[str]
    answers: Sequence[Answer] = (text("Yes."),)
    files: Mapping[str, str | bytes] | None = field(default_factory=dict)
    """Beside those that each folder has; None for a folder as it is."""
    shown: Sequence[str] = ()
    """Patterns of files whose content is recorded in the end."""


def run_commands(commands: Commands, world: World) -> Record:
    """Type commands one after the other."""
    world.configure()
    if commands.files is not None:
        world.write({**FILES, **commands.files})
    world.server.answers = list(commands.answers)
    record = Record()
    with inside(world.folder):
        for line in commands.lines:
            record.add(f"msgbook {line}", _run(line.split(), world))
        for path in sorted(path for one in commands.shown for path in Path().glob(one)):
            record.add(path.as_posix(), path.read_text("utf-8"))
    return record


def _run(argv: Sequence[str], world: World) -> str:
    world.output()
    try:
        code: object = main(argv)
    except SystemExit as end:
        code = end.code
    return f"{world.output()}--- exit code {code}"


def run_folder(world: World) -> Record:
    """A run of a folder, without the seconds at the ends of its lines."""
    files = {"one/a.msg.md": cells("Hi"), "one/b.msg.md": cells("[markdown] history=exclude\n\nx")}
    record = run_commands(Commands(["run one --jobs 1"], files=files), world)
    record.parts = ["\n".join(map(_untimed, record.parts[0].splitlines()))]
    return record


def _untimed(line: str) -> str:
    is_ours = line.startswith(("---", "==="))
    return line if is_ours else line.removesuffix(" s").rpartition(" ")[0]


def agents(world: World) -> Record:
    """The conversations of a folder, none of which was changed today."""
    made = Commands(["fork chat.msg.md --at sum"], files={**CHATS, "one/chat.msg.md": cells("Hi")})
    run_commands(made, world)
    changed = datetime(2026, 1, 2, 3, 4).timestamp()
    for path in world.folder.rglob("*"):
        os.utime(path, (changed, changed))
    return run_commands(
        Commands(["agents", "agents --json", "agents one", "agents gone"], files=None), world
    )


def helps(world: World) -> Record:
    """The help of each verb."""
    return run_commands(
        Commands(["--help", *(f"{v.name} --help" for v in VERBS if v.name != "jupytext")]), world
    )


def doctor(world: World) -> Record:
    """What the checks of a server find; the rest of what the doctor says is of the machine."""
    record = Record()
    for name, answers in {
        "well": [text(NUMBERS), CALLS],
        "a wrong key": [error(401, "Incorrect API key provided.")],
        "no tools": [text(NUMBERS), text("Five.")],
        "an unknown model": [error(404, "The model `m` does not exist")],
    }.items():
        world.server.reset()
        world.server.answers = answers
        record.add(name, asyncio.run(_check_server(world.server.url)))
    return record


async def _check_server(url: str) -> list[dict[str, str]]:
    provider = OpenAIProvider(ProviderSettings("openai", url), ids=CountedIds())
    asker = Asker(provider, seconds=30, usage={}, clock=lambda: 0.0)
    try:
        found = [dataclasses.asdict(one) async for one in ServerChecks(asker, "m").run()]
    finally:
        await asker.close()
    return found


def git_setup(world: World) -> Record:
    """What git is told of message files."""
    subprocess.run(["git", "init", "-q", str(world.folder)], check=True)
    made = Commands(["git-setup", "git-setup"], shown=[".git/info/attributes"])
    record = run_commands(made, world)
    record.parts += run_commands(Commands(["git-setup --remove"]), world).parts
    record.parts = [part.replace(sys.executable, "python") for part in record.parts]
    return record


IMPORTS = {
    "chatgpt.json": json.dumps([chatgpt()]),
    "claude.json": json.dumps([claude()]),
    "ai.chat": json.dumps(jupyter_ai()),
    "messages.json": json.dumps(MESSAGES),
    "archive.zip": archive({"conversations.json": [chatgpt("One"), chatgpt("Two")]}),
    "nothing.json": "{}",
}

COMMANDS = {
    "list": Commands([f"list {name}" for name in FILES if "/" not in name] + ["list chat.msg.md/agent", "list agents.msg.md/agent", "list chat.msg.md/sum", "list chat.msg.md/gone", "list gone.msg.md"]),
    "check": Commands(["check chat.msg.md tour.msg.md", "check wrong.msg.md", "check --json wrong.msg.md", "check --fix wrong.msg.md", "check bytes.msg.md", "check gone.msg.md broken.ipynb"], shown=["wrong.msg.md"]),
    "preview": Commands(["preview chat.msg.md", "preview agents.msg.md --json", "preview chat.msg.md --cell sum --run", "preview chat.msg.md --cell gone", "preview empty.msg.md", "preview python.ipynb", "preview notes.md"]),
    "fork": Commands(["fork chat.msg.md --at sum", "fork chat.msg.md --at sum", "fork chat.msg.md --at gone", "fork tour.msg.md --at sum --output x.txt"], shown=["chat-fork.msg.md"]),
    "convert": Commands(["convert chat.msg.md chat.ipynb", "convert chat.msg.md chat.ipynb", "convert talk.mtm talk.msg.md", "convert talk.msg.md back.mtm", "convert tour.msg.md --to openai-messages", "convert chat.msg.md m.json --to openai-messages", "convert chat.msg.md --to openai-jsonl --system-prompt Hi", "convert broken.ipynb x.msg.md", "convert python.ipynb x.msg.md", "convert chat.msg.md x.txt"], shown=["chat.ipynb", "talk.msg.md", "back.mtm", "m.json"]),
    "import": Commands([f"convert {name} --out out-{n}" for n, name in enumerate(IMPORTS)], files=IMPORTS, shown=["out-*/*"]),
    "export": Commands(["export chat.msg.md --to markdown", "export chat.msg.md --to markdown", "export chat.msg.md --to markdown --force --no-reasoning --no-tools --excluded --system", "export gone.msg.md", "export notes.md"], shown=["chat.md"]),
    "set-default": Commands(["set-default agents.msg.md exact", "set-default agents.msg.md gone", "set-default chat.msg.md any", "set-default notes.md any"], shown=["agents.msg.md", "chat.msg.md"]),
    "trust": Commands(["trust .", "trust . --revoke", "trust gone"], files={".msgbook/config.toml": 'model = "m"\n'}),
    "run": Commands(["run agents.msg.md", "run agents.msg.md", "run agents.msg.md --from c1", "run chat.msg.md --from gone", "run notes.md", "run gone.msg.md", "run python.ipynb", "run bytes.msg.md", "run agents.msg.md --jobs 2", "run agents.msg.md --model a", "run agents.msg.md --replay x --all"]),
    "run-failing": Commands(["run agents.msg.md"], answers=[error(401, "Incorrect API key provided.")]),
    "chat": Commands(["chat new.msg.md Hello", "chat new.msg.md Hello", "chat new.msg.md Again --continue", "chat new.msg.md --resume", "chat notes.md Hello", "chat notes.md Hello --force", "chat agents.msg.md x --continue --agent gone", "chat x.txt Hello", "chat new.msg.md"]),
    "replay": Commands(["run demo.msg.md --replay demo.cassette.jsonl", "run demo.msg.md --replay gone"], files=DEMO, shown=["demo.msg.md"]),
    "chat-cut-short": Commands(["chat new.msg.md Hello"], answers=[error(400, "No.")]),
    "usage": Commands(["", "nothing", "--nothing", "doctor --timeout soon", "list", "check", "fork chat.msg.md", "export chat.msg.md --to word", "run", "run chat.msg.md --all --from c0"]),
}  # fmt: skip

ARGPARSE = ("help", "usage")
"""Scenarios whose words are argparse's, which differ between versions of Python."""

SCENARIOS = {
    **{name: partial(run_commands, commands) for name, commands in COMMANDS.items()},
    "help": helps,
    "run-folder": run_folder,
    "doctor": doctor,
    "agents": agents,
    "git-setup": git_setup,
}
