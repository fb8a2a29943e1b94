"""A cassette as it is read, checked line by line and sorted by lane, and its file while it is recorded."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.config import find_secrets, redact_json
from msgbook.errors import MsgbookError, describe_file_error
from msgbook.text import one_line, visible
from msgbook_format.files import create_file, read_regular, require_no_link

if TYPE_CHECKING:
    from msgbook.extras.cassettes.lines import (
        AnswerLine,
        CallLine,
        CellLine,
        DecisionLine,
        FailedLine,
        Head,
        LaneLine,
        McpLine,
        RequestLine,
        TurnLine,
    )


MOST_BYTES = 500_000_000
"""Bytes of a cassette. It is read as a whole, which takes several times its size in memory."""
LONGEST_LINE = 100_000_000
"""Bytes. Images are within lines."""

_HEAD = b'{"cassette"'
_LEAST = 6
"""Characters of a secret that is looked for: a shorter one may be a part of a word."""


class CassetteError(MsgbookError):
    """A cassette that cannot be read, written or replayed. The message names the file and its line."""


@dataclass(slots=True)
class Exchange:
    """A request, and what came back."""

    line: int
    request: RequestLine
    body: dict[str, Any] | None
    """None for a request without one."""
    answer: AnswerLine | FailedLine | None = None
    """None if the recording ended before the answer."""
    is_used: bool = False


@dataclass(slots=True)
class Lane:
    """The lines of one lane. A replay takes them from the left."""

    exchanges: list[Exchange] = field(default_factory=list)
    calls: deque[tuple[int, CallLine]] = field(default_factory=deque)
    decisions: deque[tuple[int, DecisionLine]] = field(default_factory=deque)
    ids: deque[tuple[int, str]] = field(default_factory=deque)
    turns: deque[tuple[int, TurnLine]] = field(default_factory=deque)


@dataclass(slots=True)
class Tape:
    """The lines of a cassette."""

    path: Path
    head: Head
    lanes: dict[str, Lane]
    cells: list[CellLine]
    offers: dict[str, McpLine]
    """Tools of MCP servers, by the server's name."""


def is_cassette(path: Path) -> bool:
    """Return whether a file is a cassette by its first bytes, or empty.

    Raises:
        OSError: It cannot be read.
    """
    data = read_regular(path, MOST_BYTES)
    return not data.strip() or data.lstrip().startswith(_HEAD)


