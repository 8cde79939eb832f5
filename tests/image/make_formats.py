#!/usr/bin/python3
"""Writes the TIFF, BMP, WebP, GIF, JPEG 2000 and JPEG XL files, and the turned JPEGs, that formats_test reads
(tests/data/formats) and what they must decode to. They are the seeds of the fuzzers of these formats too.

Needs Debian's python3-numpy, python3-pil and libjxl-tools. BMP files are put together by hand; the others, and their
pixels, come from Pillow, and 16-bit RGB TIFFs from the layout of the format.

    /usr/bin/python3 tests/image/make_formats.py tests/data/formats
"""

import io
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
from PIL import Image

HEIGHT, WIDTH = 5, 7


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def pixels_of(data, mode):
    array = numpy.asarray(Image.open(io.BytesIO(data)).convert(mode))
    return array[:, :, None] if array.ndim == 2 else array


def bmp(pixels, bits, palette=None, top_down=False, masks=None, old=False):
    """Rows of `pixels` [h, w]: palette entries, or whole values of a pixel."""
    height, width = pixels.shape
    rows = []
    for row in pixels:
        if bits <= 8:
            text = "".join(format(int(v), f"0{bits}b") for v in row)
            text += "0" * (-len(text) % 8)
            data = bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
        else:
            data = b"".join(int(v).to_bytes(bits // 8, "little") for v in row)
        rows.append(data + b"\0" * (-len(data) % 4))
    if not top_down:
        rows.reverse()
    table = b""
    if palette is not None:
        table = b"".join(bytes([b, g, r]) + (b"" if old else b"\0") for r, g, b in palette)
    if masks:
        table = struct.pack("<III", *masks)
    if old:
        head = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        used = len(palette) if palette is not None else 0
        head = struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, bits,
                           3 if masks else 0, 0, 2835, 2835, used, 0)
    start = 14 + len(head) + len(table)
    body = b"".join(rows)
    return b"BM" + struct.pack("<IHHI", start + len(body), 0, 0, start) + head + table + body


def whole(rgb):
    return (rgb[:, :, 0].astype(int) << 16) | (rgb[:, :, 1].astype(int) << 8) | rgb[:, :, 2]


def bmp_files(random):
    rgb = random.integers(0, 256, (HEIGHT, WIDTH, 3)).astype(numpy.uint8)
    yield "rgb24.bmp", bmp(whole(rgb), 24), rgb
    yield "rgb24_top_down.bmp", bmp(whole(rgb), 24, top_down=True), rgb
    yield "rgb24_old.bmp", bmp(whole(rgb), 24, old=True), rgb
    yield "rgb32.bmp", bmp(whole(rgb), 32), rgb
    yield ("rgb32_masks.bmp", bmp(whole(rgb[:, :, ::-1]), 32, masks=(0xff, 0xff00, 0xff0000)), rgb)
    small = random.integers(0, 32, (HEIGHT, WIDTH, 3))
    packed = (small[:, :, 0] << 10) | (small[:, :, 1] << 5) | small[:, :, 2]
    yield "rgb16.bmp", bmp(packed, 16), (small * 255 + 15) // 31
    for bits in (1, 4, 8):
        count = 2 ** bits
        palette = random.integers(0, 256, (count, 3))
        index = random.integers(0, count, (HEIGHT, WIDTH))
        yield f"palette{bits}.bmp", bmp(index, bits, palette), palette[index]
    grays = numpy.repeat(numpy.arange(256)[:, None], 3, 1)
    index = random.integers(0, 256, (HEIGHT, WIDTH))
    yield "gray8.bmp", bmp(index, 8, grays), index[:, :, None]


def tiff16(pixels, big=False, photometric=None):
    """An uncompressed TIFF of 16 bits, gray or RGB, in one strip."""
    height, width, channels = pixels.shape
    order, kind = (">", b"MM") if big else ("<", b"II")
    data = pixels.astype(order + "u2").tobytes()
    if photometric is None:
        photometric = 1 if channels == 1 else 2
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, channels, 16), (259, 3, 1, 1),
               (262, 3, 1, photometric), (273, 4, 1, 0), (277, 3, 1, channels), (278, 4, 1, height),
               (279, 4, 1, len(data))]
    start = 8 + 2 + 12 * len(entries) + 4
    bits = struct.pack(order + "3H", 16, 16, 16) if channels == 3 else b""
    out = kind + struct.pack(order + "HI", 42, 8) + struct.pack(order + "H", len(entries))
    for tag, field, count, value in entries:
        if tag == 273:
            value = start + len(bits)
        if tag == 258 and channels == 3:
            value = start
        if field == 3 and count == 1:
            out += struct.pack(order + "HHIHH", tag, field, count, value, 0)
        else:
            out += struct.pack(order + "HHII", tag, field, count, value)
    return out + struct.pack(order + "I", 0) + bits + data


