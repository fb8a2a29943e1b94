"""Anthropic's Messages API.

- `server`: the provider. It alone imports the SDK, the extra `msgbook[anthropic]`.
- `api`: its row in the table of the APIs.
- `body`: a request. `content`: its messages. `models`: what is known of models by their names.
- `decode`: an answer. `blocks`: one content block of it.
"""
