"""Servers that a person can choose by name when a model is connected."""

from __future__ import annotations

from typing import NamedTuple

from msgbook.config.providers import OPENAI_URL


class Preset(NamedTuple):
    """A server that many people use.

    Attributes:
        name: Wished name of its `[providers.NAME]`.
        title: Name that its makers give it.
        key_variable: Variable that usually holds the key; empty for a server without keys.
    """

    name: str
    title: str
    base_url: str
    key_variable: str = ""


PRESETS = (
    # `openai` is the provider of the environment.
    Preset("openai-api", "OpenAI", OPENAI_URL, "OPENAI_API_KEY"),
    Preset("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    Preset(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    ),
    Preset("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    Preset("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    Preset("ollama", "Ollama", "http://localhost:11434/v1"),
    Preset("lm-studio", "LM Studio", "http://localhost:1234/v1"),
    Preset("llama-cpp", "llama.cpp", "http://localhost:8080/v1"),
    Preset("vllm", "vLLM", "http://localhost:8000/v1"),
)
"""In the order in which they are offered: hosted ones first, then those on the person's computer."""
