"""`msgbook doctor`: a row for each variable of the environment that changes how servers are reached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bad_proxy import CLOSED, environment
from doctor_answers import CALLS, NUMBERS
from scripted_server import text

from msgbook.__main__ import main
from msgbook.network.variables import VARIABLES, Server, examine_environment

NEAR = Server("near", "http://127.0.0.1:8000/v1")
FAR = Server("far", "https://far.example/v1")


def rows(**env: str) -> dict[str, tuple[str, str, str]]:
    found = examine_environment(env, [NEAR, FAR])
    return {row.name: (row.status, row.words, row.advice) for row in found}


def test_a_proxy_says_for_which_servers_it_counts():
    found = rows(
        HTTPS_PROXY="http://me:secret@proxy:1", HTTP_PROXY="http://proxy:1", NO_PROXY="127.0.0.1"
    )

    assert found["HTTPS_PROXY"][:2] == (
        "pass",
        "HTTPS_PROXY is http://proxy:1: used for far (https://far.example/v1)",
    )
    assert found["HTTP_PROXY"][:2] == (
        "note",
        "HTTP_PROXY is http://proxy:1: used for no server of the settings",
    )
    assert found["NO_PROXY"][1] == (
        "NO_PROXY is 127.0.0.1: no proxy for near (http://127.0.0.1:8000/v1); "
        "it does not exempt far (https://far.example/v1)"
    )


def test_a_proxy_for_this_computer_is_noted_with_the_remedy():
    status, words, advice = rows(ALL_PROXY="http://proxy:1")["ALL_PROXY"]

    assert (status, "near" in words, "far" in words) == ("note", True, True)
    assert "near (http://127.0.0.1:8000/v1): on this computer" in advice
    assert "Set NO_PROXY=localhost,127.0.0.1,::1" in advice


def test_a_wrong_value_fails_where_it_is_used_and_is_noted_elsewhere():
    used = rows(HTTPS_PROXY="socks://p", SSL_CERT_FILE="/nonexistent")
    unused = [
        *examine_environment({"HTTPS_PROXY": "socks://p", "SSL_CERT_FILE": "/nonexistent"}, [NEAR])
    ]

    assert [status for status, _, _ in used.values()] == ["fail", "fail"]
    assert [row.status for row in unused] == ["note", "note"]
    assert "Write socks5://" in used["HTTPS_PROXY"][2]
    assert "correct or unset SSL_CERT_FILE" in used["SSL_CERT_FILE"][2]


def test_what_goes_before_is_named(tmp_path):
    found = rows(
        HTTP_PROXY="http://a",
        http_proxy="http://b",
        SSL_CERT_FILE=__file__,
        SSL_CERT_DIR=str(tmp_path),
    )

    assert found["HTTP_PROXY"][1].endswith("; http_proxy goes before it")
    assert found["SSL_CERT_DIR"][1] == "SSL_CERT_DIR is not used: SSL_CERT_FILE goes before it"


@pytest.mark.parametrize("name", [name for name, variable in VARIABLES.items() if variable.examine])
def test_each_variable_of_the_table_has_a_row_whatever_it_holds(name):
    for value in (
        "value-of-mine",
        " ",
        "a\nb",
        "\udcff",
        "http://127.0.0.1:9",
        str(Path(__file__).parent),
    ):
        assert [*rows(**{name: value})] == [name]


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "OPENAI_CUSTOM_HEADERS", "OPENAI_ADMIN_KEY", "OPENAI_WEBHOOK_SECRET", "AZURE_OPENAI_API_KEY"]
)  # fmt: skip
def test_no_row_shows_a_secret(name):
    assert "secret-of-mine" not in str(rows(**{name: "X-Key: secret-of-mine"}))


def test_variables_of_other_programs_are_told_apart():
    found = rows(REQUESTS_CA_BUNDLE="/x", OPENAI_API_BASE="http://x", OPENAI_ORGANIZATION="o")

    assert "set SSL_CERT_FILE" in found["REQUESTS_CA_BUNDLE"][2]
    assert "set OPENAI_BASE_URL" in found["OPENAI_API_BASE"][2]
    assert "set OPENAI_ORG_ID" in found["OPENAI_ORGANIZATION"][2]


@pytest.fixture
def doctor(server, capsys):
    """Runs the command against the scripted server; the exit code and the findings."""
    server.answers = [text(NUMBERS), CALLS]

    def run(**env):
        with environment(**{"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "scripted", **env}):
            code = main(["doctor", "--json", "--timeout", "30"])
        out = capsys.readouterr()
        return code, json.loads(out.out)["findings"], out.err

    return run


def test_a_proxy_that_the_server_does_not_take_changes_no_check(doctor):
    code, found, _ = doctor(HTTPS_PROXY="socks://127.0.0.1:9", SSL_CERT_FILE="/nonexistent")

    assert code == 0
    assert {"HTTPS_PROXY", "SSL_CERT_FILE"} <= {
        f["words"].split()[0] for f in found if f["check"] == "environment"
    }
    assert next(f for f in found if f["check"] == "tools")["status"] == "pass"


def test_a_client_that_cannot_be_made_fails_the_first_check(doctor):
    code, found, _ = doctor(ALL_PROXY="socks://127.0.0.1:9")

    checks = {f["check"]: f for f in found}
    assert code == 1
    assert checks["server"]["status"] == "fail"
    assert "ALL_PROXY (socks://127.0.0.1:9) cannot be used" in checks["server"]["words"]
    assert "Write socks5://" in checks["server"]["advice"]


def test_a_dead_proxy_is_in_its_row_and_in_the_first_check(doctor):
    code, found, _ = doctor(HTTP_PROXY=CLOSED.replace("//", "//me:secret-of-mine@"))

    checks = {f["check"]: f for f in found}
    assert code == 1
    assert any(f["words"].startswith(f"HTTP_PROXY is {CLOSED}: used for openai") for f in found)
    assert f"through the proxy {CLOSED} failed" in checks["server"]["words"]
    assert "NO_PROXY=127.0.0.1" in checks["server"]["advice"]
    assert "secret-of-mine" not in str(found)


def test_rows_are_shown_where_the_settings_cannot_be_read(doctor):
    code, found, err = doctor(MSGBOOK_MODEL="a\nb", HTTP_PROXY=CLOSED)

    assert code == 2
    assert "MSGBOOK_MODEL ('a b')" in err
    assert [f["status"] for f in found if f["words"].startswith("MSGBOOK_MODEL")] == ["fail"]
    assert any(f["words"].startswith("HTTP_PROXY is") for f in found)
