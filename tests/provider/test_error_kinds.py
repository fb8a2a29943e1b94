"""Words of servers, and what they are about: a model that is being loaded, a missing route, the other API."""

from __future__ import annotations

from typing import Any

import pytest
from refused import error

from msgbook.config import ProviderSettings
from msgbook.errors import RESTART, NoModelListError
from msgbook.provider.error_quirks import find_kind
from msgbook.provider.failures import Failures, MissingRouteError, UnknownModelError


def failure(status: int, body: Any, model: str | None = "m") -> Any:
    return Failures(ProviderSettings("p"), ()).from_status("E", status, {}, body, model)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
        (503, {"error": "Model org/m is currently loading", "estimated_time": 20.0}),
        (500, {"error": {"message": "unexpected server status: llm server loading model"}}),
        (503, {"error": {"message": "Model `m` is not ready to serve requests yet. Please retry shortly."}}),
        (503, {"error": "Model with name m is not ready."}),
        (503, {"detail": "The model is still being loaded"}),
    ],
)  # fmt: skip
def test_servers_say_in_many_ways_that_they_load_a_model(status, body):
    found = failure(status, body)

    assert found.retry.is_loading
    assert not isinstance(failure(status, body, None), NoModelListError)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "error loading model: llama_model_loader: failed to load model"),
        (500, "timed out waiting for llama runner to start: llm server loading model"),
        (500, "unable to load model"),
        (404, "No models loaded. Please load a model in the developer page."),
        (503, "No model is loaded"),
        (503, "Service unavailable"),
        (400, "the file is currently loading"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_not_waited_for(status, message):
    retry = failure(status, error(message)).retry

    assert retry is None or not retry.is_loading


def provider(api: Any = "chat", **more: Any) -> ProviderSettings:
    name = "openai" if more.get("from_environment") else "p"
    return ProviderSettings(name, "http://127.0.0.1:1/v1/", api=api, **more)


def route_failure(status: int, body: Any, settings: ProviderSettings) -> Any:
    return Failures(settings, ()).from_status("E", status, {}, body, "m")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"detail": "Not Found"}),  # FastAPI
        (405, {"detail": "Method Not Allowed"}),
        (404, "404 page not found"),  # Go
        (404, ("<!DOCTYPE html><html><head><title>Error</title></head><body>\n"
              "<pre>Cannot POST /v1/responses</pre></body></html>")),  # Express
        (404, "<html>\r\n<head><title>404 Not Found</title></head><body>nginx</body></html>"),
        (405, "<html><head><title>405 Not Allowed</title></head><body>nginx/1.2</body></html>"),
        (404, ""),
        (404, None),
        (501, "Not Implemented"),
        (404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}),  # llama.cpp
        (404, {"message": "Route POST:/v1/responses not found", "error": "Not Found", "statusCode": 404}),
        (404, {"error": {"message": "Invalid URL (POST /v1/responses)", "type": "invalid_request_error"}}),
        (404, {"error": {"message": "Unknown request URL: POST /openai/v1/responses. Please check the URL for "
                         "typos", "code": "unknown_url"}}),
        (404, {"message": "no Route matched with those values"}),
        (200, {"error": "Unexpected endpoint or method. (POST /v1/responses)"}),  # LM Studio
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        (provider("responses"), ('The server has no /v1/responses. Set api = "chat" in [providers.p] of msgbook.toml, '
         "or check base_url in the same table (it usually ends in /v1), and restart the kernel if this is a notebook.")),
        (provider("chat"), ("The server has no /v1/chat/completions. Check base_url of [providers.p] of msgbook.toml (it "
         'usually ends in /v1), or set api = "responses" in the same table, and restart the kernel if this is a notebook.')),
        (provider("responses", from_environment=True), ('The server has no /v1/responses. Set api = "chat" in '
         "[providers.openai] of msgbook.toml, or check OPENAI_BASE_URL (it usually ends in /v1), and restart the kernel if this is a notebook.")),
        (provider("chat", from_environment=True), ("The server has no /v1/chat/completions. Check OPENAI_BASE_URL (it "
         'usually ends in /v1), or set api = "responses" in [providers.openai] of msgbook.toml, and restart the kernel if this is a notebook.')),
    ],
    ids=["responses", "chat", "responses of the environment", "chat of the environment"],
)  # fmt: skip
def test_a_server_without_the_route_is_told_by_the_setting_of_the_api(
    status, body, settings, advice
):
    found = route_failure(status, body, settings)

    assert str(found).endswith(advice)
    assert isinstance(found, MissingRouteError)
    assert not isinstance(found, UnknownModelError)
    assert found.retry is None
    assert "\n" not in str(found)


@pytest.mark.parametrize(
    ("status", "message", "api", "other"),
    [
        (404, "This model is only supported in v1/responses and not in v1/chat/completions.", "chat", "responses"),
        (400, "Unsupported legacy protocol: /v1/chat/completions is not supported. Please use /v1/responses.",
         "chat", "responses"),
        (400, ("Function tools with reasoning_effort are not supported for m in /v1/chat/completions. Please use "
         "/v1/responses instead."), "chat", "responses"),
        (501, "The model does not support Responses API", "responses", "chat"),
        (400, "The model does not support Chat Completions API", "chat", "responses"),
    ],
)  # fmt: skip
def test_words_about_the_other_api_name_the_setting_of_it(status, message, api, other):
    found = route_failure(status, error(message), provider(api))

    assert str(found).endswith(
        f'Set api = "{other}" in [providers.p] of msgbook.toml, and {RESTART}.'
    )
    assert not isinstance(found, UnknownModelError)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, error("The model `m` does not exist.", code="model_not_found")),
        (404, error('model "m" not found, try pulling it first')),
        (404, error("/responses: Invalid model name passed in model=m")),
        (404, error("This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did "
                    "you mean to use v1/completions?")),
        (404, error("No endpoints found that support tool use.")),
        (400, {"detail": "Not Found"}),
        (500, "Not Found"),
    ],
)  # fmt: skip
def test_what_is_not_about_the_route_does_not_name_the_api(status, body):
    for api in ("chat", "responses"):
        assert "api =" not in str(route_failure(status, body, provider(api)))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, {"code": "unsupported_country_region_territory", "message": "No."}),
        (403, {"message": "Country, region, or territory not supported"}),
        (400, {"message": "User location is not supported for the API use."}),
        (403, {"message": "This model is not available in your region."}),
        (451, {"message": "Access from this territory is restricted"}),
    ],
)
def test_a_place_that_is_not_served_is_no_matter_of_the_key(status, error):
    assert find_kind(status, error, "m", "chat") == "region"


@pytest.mark.parametrize("error", [{"message": "Invalid key"}, {"message": "The region parameter is required"}])  # fmt: skip
def test_other_refusals_are_not_about_the_place(error):
    assert find_kind(403, error, "m", "chat") is None