def tiff_files(random):
    rgb = random.integers(0, 256, (HEIGHT, WIDTH, 3)).astype(numpy.uint8)
    gray = rgb[:, :, 0]
    for name, options in {"": {}, "_lzw": {"compression": "tiff_lzw"},
                          "_deflate": {"compression": "tiff_adobe_deflate"},
                          "_packbits": {"compression": "packbits"}}.items():
        yield f"rgb8{name}.tif", saved(Image.fromarray(rgb), "TIFF", **options), rgb
        yield f"gray8{name}.tif", saved(Image.fromarray(gray), "TIFF", **options), gray[:, :, None]
    deep = random.integers(0, 65536, (HEIGHT, WIDTH, 3))
    yield "rgb16.tif", tiff16(deep), deep
    yield "gray16.tif", tiff16(deep[:, :, :1]), deep[:, :, :1]
    yield "gray16_big.tif", tiff16(deep[:, :, :1], big=True), deep[:, :, :1]
    yield "gray16_white.tif", tiff16(deep[:, :, :1], photometric=0), 65535 - deep[:, :, :1]
    rgba = numpy.concatenate([rgb, random.integers(0, 256, (HEIGHT, WIDTH, 1))], 2)
    data = saved(Image.fromarray(rgba.astype(numpy.uint8), "RGBA"), "TIFF")
    yield "rgba8.tif", data, (rgb.astype(int) * rgba[:, :, 3:] + 127) // 255
    bits = Image.fromarray(((gray > 127) * 255).astype(numpy.uint8)).convert("1", dither=0)
    for name, options in {"": {}, "_fax": {"compression": "group4"}}.items():
        data = saved(bits, "TIFF", **options)
        yield f"bits1{name}.tif", data, pixels_of(data, "L")
    palette = Image.fromarray(rgb).quantize(16)
    data = saved(palette, "TIFF")
    yield "palette8.tif", data, pixels_of(data, "RGB")
    for turn in (3, 6):
        data = saved(Image.fromarray(gray), "TIFF", tiffinfo={274: turn})
        turned = gray[::-1, ::-1] if turn == 3 else numpy.rot90(gray, 3)
        yield f"gray8_turned{turn}.tif", data, turned[:, :, None]


def smooth_image():
    ramp = numpy.linspace(0, 255, 24)[None, :, None] * numpy.linspace(0.3, 1, 16)[:, None, None]
    return numpy.concatenate([ramp, 255 - ramp, ramp / 2 + 60], 2).astype(numpy.uint8)


def webp_files(random):
    rgb = smooth_image()
    data = saved(Image.fromarray(rgb), "WEBP", lossless=True)
    yield "lossless.webp", data, rgb
    data = saved(Image.fromarray(rgb), "WEBP", quality=90)
    yield "lossy.webp", data, pixels_of(data, "RGB")
    alpha = random.integers(1, 256, rgb.shape[:2] + (1,)).astype(numpy.uint8)
    rgba = numpy.concatenate([rgb, alpha], 2)
    data = saved(Image.fromarray(rgba, "RGBA"), "WEBP", lossless=True, exact=True)
    yield "alpha.webp", data, (rgb.astype(int) * alpha + 127) // 255
    exif = Image.Exif()
    exif[274] = 6
    data = saved(Image.fromarray(rgb), "WEBP", lossless=True, exif=exif)
    yield "turned6.webp", data, numpy.rot90(rgb, 3)


def gif_files(random):
    rgb = Image.fromarray(smooth_image()).quantize(40)
    data = saved(rgb, "GIF", interlace=0)
    yield "rgb.gif", data, pixels_of(data, "RGB")
    data = saved(rgb, "GIF", interlace=1)
    yield "rgb_interlaced.gif", data, pixels_of(data, "RGB")
    noise = random.integers(0, 256, (90, 80)).astype(numpy.uint8)
    data = saved(Image.fromarray(noise), "GIF")  # the table of codes runs full
    yield "gray.gif", data, noise[:, :, None]
    frames = [Image.fromarray(noise[:20, :20]), Image.fromarray(noise[20:40, :20])]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    yield "two_frames.gif", data, noise[:20, :20, None]
    clear = Image.fromarray(smooth_image()).quantize(16)
    data = saved(clear, "GIF", transparency=3)
    rgba = pixels_of(data, "RGBA").astype(int)
    yield "transparent.gif", data, rgba[:, :, :3] * (rgba[:, :, 3:] > 0)


