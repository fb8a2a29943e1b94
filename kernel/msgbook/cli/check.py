"""`msgbook check FILE...`: what in message files is probably not meant so."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.cli.terminal import complain, line_of, say
from msgbook.cli.usage_errors import require_text
from msgbook.errors import MsgbookError, describe_file_error

if TYPE_CHECKING:
    from msgbook_format.checks import Finding


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "check",
        help="say what in message files is probably not meant so",
        description="Print FILE:LINE: CODE message for each finding in text files. Exit code: 0 "
        "without findings, 1 with some, 2 when a file cannot be read or is a notebook in JSON.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument(
        "--json", action="store_true", help="print one list of all findings as JSON"
    )
    parser.add_argument(
        "--fix", action="store_true", help="mend what is safe to mend, and print what is left"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from msgbook_format.garbage import paused

    with paused():
        return check_files(arguments.files, as_json=arguments.json, mend=arguments.fix)


def check_files(files: Sequence[str], *, as_json: bool, mend: bool) -> int:
    """Check files one by one; one that cannot be read or mended does not stop the others.

    Returns:
        0 without findings, 1 with some, 2 when a file could not be read or written.
    """
    from msgbook_format.errors import MessageFileError

    found: list[tuple[str, Finding]] = []
    failed = False
    for file in files:
        try:
            findings = _check_file(Path(file), mend)
        except (MsgbookError, MessageFileError, OSError, ValueError) as error:
            # Path names with NUL are a ValueError.
            complain("check", describe_file_error(file, error))
            failed = True
            continue
        found += [(file, finding) for finding in findings]
        if not as_json:
            for finding in findings:
                place = f"{line_of(file)}:{finding.line}"
                say(f"{place}: {finding.code} {line_of(finding.message)}")
    if as_json:
        say(json.dumps([_as_object(file, finding) for file, finding in found], indent=1))
    return 2 if failed else 1 if found else 0


def _check_file(path: Path, mend: bool) -> list[Finding]:
    from msgbook_format import checks
    from msgbook_format.files import Snapshot
    from msgbook_format.outputs import find_problem

    require_text(path)
    snapshot = Snapshot.read(path)
    text = snapshot.text
    look = partial(
        checks.check,
        output_file=partial(find_problem, path),
        agents=_agents_of(path.resolve().parent),
    )
    findings = look(text)
    if mend and any(finding.fixable for finding in findings):
        text = checks.fix(text)
        if text != snapshot.text:
            snapshot.replace(text)
            left = look(text)
            # What was hidden in an open fence may be found only now.
            mended = _fixable(findings) - _fixable(left)
            complain("check", f"{path}: {mended} of {len(findings)} mended")
            return left
    return findings


def _agents_of(folder: Path) -> frozenset[str] | None:
    """The agents that a folder's project and the user's settings define; None if unreadable."""
    from msgbook.agents import read_project
    from msgbook.approval import followed_project
    from msgbook.config import load_settings
    from msgbook.errors import ConfigError

    try:
        configured = load_settings().agents
    except ConfigError:
        return None
    return frozenset({*configured, *read_project(followed_project(folder), folder).agents})


def _fixable(findings: list[Finding]) -> int:
    return sum(finding.fixable for finding in findings)


def _as_object(file: str, finding: Finding) -> dict[str, Any]:
    return {
        "file": file,
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
        "fixable": finding.fixable,
    }
