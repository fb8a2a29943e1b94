"""Providers: the servers that answer requests, and the built-in demo model.

- `servers`: which provider and model answer.
- `base`: `Request` and `Provider`, the interface of them all; that of an API; and what stands between the SDK's HTTP
  client and the network.
- `server_provider`: the provider for servers. `openai_server` and `anthropic.server` are what it is with one SDK or the
  other, which they alone import. `http` is the HTTP client of both.
- `apis`: the three APIs that there are. `chat` is that of chat completions, `responses` OpenAI's Responses API,
  `anthropic` Anthropic's Messages API. Each makes the body of a request and decodes the answer.
- `compression`, `sse`, `json_events`, `pieces`, `tool_call_pieces`, `pictures`,
  `unknown_events`: what the decoders need to get from the bytes of an answer to events.
- `asking`: the loop that asks a server: again after failures, another model, without what is refused (`adaptations`).
  `pace` is when,
  for all conversations together, `requested_waits` what the server asks for.
- `failures`: errors in words for a person, with what the person can do.
- `demo_model`: the model `demo`.
- `plugins`: the providers of plug-ins.

A provider's quirk is added where its kind stands: `answer_quirks` for what a server sends (names of fields,
usage, finish reasons), `responses/stream_quirks` for its events of the Responses API, `error_quirks` for how it words
an error, `request_quirks` for what it accepts (names of keys, refused parts). `refused_words`, `refused_media` and
`refused_elements` find out what a refusal means; `request_changes` makes the request without the refused part.

Names are imported when they are first used: the openai SDK takes a second.
"""

from typing import TYPE_CHECKING

from msgbook_format.lazy import lazy_names

if TYPE_CHECKING:
    from msgbook.provider.apis import request_body, server_tool_options, turn_options
    from msgbook.provider.asking import Asking
    from msgbook.provider.base import (
        REASONING_PARSERS,
        SERVER_TOOLS,
        TOOL_PARSERS,
        MakeTransport,
        Provider,
        Request,
        Wire,
    )
    from msgbook.provider.failures import MissingRouteError, shown_url
    from msgbook.provider.http import RedirectedError, import_network, import_sdk
    from msgbook.provider.openai_server import OpenAIProvider
    from msgbook.provider.pace import Paces, Waits
    from msgbook.provider.plugins import ProviderFactory, find_provider_entry
    from msgbook.provider.server_provider import ServerProvider
    from msgbook.provider.servers import (
        Servers,
        describe_demo_model,
        import_sdk_of,
        new_provider,
        server_class,
    )
else:
    __getattr__ = lazy_names(__name__)
