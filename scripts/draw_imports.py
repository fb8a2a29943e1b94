"""Mermaid diagram of the imports between packages.

Usage: draw_imports.py                 update the diagram in docs/architecture.md
       draw_imports.py --print FOLDER  print the diagram of the working tree in FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN = "<!-- imports: begin (written by scripts/draw_imports.py) -->\n"
END = "<!-- imports: end -->\n"
PACKAGES = {"msgbook": "kernel", "msgbook_format": "jupytext_format"}

Arrow = tuple[str, str]


def main(arguments: list[str]) -> None:
    """Update the page or print a diagram, as the arguments say."""
    if arguments[:1] == ["--print"]:
        sys.stdout.write(draw(Path(arguments[1])))
    else:
        PAGE.write_text(with_diagram(PAGE.read_text("utf-8")), "utf-8")


def with_diagram(page: str) -> str:
    """Return the text of the page with the current diagram."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{draw(ROOT)}{END}{after}"


def draw(folder: Path) -> str:
    """Return the diagram of the packages in a working tree, as a fenced block of Markdown."""
    arrows = without_detours(imports(folder))
    names = sorted({name for arrow in arrows for name in arrow})
    lines = ["```mermaid", "flowchart TD"]
    for package, members in groupby(names, key=lambda name: name.partition(".")[0]):
        lines.append(f"  subgraph {package}_all [{package}]")
        lines += [f"    {name}[{name.rpartition('.')[2]}]" for name in members]
        lines.append("  end")
    lines += [f"  {importer} --> {imported}" for importer, imported in sorted(arrows)]
    return "\n".join([*lines, "```", ""])


def imports(folder: Path) -> set[Arrow]:
    """Return who imports whom among the modules and folders directly in each package."""
    import grimp

    sys.path[:0] = [str(folder / parent) for parent in PACKAGES.values()]
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    return {
        (part(importer), part(imported))
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        if part(importer) != part(imported)
    }


def part(module: str) -> str:
    """Return a module's name without what is below the first level of its package."""
    return ".".join(module.split(".")[:2])


def without_detours(arrows: Iterable[Arrow]) -> set[Arrow]:
    """Return the arrows that no chain of other arrows replaces.

    Raises ValueError if the arrows form a cycle.
    """
    targets: dict[str, set[str]] = {}
    for importer, imported in arrows:
        targets.setdefault(importer, set()).add(imported)
    below: dict[str, set[str]] = {}

    def reach(name: str, path: tuple[str, ...]) -> set[str]:
        if name in path:
            raise ValueError(f"imports form a cycle: {' -> '.join((*path, name))}")
        if name not in below:
            below[name] = set().union(
                *({target} | reach(target, (*path, name)) for target in targets.get(name, ()))
            )
        return below[name]

    return {
        (name, target)
        for name in targets
        for target in targets[name]
        if not any(target in reach(other, (name,)) for other in targets[name] - {target})
    }


if __name__ == "__main__":
    main(sys.argv[1:])
