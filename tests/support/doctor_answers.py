"""What a server answers to the doctor's questions."""

from __future__ import annotations

import scripted_server as scripted

NUMBERS = "1 2 3 4 5 6 7 8 9 10 11 12"
CALLS = scripted.call("add", {"a": 2, "b": 3})
