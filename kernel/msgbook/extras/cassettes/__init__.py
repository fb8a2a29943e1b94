"""Cassettes: recorded conversations, which are replayed without a network.

- `saved`: how a cassette keeps durations, settings, MCP tools, and what a turn changes beside its cell's outputs.
- `recorder`, `exchanges`: keep what happens, each request as what is new in it, and answers without keys.
- `lines`, `reader`: the lines of a cassette, and its file, as they are written, read and checked.
- `player`, `playback`: answer from the lines, and note the first difference.
- `recording`, `replay`: what `msgbook run --record` and `--replay` do.

What the engine asks of a recorder or a player is `msgbook.cassette.Cassette`.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.extras.cassettes.player import Player
    from msgbook.extras.cassettes.reader import (
        CassetteError,
        CassetteFile,
        Tape,
        is_cassette,
        read_cassette,
    )
    from msgbook.extras.cassettes.recording import Recorder
    from msgbook.extras.cassettes.saved import undo, undo_edits
else:
    __getattr__ = lazy_names(__name__)
