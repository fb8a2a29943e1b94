"""Limits of a turn and prices of models in the settings."""

from __future__ import annotations

import pytest

from msgbook.config import LIMIT_KEYS, Limits, load_settings
from msgbook.errors import ConfigError


def test_limits_are_read_and_invalid_ones_give_a_warning(tmp_path):
    file = tmp_path / "msgbook.toml"
    file.write_text(
        "[limits]\nmax_steps = 5\ntoken_budget = 1.5\ntime_budget = 0.5\nmax_step = 1\n"
    )

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert settings.limits == {"max_steps": 5, "time_budget": 0.5}
    assert sorted(settings.warnings) == [
        "msgbook.toml:3: token_budget is ignored: expected a positive whole number.",
        "msgbook.toml:5: unknown key 'max_step' is ignored.",
    ]


@pytest.mark.parametrize("value", ["0", "-1", "true", '"9"', "nan", "inf"])
def test_a_limit_has_to_be_positive(tmp_path, value):
    file = tmp_path / "msgbook.toml"
    file.write_text(f"[limits]\ntime_budget = {value}\n")

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert settings.limits == {}
    assert "positive number" in settings.warnings[0]


def test_prices_are_read_and_invalid_ones_give_a_warning(toml):
    settings = toml(
        '[providers.x]\nbase_url = "http://u"\n[providers.x.prices]\n'
        '"a/b-1" = { input = 1.25, cached = 0.125, output = 10 }\n'
        "words = { input = 'much', output = 1 }\nhalf = { input = 1 }\n"
        "extra = { input = 1, output = 1, image = 2 }"
    )

    assert settings.provider.prices == {"a/b-1": {"input": 1.25, "cached": 0.125, "output": 10}}
    assert [line.split(" are")[0] for line in settings.warnings] == [
        "msgbook.toml:5: prices of 'words'",
        "msgbook.toml:6: prices of 'half'",
        "msgbook.toml:7: prices of 'extra'",
    ]


HUGE = "1" + "0" * 400


@pytest.mark.parametrize(
    "number", ["-1", "nan", "inf", "-inf", "1e400", HUGE, "'1'", "true", "[1]", "{}"]
)
@pytest.mark.parametrize("key", ["input", "cached", "cache_write", "output", "web_search"])
def test_a_price_has_to_be_a_number_that_can_be_reckoned_with(toml, key, number):
    price = {"input": "1", "output": "2", key: number}
    written = ", ".join(f"{name} = {value}" for name, value in price.items())

    settings = toml(
        f'[providers.x]\nbase_url = "http://u"\n[providers.x.prices]\nm = {{ {written} }}\n'
    )

    assert (settings.provider.prices, len(settings.warnings)) == ({}, 1)


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "inf", HUGE, "'1'", "true"])
def test_what_a_turn_may_cost_has_to_be_more_than_nothing(toml, amount):
    settings = toml(f"[limits]\nmax_cost = {amount}\n")

    assert settings.limits == {}
    assert settings.warnings == (
        "msgbook.toml:2: max_cost is ignored: expected a positive number.",
    )


def test_a_number_that_python_does_not_read_is_an_error_of_the_file(toml):
    with pytest.raises(ConfigError, match=r"msgbook\.toml is not valid TOML"):
        toml("[limits]\nmax_cost = 1" + "0" * 5000)


def test_prices_of_openai_count_where_the_environment_names_the_server(toml):
    settings = toml(
        "[providers.openai.prices]\nm = { input = 1, output = 2 }", OPENAI_API_KEY="sk-0123456789"
    )

    assert (settings.provider.prices, settings.warnings) == ({"m": {"input": 1, "output": 2}}, ())


def test_each_limit_of_a_turn_can_stand_in_the_file(tmp_path):
    file = tmp_path / "msgbook.toml"
    file.write_text("[limits]\n" + "".join(f"{key} = 7\n" for key in LIMIT_KEYS))

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert (Limits(**settings.limits), settings.warnings) == (Limits(*[7] * len(LIMIT_KEYS)), ())
