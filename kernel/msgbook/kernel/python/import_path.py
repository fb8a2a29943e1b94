"""The import path of the notebook's Python, and that of msgbook's own imports beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import DistributionFinder, PathDistribution
from pathlib import Path
from types import FrameType, ModuleType

from msgbook.installed import installed_paths

_OWN = ("msgbook", "msgbook_format")
_OF_CELLS = (
    "msgbook.kernel.msg_kernel",
    "msgbook.kernel.talking_kernel",
    "msgbook.kernel.waking_kernel",
    "msgbook.kernel.execute_request",
)
"""They run, complete and inspect the user's Python, and import nothing themselves."""

_ANY = DistributionFinder.Context()

_SHARED = frozenset(("anthropic", "genai_prices", "mcp", "openai"))
"""Installed packages that the kernel imports after its start. There is one module of a name, so cells get these, too."""


def import_from_folder() -> None:
    """Let Python import from the notebook's folder, with the same priority as in IPython.

    Call it only when Python of the user's runs. The kernel starts when somebody opens a notebook, and
    modules of that folder could take the place of those that it imports later.
    """
    if "" in sys.path:
        return
    if PathFinder in sys.meta_path:
        sys.meta_path[sys.meta_path.index(PathFinder)] = _InstalledFinder
    packages = {"site-packages", "dist-packages"}
    places = (n for n, path in enumerate(sys.path) if Path(path).name in packages)
    sys.path.insert(next(places, 0), "")


class _InstalledFinder(PathFinder):
    """Finds what msgbook's own code imports, however far below, among installed packages alone."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None:
            return super().find_spec(fullname, path, target)
        installed = installed_paths()
        if is_own_import(_callers(sys._getframe(1)), ("<frozen ", *installed)):
            return super().find_spec(fullname, installed, target)
        shared = fullname in _SHARED and super().find_spec(fullname, installed, target)
        return shared or super().find_spec(fullname, None, target)

    @classmethod
    def find_distributions(
        cls, context: DistributionFinder.Context = _ANY
    ) -> Iterable[PathDistribution]:
        """Find metadata in the same way: a library may take another way, or load what an entry point names."""
        installed = installed_paths()
        given = vars(context)
        if "path" not in given and is_own_import(
            _callers(sys._getframe(1)), ("<frozen ", *installed)
        ):
            context = DistributionFinder.Context(**given, path=installed)
        return super().find_distributions(context)


def is_own_import(callers: Iterable[tuple[str, str]], installed: tuple[str, ...]) -> bool:
    """Return whether msgbook's code has led to an import, through libraries and no code of the user's.

    Args:
        callers: Module and file of each frame, the innermost first.
        installed: Beginnings of the files of libraries.
    """
    for module, file in callers:
        if module.partition(".")[0] in _OWN:
            if module not in _OF_CELLS:
                return True
        elif not file.startswith(installed):
            return False
    return False


def _callers(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    """Yield the module and the file of each frame, the innermost first."""
    while frame is not None:
        yield str(frame.f_globals.get("__name__")), frame.f_code.co_filename
        frame = frame.f_back