def read_cassette(path: Path, secrets: Sequence[str] = ()) -> Tape:
    """Read a cassette.

    Args:
        secrets: The user's own keys, none of which a cassette may hold.

    Raises:
        CassetteError: It cannot be read or used; the message names the line.
    """
    try:
        data = read_regular(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        raise CassetteError(describe_file_error(path, error)) from error
    lines = _numbered(path, data)
    first = next(lines, None)
    if first is None:
        raise CassetteError(f"{path}: expected a cassette, found an empty file")
    head = _head(path, *first, secrets)
    reading = _Reading(path)
    for number, raw in lines:
        reading.add(number, _parsed(path, number, raw, secrets))
    return Tape(path, head, reading.lanes, reading.cells, reading.offers)


class _Reading:
    """The lines so far."""

    def __init__(self, path: Path) -> None:
        from msgbook.extras.cassettes.exchanges import BodyChain

        self.lanes: dict[str, Lane] = {}
        self.cells: list[CellLine] = []
        self.offers: dict[str, McpLine] = {}
        self._path = path
        self._exchanges: dict[int, Exchange] = {}
        self._new_chain = BodyChain
        self._chains: dict[str, BodyChain] = {}

    def add(self, number: int, found: dict[str, Any]) -> None:
        """Add a line.

        Raises:
            CassetteError: It is not of a known kind, or does not fit the lines before.
        """
        from msgbook.extras.cassettes import lines

        line = _checked(self._path, number, found)
        lane = self.lanes.setdefault(line.lane, Lane())
        match line:
            case lines.RequestLine():
                exchange = Exchange(number, line, self._body(number, line))
                self._exchanges[line.n] = exchange
                lane.exchanges.append(exchange)
            case lines.AnswerLine() | lines.FailedLine():
                self._answer(number, line)
            case lines.CallLine():
                lane.calls.append((number, line))
            case lines.DecisionLine():
                lane.decisions.append((number, line))
            case lines.IdsLine():
                lane.ids.extend((number, drawn) for drawn in line.ids)
            case lines.TurnLine():
                lane.turns.append((number, line))
            case lines.McpLine():
                self.offers[line.mcp] = line
            case lines.CellLine():
                self.cells.append(line)

    def _body(self, number: int, line: RequestLine) -> dict[str, Any] | None:
        request = line.request
        if request.sha256 is None:
            return None
        chain = self._chains.setdefault(line.lane, self._new_chain())
        try:
            return chain.unpack(request.model_dump(exclude_none=True))
        except ValueError as error:
            raise _unusable(self._path, number, f"the request was changed: {error}") from None

    def _answer(self, number: int, line: AnswerLine | FailedLine) -> None:
        exchange = self._exchanges.get(line.n)
        if exchange is None or exchange.answer is not None:
            raise _unusable(
                self._path, number, f"an answer to a request {line.n} that waits for none"
            )
        exchange.answer = line


def _numbered(path: Path, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    if data and not data.endswith(b"\n"):
        number = data.count(b"\n") + 1
        raise _unusable(path, number, "the file ends in the middle of the line")
    for number, raw in enumerate(data.split(b"\n"), 1):
        if len(raw) > LONGEST_LINE:
            raise _unusable(
                path, number, f"expected at most {LONGEST_LINE:,} bytes, found {len(raw):,}"
            )
        if raw.strip():
            yield number, raw


def _parsed(path: Path, number: int, raw: bytes, secrets: Sequence[str]) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _unusable(path, number, f"expected JSON: {error}") from None
    if not isinstance(found, dict):
        raise _unusable(path, number, "expected a JSON object")
    if _holds_secret(raw.decode("utf-8", "replace"), secrets):
        raise _unusable(
            path,
            number,
            "it holds one of your keys. Remove the key from the line, or record it again",
        )
    return found


def _holds_secret(text: str, secrets: Sequence[str]) -> bool:
    # A short one may be a part of a word.
    return bool(find_secrets(text, [secret for secret in secrets if len(secret) >= _LEAST]))


def _head(path: Path, number: int, raw: bytes, secrets: Sequence[str]) -> Head:
    from pydantic import ValidationError

    from msgbook.extras.cassettes.lines import VERSION, Head

    found = _parsed(path, number, raw, secrets)
    version = found.get("cassette")
    if not isinstance(version, int) or isinstance(version, bool):
        raise _unusable(path, number, 'expected the head of a cassette, {"cassette": 1, ...}')
    if version != VERSION:
        words = f"expected a cassette of version {VERSION}, found version {version}"
        raise _unusable(path, number, f"{words}: a later msgbook has recorded it")
    try:
        return Head.model_validate(found)
    except ValidationError as error:
        raise _unusable(path, number, _reason(error)) from None


def _checked(path: Path, number: int, found: dict[str, Any]) -> LaneLine:
    from pydantic import ValidationError

    from msgbook.extras.cassettes.lines import KINDS

    kind = next((kind for key, kind in KINDS.items() if key in found), None)
    if kind is None:
        known = ", ".join(KINDS)
        raise _unusable(path, number, f"expected an object with one of the keys {known}")
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        raise _unusable(path, number, _reason(error)) from None


def _reason(error: Any) -> str:
    """Return the first of pydantic's reasons in words."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}"


def _unusable(path: Path, number: int, words: str) -> CassetteError:
    return CassetteError(f"{path}, line {number}: {visible(one_line(words, 300))}.")


# The file of a cassette while it is recorded. Each line is written as soon as it is known.


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
    """Raise an error if a name is taken by a link, or by a file that is not a cassette."""
    require_no_link(path)
    if os.path.lexists(path) and not is_cassette(path):
        raise CassetteError(
            f"{path} is not a cassette. Give another name, or remove the file first."
        )
