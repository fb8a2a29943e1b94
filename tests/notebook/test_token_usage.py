"""Recorded token counts and cost: reported counts are added, unknown ones are shown as unknown."""

from __future__ import annotations

import asyncio

import pytest
from history_cells import turn_cell

from msgbook.config import load_settings
from msgbook.config.prices import read_price
from msgbook.engine import Conversation, Services
from msgbook.magics import run_magic
from msgbook.magics.base import MagicContext
from msgbook.notebook.token_usage import TurnUsage, list_turn_usage
from msgbook.notebook.transcript import Transcript

PRICES = '[providers.p]\nbase_url = "http://127.0.0.1:9"\n[providers.p.prices]\n'


def usage(**counts):
    return {f"{key}_tokens": value for key, value in counts.items()}


def test_a_turn_of_which_a_step_told_nothing_is_no_whole_sum(table):
    cells = [
        turn_cell("Whole", usage(input=100, output=10)),
        turn_cell("Partly", usage(input=11, output=7) | {"untold_steps": 1}),
    ]

    assert table(*cells, prices="m = { input = 1000, output = 1000 }") == (
        "Tokens of the turns above:\n\n"
        "cell  model  input  output      cost\n"
        "   1  m        100      10    0.1100  Whole\n"
        "   2  m       11+?     7+?  0.0180+?  Partly\n"
        "\n"
        " all  m      111+?    17+?  0.1280+?  2 turns\n"
        "\n"
        "? is not known: the server did not report it, or the model has no price. 7+? is at least 7."
    )


@pytest.fixture
def table(tmp_path):
    def run(*cells, prices="", source="live"):
        path = tmp_path / "msgbook.toml"
        path.write_text(PRICES + prices)
        engine = Conversation(Services(load_settings({"MSGBOOK_CONFIG": str(path)})), tmp_path)

        async def transcript():
            return Transcript(source, cells)

        return asyncio.run(run_magic("%usage", MagicContext(engine, transcript)))

    return run


def test_usage_is_a_table_of_turns_and_of_models(table):
    cells = [
        turn_cell("%%msg model=m\nFirst words", usage(input=1200, cached=200, output=30)),
        {"cell_type": "markdown", "source": "A note", "metadata": {}},
        turn_cell("Again", usage(input=2000, cached=1000, output=10, reasoning=5)),
        turn_cell("Another", usage(input=7, output=1), model="other"),
    ]

    assert table(*cells, prices="m = { input = 10, cached = 1, output = 100 }") == (
        "Tokens of the turns above:\n\n"
        "cell  model  input  cached  output  reasoning    cost\n"
        "   1  m      1,200     200      30          ?  0.0132  First words\n"
        "   3  m      2,000   1,000      10          5  0.0120  Again\n"
        "   4  other      7       ?       1          ?       ?  Another\n"
        "\n"
        " all  m      3,200   1,200      40        5+?  0.0252  2 turns\n"
        " all  other      7       ?       1          ?       ?  1 turn\n"
        "\n"
        "? is not known: the server did not report it, or the model has no price. 7+? is at least 7."
    )


def test_known_prices_are_said_to_be_theirs_with_their_age(table):
    counts = usage(input=1_000_000, cached=500_000, output=10)
    cell = turn_cell("Why?", counts, model="anthropic/claude-opus-4-5")

    shown = table(cell)

    assert "2.7502  1 turn" in shown
    assert "\n\nPrices in US dollars: genai-prices " in shown
    assert "whose newest entry is of 20" in shown
    own = '"anthropic/claude-opus-4-5" = { input = 1, output = 1 }'
    assert "genai-prices" not in table(cell, prices=own)


def test_searches_and_written_tokens_cost_what_they_cost(table):
    counts = usage(input=100, cache_write=50, output=10) | {"web_searches": 3}
    prices = "m = { input = 1000, output = 0, cache_write = 2000, web_search = 0.5 }"

    assert "1.6500  Why?" in table(turn_cell("Why?", counts), prices=prices)


def test_columns_of_which_nothing_is_known_are_left_out(table):
    shown = table(turn_cell("Why?", usage(input=1, output=1)))

    assert shown.splitlines()[2].split() == ["cell", "model", "input", "output"]
    assert "not known" not in shown


def test_a_price_is_not_another_servers(table):
    cell = turn_cell("Hi", usage(input=1_000_000, output=0), provider="elsewhere")

    assert "cost" not in table(cell, prices="m = { input = 1, output = 1 }")


def test_the_price_is_that_of_the_model_that_answered_or_else_of_the_one_that_was_asked(table):
    cells = [
        turn_cell("Asked", usage(input=1, output=1)),
        turn_cell("Mini", usage(input=1, output=1), answered_model="mini"),
        turn_cell("Dated", usage(input=1, output=1), answered_model="m-2025-08-07"),
    ]
    prices = "m = { input = 10000, output = 0 }\nmini = { input = 100, output = 0 }"

    assert table(*cells, prices=prices) == (
        "Tokens of the turns above:\n\n"
        "cell  model             input  output    cost\n"
        "   1  m                     1       1  0.0100  Asked\n"
        "   2  m → mini              1       1  0.0001  Mini\n"
        "   3  m → m-2025-08-07      1       1  0.0100  Dated\n"
        "\n"
        " all  m                     1       1  0.0100  1 turn\n"
        " all  m → mini              1       1  0.0001  1 turn\n"
        " all  m → m-2025-08-07      1       1  0.0100  1 turn"
    )


def test_turns_without_numbers_count_as_unknown_not_as_nothing(table):
    assert "?" in table(turn_cell("Hi"))


def test_where_only_the_session_is_known_the_table_says_so(table):
    assert table(turn_cell("Hi"), source="memory").startswith("Tokens of the turns of this session")
    assert table() == "There are no turns above."


@pytest.mark.parametrize(
    "odd",
    [
        7,
        [],
        {"input_tokens": "many", "output_tokens": -1, "cached_tokens": True},
        {"input_tokens": 10**4300 - 1, "output_tokens": 10**400},
    ],
)
def test_odd_numbers_of_a_notebook_are_unknown(odd):
    found = list_turn_usage([turn_cell("Hi", odd), {"cell_type": "code", "outputs": 7}])

    assert found == [TurnUsage(1, "Hi", "m", "p", None, None, None, None)]


def test_no_model_name_steers_a_terminal():
    odd = "m\x1b]0;x\x07\n"
    found = list_turn_usage([turn_cell("a\x1b[31m", model=odd, answered_model=odd)])

    assert (found[0].models, found[0].title) == ("m]0;x → m]0;x", "a[31m")


def test_cached_input_costs_as_much_as_input_where_no_price_is_set_for_it():
    turn = TurnUsage(1, "", "m", "p", 1_000_000, 500_000, 0, None)

    assert turn.cost(read_price({"input": 2.0, "output": 5.0})) == 2.0
