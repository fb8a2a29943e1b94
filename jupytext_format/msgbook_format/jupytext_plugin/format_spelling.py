"""Spelling of our format in Jupytext: `.msg.md:msg` and `md:msg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook_format.jupytext_plugin.message_format import FORMAT_NAME, is_message_suffix, is_ours

Function = Callable[..., Any]


def validate_one_format(original: Function) -> Function:
    """Complete `.msg.md` to `.msg.md:msg`."""

    def replacement(jupytext_format: Any) -> Any:
        if isinstance(jupytext_format, dict) and is_message_suffix(jupytext_format):
            jupytext_format.setdefault("format_name", FORMAT_NAME)
        return original(jupytext_format)

    return replacement


def short_form_one_format(original: Function) -> Function:
    """Keep the format's name after `.md`; without it the next sync would take another format."""

    def replacement(jupytext_format: Any) -> Any:
        short = original(jupytext_format)
        if isinstance(jupytext_format, dict) and is_ours(jupytext_format) and ":" not in short:
            return f"{short}:{FORMAT_NAME}"
        return short

    return replacement