def jpeg2000_files(random):
    rgb = smooth_image()
    lossless = {"irreversible": False}
    yield "rgb.jp2", saved(Image.fromarray(rgb), "JPEG2000", **lossless), rgb
    data = saved(Image.fromarray(rgb), "JPEG2000", no_jp2=True, **lossless)
    yield "rgb.j2k", data, rgb
    gray = rgb[:, :, 0]
    yield "gray.jp2", saved(Image.fromarray(gray), "JPEG2000", **lossless), gray[:, :, None]
    data = saved(Image.fromarray(rgb), "JPEG2000", irreversible=True, quality_mode="rates",
                 quality_layers=[8])
    yield "lossy.jp2", data, pixels_of(data, "RGB")
    deep = (gray.astype(int) * 257 + random.integers(-100, 100, gray.shape)).clip(0, 65535)
    image = Image.fromarray(deep.astype(numpy.uint16))
    yield "gray16.jp2", saved(image, "JPEG2000", **lossless), deep[:, :, None]
    rgba = numpy.concatenate([rgb, 255 - gray[:, :, None] // 2], 2)
    data = saved(Image.fromarray(rgba, "RGBA"), "JPEG2000", **lossless)
    yield "alpha.jp2", data, (rgb.astype(int) * rgba[:, :, 3:] + 127) // 255


def encoded_by_cjxl(name, data, *options):
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / name, pathlib.Path(folder) / "out.jxl"
        source.write_bytes(data)
        subprocess.run(["cjxl", source, target, "--quiet", *options], check=True, capture_output=True)
        return target.read_bytes()


def decoded_by_djxl(data):
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / "in.jxl", pathlib.Path(folder) / "out.png"
        source.write_bytes(data)
        subprocess.run(["djxl", source, target, "--quiet"], check=True, capture_output=True)
        return numpy.asarray(Image.open(target).convert("RGB"))


def jpegxl_files(random):
    rgb = smooth_image()
    gray = rgb[:, :, 0]
    png = {"rgb": saved(Image.fromarray(rgb), "PNG"), "gray": saved(Image.fromarray(gray), "PNG")}
    yield "rgb.jxl", encoded_by_cjxl("a.png", png["rgb"], "-d", "0"), rgb
    yield "rgb_boxes.jxl", encoded_by_cjxl("a.png", png["rgb"], "-d", "0", "--container=1"), rgb
    yield "gray.jxl", encoded_by_cjxl("a.png", png["gray"], "-d", "0"), gray[:, :, None]
    data = encoded_by_cjxl("a.png", png["rgb"], "-d", "1")
    yield "lossy.jxl", data, decoded_by_djxl(data)
    deep = (gray.astype(int) * 257 + random.integers(-100, 100, gray.shape)).clip(0, 65535)
    data = saved(Image.fromarray(deep.astype(numpy.uint16)), "PNG")
    yield "gray16.jxl", encoded_by_cjxl("a.png", data, "-d", "0"), deep[:, :, None]
    rgba = numpy.concatenate([rgb, 255 - gray[:, :, None] // 2], 2)
    data = encoded_by_cjxl("a.png", saved(Image.fromarray(rgba, "RGBA"), "PNG"), "-d", "0")
    yield "alpha.jxl", data, (rgb.astype(int) * rgba[:, :, 3:] + 127) // 255
    exif = Image.Exif()
    exif[274] = 6
    jpeg = saved(Image.fromarray(numpy.ascontiguousarray(numpy.rot90(rgb, 1))), "JPEG", quality=98, subsampling=0, exif=exif)
    yield "lossy_turned6.jxl", encoded_by_cjxl("a.jpg", jpeg), rgb


def jpeg_files(random):
    """All eight orientations of one picture, which must come out the same."""
    rgb = smooth_image()
    stored = {1: rgb, 2: rgb[:, ::-1], 3: rgb[::-1, ::-1], 4: rgb[::-1],
              5: rgb.transpose(1, 0, 2), 6: numpy.rot90(rgb, 1),
              7: rgb[::-1, ::-1].transpose(1, 0, 2), 8: numpy.rot90(rgb, 3)}
    for turn, pixels in stored.items():
        exif = Image.Exif()
        exif[274] = turn
        image = Image.fromarray(numpy.ascontiguousarray(pixels))
        data = saved(image, "JPEG", quality=98, subsampling=0, exif=exif)
        yield f"turned{turn}.jpg", data, rgb


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    makers = (bmp_files, tiff_files, webp_files, gif_files, jpeg2000_files, jpeg_files, jpegxl_files)
    for seed, maker in enumerate(makers):
        for name, data, pixels in maker(numpy.random.default_rng(seed)):
            (folder / name).write_bytes(data)
            expected[name] = pixels.astype(numpy.uint16 if "16" in name and "bmp" not in name
                                           else numpy.uint8)
    numpy.savez_compressed(folder / "expected.npz", **expected)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
