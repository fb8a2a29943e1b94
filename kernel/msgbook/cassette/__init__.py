"""Cassettes: recorded conversations, which are replayed without a network.

- `base`: `Cassette`, what the engine asks for whatever a replay has to repeat. Here it is the world itself. It also
  says how a cassette keeps durations, settings, MCP tools, and what a turn changes beside its cell's outputs.
- `recorder`, `exchanges`: keep what happens, each request as what is new in it, and answers without keys.
- `lines`, `reader`: the lines of a cassette, and its file, as they are written, read and checked.
- `player`, `playback`: answer from the lines, and note the first difference.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.cassette.base import Cassette, changed_metadata, turn_metadata, undo
    from msgbook.cassette.player import Player
    from msgbook.cassette.reader import (
        CassetteError,
        CassetteFile,
        Tape,
        is_cassette,
        read_cassette,
    )
    from msgbook.cassette.recorder import Recorder
else:
    __getattr__ = lazy_names(__name__)
