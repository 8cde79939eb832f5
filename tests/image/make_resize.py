#!/usr/bin/python3
"""Writes the reference of image_resize_test (tests/data/resize/expected.npz): an image made by formula
and what torchvision's antialiased resize makes of it.

Needs Debian's python3-numpy and python3-torchvision.

    /usr/bin/python3 tests/image/make_resize.py tests/data/resize/expected.npz
"""

import sys

import numpy
import torch
from torchvision.transforms import functional

HEIGHT, WIDTH = 40, 56
SIZES = [(20, 28), (17, 31), (7, 5), (1, 1), (40, 23), (13, 56), (47, 61), (52, 19)]


def drawn():
    """Gradients, an edge and noise that a formula gives, float from 0 to 1, [h, w, 3]."""
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    noise = (x * 7919 + y * 104729 + x * y * 31) % 256 / 255
    smooth = (x / (WIDTH - 1) + y / (HEIGHT - 1)) / 2
    edge = ((x - 30) ** 2 + (y - 18) ** 2 < 150).astype(float)
    return numpy.stack([0.6 * smooth + 0.4 * noise, edge, noise], 2)


def resized(image, size, largest):
    tensor = torch.from_numpy(image.astype(numpy.float32)).permute(2, 0, 1)
    out = functional.resize(tensor, list(size), antialias=True)
    return numpy.clip(numpy.rint(out.permute(1, 2, 0).numpy()), 0, largest)


def main(path):
    arrays = {}
    for name, dtype in (("byte", numpy.uint8), ("deep", numpy.uint16)):
        largest = numpy.iinfo(dtype).max
        rgb = numpy.rint(drawn() * largest).astype(dtype)
        for channels in (1,) if dtype == numpy.uint16 else (1, 3):
            image = rgb[:, :, :channels]
            arrays[f"{name}{channels}"] = image
            for size in SIZES:
                key = f"{name}{channels}_{size[0]}x{size[1]}"
                arrays[key] = resized(image, size, largest).astype(dtype)
    numpy.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
