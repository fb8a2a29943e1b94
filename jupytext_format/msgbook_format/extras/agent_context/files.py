"""Files with an AgentContext: `.mtm` and `.mutsumi-notebook` (seed 000)."""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgbook_format import jsontext
from msgbook_format.agents import new_agent_metadata
from msgbook_format.errors import MessageFileError
from msgbook_format.extras.agent_context.content import BrokenContextError, as_page, require_context
from msgbook_format.extras.agent_context.conversion import context_from, notebook_from

# The bytes of a file with an AgentContext: JSON in UTF-8, indented by two spaces.


_BOM = b"\xef\xbb\xbf"


def load_context(data: bytes) -> dict[str, Any]:
    """Return the AgentContext in a file's bytes.

    Raises:
        BrokenContextError: There is none.
    """
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data.removeprefix(_BOM)[error.start]
        raise BrokenContextError(
            f"expected UTF-8 text, found byte 0x{byte:02x} at offset {error.start}"
        ) from None
    if jsontext.is_too_deep(text):
        raise BrokenContextError(
            f"expected JSON of at most {jsontext.MAX_DEPTH} levels, found more levels"
        )
    try:
        return require_context(_DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise BrokenContextError(
            f"expected JSON, found an error in line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except BrokenContextError:
        raise
    except (ValueError, RecursionError):
        # Python refuses to read integers of more than 4300 digits.
        raise BrokenContextError("expected JSON, found a number with too many digits") from None


def dump_context(context: dict[str, Any], present: bytes | None = None) -> bytes:
    """Return the bytes of a file with `context`.

    Args:
        present: Bytes of the file that is replaced. What has not changed is written as it is there,
            with its order of keys and its numbers, which a page may have rounded. If nothing has
            changed, these bytes are returned.

    Raises:
        BrokenContextError: `present` holds no AgentContext, and must not be replaced.
    """
    lead, end = b"", b""
    if present is not None:
        old = load_context(present)
        if jsontext.is_same(as_page(context), as_page(old)):
            return present
        context = _reused(context, old)
        lead = _BOM if present.startswith(_BOM) else b""
        end = b"\n" if present.endswith(b"\n") else b""
    text = json.dumps(jsontext.finite(context), ensure_ascii=False, indent=2, allow_nan=False)
    return lead + jsontext.encodable(text).encode() + end


def _reused(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return a context with the messages and the metadata of `old` that are the same in it."""
    waiting: dict[str, deque[Any]] = defaultdict(deque)
    for message in old["context"]:
        waiting[_page_key(message)].append(message)
    messages = []
    for message in new["context"]:
        same = waiting.get(_page_key(message))
        messages.append(same.popleft() if same else message)
    kept = {
        key: messages if key == "context" else _reuse(new[key], value)
        for key, value in old.items()
        if key in new
    }
    return kept | {key: value for key, value in new.items() if key not in old}


def _reuse(new: Any, old: Any) -> Any:
    """Return `new` with the parts of `old` that are the same, in the order of `old`."""
    if jsontext.is_same(as_page(new), as_page(old)):
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        kept = {key: _reuse(new[key], value) for key, value in old.items() if key in new}
        return kept | {key: value for key, value in new.items() if key not in old}
    return new


def _page_key(value: Any) -> str:
    return jsontext.dumps(as_page(value))


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BrokenContextError(f"expected JSON, found {text[:40]}, which is no finite number")
    return number


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BrokenContextError(
            f"expected each key once in an object, found {json.dumps(twice)[:80]} twice"
        )
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_read_object, parse_float=_read_float, parse_constant=_read_float
)


class NotAnAgentFileError(MessageFileError):
    """A file holds no AgentContext, or a notebook cannot be written as one."""

    def __init__(self, path: Path | str, problem: object) -> None:
        super().__init__(
            f"{path}: {problem}. A file with this name holds one JSON object with the metadata of an "
            "agent (`metadata`) and its messages (`context`). The file is unchanged."
        )
        self.path = path


def parse_agent_file(data: bytes, path: Path | str) -> dict[str, Any]:
    """Return the notebook in the bytes of the file at `path`.

    Raises:
        NotAnAgentFileError: They hold no AgentContext.
    """
    try:
        return notebook_from(load_context(data))
    except BrokenContextError as error:
        raise NotAnAgentFileError(path, error) from None


def encode_agent_file(
    notebook: dict[str, Any], path: Path | str, *, present: bytes | None, folder: Path | None
) -> bytes:
    """Return the bytes of a notebook's file, for `message_files.encode_agent_file`, which names the arguments.

    Raises:
        NotAnAgentFileError: The notebook has another kernel, or `present` holds no AgentContext.
    """
    try:
        if present is None:
            default = _new_metadata(Path(path), folder)
        else:
            default = load_context(present)["metadata"]
        return dump_context(context_from(notebook, default), present)
    except BrokenContextError as error:
        raise NotAnAgentFileError(path, error) from None


def _new_metadata(path: Path, folder: Path | None) -> dict[str, Any]:
    """Return AgentMetadata (seed 001) of an agent that has none."""
    return new_agent_metadata(
        uuid=str(uuid4()),
        created_at=datetime.now(UTC),
        name=path.stem or "New Agent",
        allowed_uris=[] if folder is None else [folder.absolute().as_uri()],
    )
