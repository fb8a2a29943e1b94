"""The section of one version in CHANGELOG.md, as a release on GitHub shows it: with links to the files of the tag.

Usage: release_notes.py VERSION
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from readme_on_pypi import with_absolute_links

ROOT = Path(__file__).parent.parent


def main(version: str) -> None:
    """Print the section, or end with an error if there is none."""
    page = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heading = rf"^## \[{re.escape(version)}\] - [\d-]+$"
    found = re.search(rf"{heading}\n(.*?)(?=^## |^\[[^\]]+\]: |\Z)", page, re.M | re.S)
    if not found:
        sys.exit(f"CHANGELOG.md has no heading `## [{version}] - DATE`.")
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    sys.stdout.write(with_absolute_links(found[1].strip() + "\n", urls["Source"], f"v{version}"))


if __name__ == "__main__":
    main(sys.argv[1])
