"""Make the font of the formulas of an exported page anew: the part of STIX Two Math that TeX uses.

Needs fontTools and brotli, and the font from the package `ziamath`:

    pip install fonttools brotli ziamath
    python scripts/math_font.py
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.ttLib import TTFont

TARGET = Path("jupytext_format/msgbook_format/exporters/fonts/stix-two-math.woff2")

RANGES = (
    (0x20, 0x7E),
    (0xA0, 0xB7),
    (0xD7, 0xD7),
    (0xF7, 0xF7),
    (0x131, 0x131),
    (0x237, 0x237),
    (0x2C6, 0x2DD),
    (0x300, 0x338),
    (0x391, 0x3F6),
    (0x2010, 0x2057),
    (0x2061, 0x2064),
    (0x20D0, 0x20EF),
    (0x2102, 0x2138),
    (0x2190, 0x21DD),
    (0x2200, 0x22FF),
    (0x2308, 0x2323),
    (0x239B, 0x23BD),
    (0x23DC, 0x23E1),
    (0x25A0, 0x25CF),
    (0x2713, 0x2713),
    (0x27E6, 0x27EF),
    (0x27F5, 0x27FF),
    (0x2A00, 0x2A0C),
    (0x2A3F, 0x2A3F),
    (0x2A7D, 0x2AB0),
    (0x1D400, 0x1D59F),
    (0x1D5A0, 0x1D5D3),
    (0x1D670, 0x1D755),
    (0x1D7CE, 0x1D7E1),
)

ACCENTS = (0x302, 0x303, 0x305, 0x330, 0x332, 0x20D6, 0x20D7)
"""Marks that a formula has above or below what they belong to, as boxes of their own."""


def give_width(font: TTFont, mark: str) -> None:
    """Give a mark, and its wider forms, the width of what it draws.

    A mark of no width is drawn to the left of its place, for a letter before it. Browsers put an accent of a formula
    with the middle of its box over the middle of its base, so it stood to the left of it.
    """
    table = font["MATH"].table
    coverage = table.MathVariants.HorizGlyphCoverage.glyphs
    names = {mark}
    if mark in coverage:
        made = table.MathVariants.HorizGlyphConstruction[coverage.index(mark)]
        names |= {variant.VariantGlyph for variant in made.MathGlyphVariantRecord}
    accents = table.MathGlyphInfo.MathTopAccentAttachment
    for name in names:
        glyph = font["glyf"][name]
        left, right = glyph.xMin, glyph.xMax
        glyph.coordinates.translate((-left, 0))
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (right - left, 0)
        if name in accents.TopAccentCoverage.glyphs:
            place = accents.TopAccentAttachment[accents.TopAccentCoverage.glyphs.index(name)]
            place.Value -= left


def main() -> None:
    options = Options(flavor="woff2", hinting=False, layout_features=["dtls", "flac"])
    options.name_IDs = ["*"]
    source = files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"
    font = load_font(str(source), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
    subsetter.subset(font)
    for code in ACCENTS:
        give_width(font, font.getBestCmap()[code])
    TARGET.parent.mkdir(exist_ok=True)
    save_font(font, str(TARGET), options)


if __name__ == "__main__":
    main()
