"""The font of formulas in an exported page: a part of STIX Two Math, which has no script and no address.

`scripts/math_font.py` makes the file.
"""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).with_name("fonts") / "stix-two-math.woff2"


@lru_cache(maxsize=1)
def font_style() -> str:
    """Return a style sheet that holds the font and gives it to formulas."""
    data = b64encode(_FILE.read_bytes()).decode("ascii")
    return (
        "<style>@font-face { font-family: 'msgbook Math'; "
        f"src: url(data:font/woff2;base64,{data}) format('woff2'); }}\n"
        "math { font-family: 'msgbook Math', math; }</style>\n"
    )
