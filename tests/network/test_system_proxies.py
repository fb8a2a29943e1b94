"""Proxies that macOS or Windows sets for all programs, with their exceptions."""

from __future__ import annotations

import pytest

from msgbook.network.client import Route
from msgbook.network.proxies import Proxy, System, find_proxy

URL = "https://models.corp.example/v1"
VALUE = "proxy.corp.example:3128"


def system(*exempt: str) -> System:
    return System(lambda: {"http": VALUE, "https": VALUE}, lambda host: int(host in exempt))


def test_the_systems_proxy_is_taken_where_no_variable_sets_one():
    proxy = find_proxy(URL, {}, lambda: system())

    assert proxy == Proxy("", f"http://{VALUE}")


def test_a_host_that_the_system_exempts_takes_no_proxy():
    assert find_proxy(URL, {}, lambda: system("models.corp.example")) is None
    assert find_proxy(URL, {}, lambda: system("other.corp.example")) is not None


@pytest.mark.parametrize("exempt", ["models.corp.example", ""])
def test_the_systems_exceptions_are_not_those_of_a_variable(exempt):
    proxy = find_proxy(URL, {"HTTPS_PROXY": "http://mine:1"}, lambda: system(exempt))

    assert proxy == Proxy("HTTPS_PROXY", "http://mine:1")


def test_a_system_without_settings_sets_no_proxy():
    assert find_proxy(URL, {}, lambda: None) is None


@pytest.mark.parametrize(
    ("value", "scheme", "is_encrypted"),
    [("p:1", "http", False), (" p:1 ", "http", False), ("HTTPS://p:1", "https", True), ("socks5://p:1", "socks5", False)],
)  # fmt: skip
def test_a_value_without_a_scheme_is_that_of_an_http_proxy(value, scheme, is_encrypted):
    proxy = Proxy.from_value("HTTP_PROXY", value)

    assert proxy.scheme == scheme
    assert Route("http://h/v1", proxy).is_encrypted is is_encrypted
    assert Route("https://h/v1", proxy).is_encrypted
