"""`msgbook check FILE...`: finds likely mistakes in message files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgbook.cli.folders import list_outside_agents, require_text
from msgbook.cli.terminal import complain, line_of, say
from msgbook.errors import MsgbookError, describe_file_error
from msgbook_format.errors import MessageFileError
from msgbook_format.extras import checks
from msgbook_format.files import Snapshot
from msgbook_format.finding import Finding
from msgbook_format.garbage import paused
from msgbook_format.outputs import find_problem


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    with paused():
        return check_files(arguments.files, as_json=arguments.json, fix=arguments.fix)


def check_files(files: Sequence[str], *, as_json: bool, fix: bool) -> int:
    """Check files one by one. A file that cannot be read or fixed does not stop the others.

    Args:
        as_json: Print all findings as one list in JSON.
        fix: Fix what is safe to fix, and report what remains.

    Returns:
        0 without findings, 1 with findings, 2 if a file could not be read or written.
    """
    found: list[tuple[str, Finding]] = []
    failed = False
    for file in files:
        try:
            findings = _check_file(Path(file), fix=fix)
        except (MsgbookError, MessageFileError, OSError, ValueError) as error:
            # A path with NUL raises ValueError.
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


def _check_file(path: Path, *, fix: bool) -> list[Finding]:
    require_text(path)
    snapshot = Snapshot.read(path)
    text = snapshot.text
    look = partial(
        checks.check,
        output_file=partial(find_problem, path),
        agents=list_outside_agents(path.resolve().parent),
    )
    findings = look(text)
    if fix and any(finding.fixable for finding in findings):
        text = checks.fix(text)
        if text != snapshot.text:
            snapshot.replace(text)
            left = look(text)
            # Some findings were hidden in an open fence.
            fixed = _fixable(findings) - _fixable(left)
            complain("check", f"{path}: fixed {fixed} of {len(findings)} findings")
            return left
    return findings


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
