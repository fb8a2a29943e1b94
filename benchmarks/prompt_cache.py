"""How much of what a conversation of 50 turns sends to Anthropic's API is read from its prompt cache.

Over a scripted server that bills as Anthropic does: a marked prefix of at least 1,024 tokens is kept, and read by a later
request that begins with it. The same numbers each time.

Usage: python benchmarks/prompt_cache.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from billed_conversation import KINDS, TURNS, converse
from rows import row
from scripted_server import ScriptedServer


def main() -> None:
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder, ScriptedServer() as server:
            os.environ["JUPYTER_CONFIG_DIR"] = str(Path(folder, "config"))
            chats = Path(folder, "chats")
            chats.mkdir()
            bill = converse(server, chats, kind)
        print(
            f"{kind}: {TURNS} turns, {bill.input:,} tokens of input: {bill.read:,} read, {bill.written:,} written, "
            f"{bill.rest:,} at the full price: {bill.share:.1%}"
        )
        row(
            f"{kind}: input read from Anthropic's cache",
            bill.share * 100,
            "%",
            90,
            at_least=True,
        )


if __name__ == "__main__":
    main()
