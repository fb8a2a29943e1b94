"""Actions that argparse lacks."""

from __future__ import annotations

import argparse
from typing import Any


class InsteadOf(argparse.Action):
    """A flag that stands in place of a positional argument.

    An optional positional (`nargs="?"`) is no way: argparse would miss it behind an option.
    """

    def __init__(self, *, argument: argparse.Action, **options: Any) -> None:
        super().__init__(nargs=0, default=False, **options)
        self._argument = argument
        argument.default = None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Set the flag, so that the argument is not missed."""
        setattr(namespace, self.dest, True)
        self._argument.required = False
