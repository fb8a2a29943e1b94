"""PDFs of any kind, made by hand: no library writes the broken and hostile ones."""

from __future__ import annotations

import zlib

BROKEN = b"q Q broken"
"""The content of a page that no reader can unpack."""
SLOW = b"\2" * 40_000_000
"""The content of a page that takes half a minute to unpack."""
_BY_PREDICTOR = {BROKEN: 1_000_000_000, SLOW: 1}


def pdf(*pages: str | bytes, packed: bool = False) -> bytes:
    """Return a PDF with a page for each text; bytes are the content of a page as it is."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for page in pages:
        content = page if isinstance(page, bytes) else _drawn(page)
        keys = b""
        if packed or page in _BY_PREDICTOR:
            content, keys = zlib.compress(content, 1), b" /Filter /FlateDecode"
        if page in _BY_PREDICTOR:
            keys += b" /DecodeParms << /Predictor 12 /Columns %d >>" % _BY_PREDICTOR[page]
        number = len(objects) + 1
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(content), keys, content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % number
        )
        kids.append(b"%d 0 R" % (number + 1))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    return _file(objects)


def bomb(size: int) -> bytes:
    """Return a PDF of one page whose content is `size` bytes when it is unpacked."""
    packer = zlib.compressobj(1)
    portion = b"BT /F1 12 Tf (a) Tj ET\n" * 50_000
    content = b"".join([packer.compress(portion) for _ in range(size // len(portion))])
    content += packer.flush()
    page = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content)
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            page,
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R "
                b"/Resources << /Font << /F1 3 0 R >> >> >>"
            ),
        ]
    )


def encrypted() -> bytes:
    """Return a PDF that needs a password."""
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(io.BytesIO(pdf("hidden"))))
    writer.encrypt("secret", algorithm="RC4-128")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()


def _drawn(text: str) -> bytes:
    lines = (b"(%s) Tj T*" % line.encode("latin-1") for line in text.split("\n"))
    return b"BT /F1 12 Tf 14 TL 20 280 Td " + b" ".join(lines) + b" ET"


def _file(objects: list[bytes]) -> bytes:
    pieces, offsets, start = [b"%PDF-1.4\n"], [], len(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        offsets.append(start)
        pieces.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        start += len(pieces[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        b"".join(pieces)
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    )
