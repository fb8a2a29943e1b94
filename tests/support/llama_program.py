"""llama.cpp's own server in a Python process, as the package xllamacpp brings it without a compiler.

    python llama_program.py MODEL PORT OPTIONS

prints a line when the model is loaded, and ends when its standard input does. OPTIONS is a JSON object
of llama.cpp's parameters; `lora` is a file that it loads besides.
"""

from __future__ import annotations

import json
import sys

from xllamacpp import CommonAdapterLoraInfo, CommonParams, Server, common_reasoning_format


def main(model: str, port: str, options: str) -> None:
    """Serve a model until nobody holds the other end of standard input."""
    params = CommonParams()
    params.model.path, params.port, params.hostnames = model, int(port), ["127.0.0.1"]
    params.n_parallel, params.n_ctx = 1, 32768
    for name, value in json.loads(options).items():
        if name == "lora":
            params.lora_adapters = [CommonAdapterLoraInfo(value, 1.0)]
        elif name == "reasoning_format":
            params.reasoning_format = getattr(
                common_reasoning_format, f"COMMON_REASONING_FORMAT_{value.upper()}"
            )
        else:
            setattr(params, name, value)
    server = Server(params)
    print("ready", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
