"""The format `msg` in Jupytext: `.msg.md` files, and `.md` files with a message section.

Jupytext has no interface for further formats. So functions of it are replaced, in one place
(`patches`), and only if they are those that the replacements were written for.
"""

from __future__ import annotations

import contextlib
import sys
import warnings

from msgbook_format.jupytext_plugin.message_format import FORMAT_NAME, reading

__all__ = ["FORMAT_NAME", "main", "reading", "register"]


def register() -> bool:
    """Teach Jupytext the format `msg`, once, and return whether it knows it now.

    Warns and changes nothing if this version of Jupytext is unknown.
    """
    problem = _apply()
    if problem:
        warnings.warn(
            f"Jupytext does not read or write message files here: {problem}. "
            "Install a version of jupytext that this msgbook knows.",
            stacklevel=2,
        )
    return not problem


def _apply() -> str | None:
    try:
        # First: importing it may register the format, in this thread or in another one.
        import jupytext

        from msgbook_format.jupytext_plugin import patches
    except ImportError as error:
        return f"its modules are not where they were ({error})"
    return patches.apply()


def main(argv: list[str]) -> int:
    """Run Jupytext's command line on `argv`, without the program's name; return its exit status."""
    register()
    from jupytext.cli import jupytext

    from msgbook_format.jupytext_plugin.configuration import run_only_the_users_own

    run_only_the_users_own()
    try:
        return int(jupytext(argv) or 0)
    except Exception as error:
        # Files may hold anything, and Jupytext fails on some of it with any kind of exception.
        words = " ".join(str(error).split())[:300]
        line = f"[jupytext] Error: {type(error).__name__}: {words}"
        sys.stderr.write("".join(c if c.isprintable() else repr(c)[1:-1] for c in line) + "\n")
        return 2


# Importing Jupytext may register the format at once, which imports all modules of this package.
# Jupytext is therefore imported before any of them, so that none is half loaded by then.
with contextlib.suppress(ImportError):
    import jupytext
