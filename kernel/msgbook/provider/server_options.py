"""Options of servers that a message names. They are the server's, so msgbook cannot set them."""

REASONING_PARSERS = "`--reasoning-parser` (vLLM, SGLang) or `--reasoning-format` (llama.cpp)"
"""Options that say how a server tells reasoning from text."""

TOOL_PARSERS = (
    "`--enable-auto-tool-choice` and `--tool-call-parser` (vLLM), `--tool-call-parser` (SGLang) or "
    "`--jinja` (llama.cpp)"
)
"""Options that let a server tell tool calls from text."""
