"""Cassettes: recorded conversations, which are replayed without a network.

- `base`: `Cassette`, what the engine asks for whatever a replay has to repeat. Here it is the world itself.
- `recorder`, `exchanges`, `writer`: keep what happens, line by line. `redacted_answer` removes
  keys, which a server may send in pieces.
- `lines`, `reader`: the lines of a cassette, as they are read and checked.
- `player`, `playback`: answer from the lines, and note the first difference.
- `request_bodies`: requests as what is new in each; `differences`: the first unlike message of two requests.
- `turn_times`, `metadata_changes`: the durations in a turn, and what it changes beside the outputs of its cell.
- `saved_settings`, `mcp_offers`: the settings that requests depend on, and the tools of MCP servers.
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
