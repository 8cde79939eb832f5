#!/usr/bin/python3
"""Writes the image files that image_test reads (tests/data/images) and what they must decode to.

Needs Debian's python3-numpy and python3-pil. PNG files are put together by hand, so that every
colour type, depth and interlacing can be had; what they must decode to comes from the formulas of
png_image.h. JPEG files and their pixels come from Pillow.

    /usr/bin/python3 tests/image/make_images.py tests/data/images
"""

import io
import pathlib
import struct
import sys
import zlib

import numpy
from PIL import Image

HEIGHT, WIDTH = 5, 7
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed_rows(pixels, depth):
    """Rows [h, w, channels] as PNG has them, each after a filter byte of 0."""
    rows = b""
    for row in pixels.reshape(pixels.shape[0], -1):
        if depth == 16:
            data = row.astype(">u2").tobytes()
        elif depth == 8:
            data = row.astype(numpy.uint8).tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in row)
            bits += "0" * (-len(bits) % 8)
            data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        rows += b"\0" + data
    return rows


def png(pixels, colour, depth=8, interlaced=False, before_data=b""):
    height, width = pixels.shape[:2]
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2),
                  (0, 1, 2, 2), (1, 0, 2, 1)]
    data = b""
    for y, x, dy, dx in passes:
        part = pixels[y::dy, x::dx]
        if part.size:
            data += packed_rows(part, depth)
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + before_data +
            chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def on_black(colours, alpha, largest=255):
    return (colours.astype(int) * alpha.astype(int) + largest // 2) // largest


def png_files(random):
    def draw(channels, levels):
        return random.integers(0, levels, (HEIGHT, WIDTH, channels))

    gray, rgb = draw(1, 256), draw(3, 256)
    yield "gray8", png(gray, GRAY), gray
    yield "rgb8", png(rgb, RGB), rgb
    yield "rgb8_interlaced", png(rgb, RGB, interlaced=True), rgb
    for depth in (1, 2, 4):
        few = draw(1, 2 ** depth)
        yield f"gray{depth}", png(few, GRAY, depth), few * (255 // (2 ** depth - 1))
    deep = draw(1, 65536)
    yield "gray16", png(deep, GRAY, 16), deep
    deep = draw(3, 65536)
    yield "rgb16", png(deep, RGB, 16), deep
    alpha = draw(1, 256)
    yield "rgba8", png(numpy.concatenate([rgb, alpha], 2), RGBA), on_black(rgb, alpha)
    yield "gray_alpha8", png(numpy.concatenate([gray, alpha], 2), GRAY_ALPHA), on_black(gray, alpha)
    palette = random.integers(0, 256, (16, 3))
    index = draw(1, 16)
    colours = palette[index[:, :, 0]]
    table = chunk(b"PLTE", palette.astype(numpy.uint8).tobytes())
    yield "palette4", png(index, PALETTE, 4, before_data=table), colours
    opacity = random.integers(0, 256, 16)
    table += chunk(b"tRNS", opacity.astype(numpy.uint8).tobytes())
    yield ("palette4_transparent", png(index, PALETTE, 4, before_data=table),
           on_black(colours, opacity[index]))


def deep_alpha_files(random):
    def draw(channels):
        return random.integers(0, 65536, (HEIGHT, WIDTH, channels))

    gray, rgb, alpha = draw(1), draw(3), draw(1)
    yield ("gray_alpha16", png(numpy.concatenate([gray, alpha], 2), GRAY_ALPHA, 16),
           on_black(gray, alpha, 65535))
    yield ("rgba16_interlaced", png(numpy.concatenate([rgb, alpha], 2), RGBA, 16, interlaced=True),
           on_black(rgb, alpha, 65535))
    transparent = chunk(b"tRNS", struct.pack(">H", int(gray[2, 3, 0])))
    yield ("gray16_transparent", png(gray, GRAY, 16, before_data=transparent),
           numpy.where(gray == gray[2, 3, 0], 0, gray))


def jpeg_files(random):
    smooth = numpy.linspace(0, 255, 24)[None, :, None] * numpy.linspace(0.3, 1, 16)[:, None, None]
    rgb = numpy.concatenate([smooth, 255 - smooth, smooth / 2 + 60], 2).astype(numpy.uint8)

    def encode(image, **options):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=95, **options)
        return out.getvalue()

    def decoded(data, mode):
        return numpy.asarray(Image.open(io.BytesIO(data)).convert(mode))

    data = encode(Image.fromarray(rgb))
    yield "rgb", data, decoded(data, "RGB")
    data = encode(Image.fromarray(rgb), progressive=True)
    yield "rgb_progressive", data, decoded(data, "RGB")
    data = encode(Image.fromarray(rgb[:, :, 0]))
    yield "gray", data, decoded(data, "L")[:, :, None]
    inks = random.integers(0, 256, (1, 1, 4)) // 2 + rgb[:, :, [0, 1, 2, 0]] // 2
    data = encode(Image.fromarray(inks.astype(numpy.uint8), "CMYK"))
    ink = numpy.asarray(Image.open(io.BytesIO(data))).astype(int)  # Pillow undoes the inversion
    light = 255 - ink
    yield "cmyk", data, (light[:, :, :3] * light[:, :, 3:] + 127) // 255


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(1)
    expected = {}
    for name, data, pixels in [*png_files(random), *deep_alpha_files(numpy.random.default_rng(2))]:
        (folder / f"{name}.png").write_bytes(data)
        deep = "16" in name
        expected[f"{name}.png"] = pixels.astype(numpy.uint16 if deep else numpy.uint8)
    for name, data, pixels in jpeg_files(random):
        (folder / f"{name}.jpg").write_bytes(data)
        expected[f"{name}.jpg"] = pixels.astype(numpy.uint8)
    numpy.savez(folder / "expected.npz", **expected)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
