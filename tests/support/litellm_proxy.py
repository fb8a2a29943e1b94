"""LiteLLM's proxy in front of other servers, as `make .local-models/.installed` installs it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from llama import FOLDER
from processes import free_port, stop, until_listening

KEY = "sk-of-a-test"
"""The key that it wants."""

_COMMAND = FOLDER / "litellm" / "bin" / "litellm"


@dataclass
class Proxy:
    """A running proxy."""

    url: str


@contextmanager
def litellm_proxy(folder: Path, **models: str) -> Iterator[Proxy]:
    """Start the proxy on a free port, until the context ends.

    Args:
        folder: Takes its configuration.
        models: The base URL of the server that has the model, by the model's name.
    """
    settings = {
        "model_list": [
            {
                "model_name": name,
                "litellm_params": {"model": "openai/tiny.gguf", "api_base": url, "api_key": "none"},
            }
            for name, url in models.items()
        ],
        "general_settings": {"master_key": KEY},
        "router_settings": {"disable_cooldowns": True, "num_retries": 0},
    }
    config = folder / "litellm.yaml"
    config.write_text(json.dumps(settings), "utf-8")
    port = free_port()
    options = {"--config": config, "--host": "127.0.0.1", "--port": port, "--telemetry": "False"}
    process = subprocess.Popen(
        [_COMMAND, *(str(word) for option in options.items() for word in option)],
        # Otherwise it downloads a table of prices.
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until_listening(process, port)
        yield Proxy(f"http://127.0.0.1:{port}/v1")
    finally:
        stop(process)
