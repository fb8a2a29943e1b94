"""The file of a cassette while it is recorded. Each line is written as soon as it is known."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgbook.cassette.reader import CassetteError, is_cassette
from msgbook.config import redact_json
from msgbook.errors import describe_file_error
from msgbook_format.files import create_file, require_no_link

PART = ".part"
"""Ends the name of a cassette until it is complete."""


class CassetteFile:
    """A new cassette. A former one of the same name stays until this one is complete.

    If a line cannot be written, such as on a full disk, no further one is: the run itself goes on.

    Args:
        path: The name of the complete cassette.
        secrets: Redacted from every line.

    Raises:
        CassetteError: Another file has the name, or no file can be written there.

    Attributes:
        problem: Why a line could not be written; empty if all were.
    """

    def __init__(self, path: Path, secrets: Sequence[str]) -> None:
        self.path = path
        self.part = path.with_name(path.name + PART)
        self.problem = ""
        self._secrets = tuple(secrets)
        try:
            for taken in (path, self.part):
                _require_own(taken)
            self.part.unlink(missing_ok=True)
            self._file = create_file(self.part)
        except (OSError, ValueError) as error:
            raise CassetteError(describe_file_error(path, error)) from error

    def write(self, line: dict[str, Any]) -> None:
        """Append a line."""
        self.write_raw(redact_json(line, self._secrets))

    def write_raw(self, line: dict[str, Any]) -> None:
        """Append a line that holds no secret."""
        try:
            data = json.dumps(line, ensure_ascii=False, separators=(", ", ": ")).encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            data = json.dumps(line, separators=(", ", ": ")).encode()
        self._append(data + b"\n")

    def _append(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self.problem:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self.problem = describe_file_error(self.part, error)

    def complete(self) -> None:
        """Give the cassette its name, in place of a former one. Only for one without a problem.

        Raises:
            CassetteError: It cannot be written.
        """
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            _require_own(self.path)
            self.part.replace(self.path)
        except OSError as error:
            raise CassetteError(describe_file_error(self.path, error)) from error

    def close(self) -> None:
        """Close the file. Without `complete`, it keeps its provisional name."""
        self._file.close()


def _require_own(path: Path) -> None:
    """Raise an error if a name is taken by a link, or by a file that is no cassette."""
    require_no_link(path)
    if os.path.lexists(path) and not is_cassette(path):
        raise CassetteError(
            f"{path} exists and is no cassette. Give another name, or remove the file first."
        )
