"""The cassette that a run records, from its first line to its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgbook.cli.terminal import complain
from msgbook.config import Settings
from msgbook.extras.cassettes import CassetteFile, Recorder

_VERB = "run"


@contextmanager
def recording(
    path: Path, settings: Settings, name: str
) -> Iterator[tuple[Recorder, Callable[[int], int]]]:
    """Yield the recorder of a run, and the function that takes and returns the run's exit code.

    The cassette gets its name when the run is over. A run that failed replaces no former cassette.

    Args:
        name: Name of the conversation's file.

    Raises:
        CassetteError: The cassette cannot be written.
    """
    file = CassetteFile(path, settings.secrets)
    is_complete = False

    def ended(code: int) -> int:
        nonlocal is_complete
        if file.problem:
            return code or 1
        is_complete = code == 0 or not os.path.lexists(path)
        return code

    try:
        yield Recorder(file, settings, name), ended
    finally:
        if is_complete:
            file.complete()
        else:
            file.close()
            why = f" ({file.problem})" if file.problem else ""
            complain(_VERB, f"{path} was not written{why}; what was recorded is in {file.part}")
