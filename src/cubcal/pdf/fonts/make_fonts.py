#!/usr/bin/env python3
"""Cuts the two fonts of PDF charts out of DejaVu Sans.

    /usr/bin/python3 make_fonts.py          writes sans.ttf and sans-bold.ttf beside this file
    /usr/bin/python3 make_fonts.py --check  says whether they are what it would write

Needs Debian's fonts-dejavu-core and python3-fonttools. Kept are the letters of European languages,
Greek, Cyrillic, and the signs that charts use; hints, features and DejaVu's name are dropped (its
license, in LICENSE, asks for another name of changed fonts).
"""

import io
import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path("/usr/share/fonts/truetype/dejavu")
FONTS = {"sans.ttf": "DejaVuSans.ttf", "sans-bold.ttf": "DejaVuSans-Bold.ttf"}
KEPT = [
    (0x20, 0x7E), (0xA0, 0x17F),      # Latin
    (0x218, 0x21B), (0x1E80, 0x1E85), (0x1EF2, 0x1EF3),
    (0x386, 0x3CE), (0x3D1, 0x3D1), (0x3D5, 0x3D5), (0x3F5, 0x3F5),  # Greek
    (0x400, 0x45F), (0x490, 0x491),   # Cyrillic
    (0x2009, 0x200A), (0x2010, 0x2015), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026),
    (0x202F, 0x2030), (0x2032, 0x2033), (0x2039, 0x203A),
    (0x2070, 0x2070), (0x2074, 0x207B), (0x2080, 0x208B), (0x20AC, 0x20AC), (0x2116, 0x2116),
    (0x2122, 0x2122), (0x2190, 0x2193), (0x2206, 0x2206), (0x2208, 0x2208), (0x2211, 0x2212),
    (0x221A, 0x221A), (0x221E, 0x221E), (0x222B, 0x222B), (0x2248, 0x2248), (0x2260, 0x2260),
    (0x2264, 0x2265), (0x25CB, 0x25CB), (0x25CF, 0x25CF), (0xFFFD, 0xFFFD),
]


def cut(source: pathlib.Path) -> bytes:
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.name_IDs = []
    options.notdef_outline = True
    options.drop_tables += ["MATH", "GDEF", "GPOS", "GSUB", "kern"]
    font = TTFont(source)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[code for first, last in KEPT for code in range(first, last + 1)])
    cutter.subset(font)
    for table in ("name", "OS/2", "post", "FFTM", "gasp"):
        if table in font:
            del font[table]
    # One map from characters to glyphs, which is all that the reader knows.
    cmap = font["cmap"]
    cmap.tables = [table for table in cmap.tables if table.format == 4][:1]
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def main() -> int:
    stale = 0
    for name, source in FONTS.items():
        made = cut(SOURCE / source)
        if sys.argv[1:] == ["--check"]:
            same = (HERE / name).read_bytes() == made
            stale += not same
            print(f"{name}: {'as made' if same else 'differs'}")
        else:
            (HERE / name).write_bytes(made)
            print(f"{name}: {len(made)} bytes")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
