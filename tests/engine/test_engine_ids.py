"""Everything random or dated in a saved turn comes from the engine's ids."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from apis import over_all_apis
from engine_turns import run_turn
from scripted_server import Answer, ScriptedServer, delta, finish, text

from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.ids import Ids
from msgbook.notebook.transcript import Transcript

pytestmark = over_all_apis


class CountedIds(Ids):
    """Numbers in place of random digits, and a clock that stands still."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new_token(self, size: int) -> str:
        return f"{next(self._numbers):0{2 * size}x}"

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_calls_without_an_id_and_references_get_the_same_ids_again(
    tmp_path: Path, api: str
) -> None:
    (tmp_path / "a.txt").write_text("words")
    call = {"index": 0, "function": {"name": "glob", "arguments": '{"pattern": "*.txt"}'}}
    answers = [Answer([delta(tool_calls=[call]), finish("tool_calls")]), text("done")]

    def turn() -> dict[str, object]:
        with ScriptedServer(answers) as server:
            settings = load_settings({"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"})

            async def run() -> dict[str, object]:
                engine = Conversation(Services(settings, ids=CountedIds()), tmp_path)
                try:
                    prompt = 'Look: @[read{"path": "a.txt"}]'
                    found: dict[str, object] = await run_turn(
                        engine, prompt, Transcript("memory", [])
                    )
                    return found
                finally:
                    await engine.services.close()

            return asyncio.run(run())

    first, second = turn(), turn()

    assert first["started"] == "2026-01-02T03:04:05Z"
    ids = [block["id"] for block in first["blocks"] if block["type"] == "tool_call"]
    # Anthropic's API has an id for each call.
    made = "toolu" if api == "anthropic" else "call"
    assert [call_id.partition("_")[0] for call_id in ids] == ["reference", made]
    assert ids == [block["id"] for block in second["blocks"] if block["type"] == "tool_call"]
    assert [b.get("nonce") for b in first["blocks"]] == [b.get("nonce") for b in second["blocks"]]
