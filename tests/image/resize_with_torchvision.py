#!/usr/bin/python3
"""Resizes images as torchvision does, for image_resize_test: every PNG of a folder, bilinear with
antialiasing, to every size, into NAME.SIZE.npy beside it.

    /usr/bin/python3 tests/image/resize_with_torchvision.py FOLDER HEIGHTxWIDTH ...
"""

import pathlib
import sys

import numpy
import torch
from PIL import Image
from torchvision.transforms import functional

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.png")):
    pixels = numpy.asarray(Image.open(path))
    pixels = pixels.reshape(pixels.shape[0], pixels.shape[1], -1).copy()
    tensor = torch.from_numpy(pixels).permute(2, 0, 1)
    for size in sys.argv[2:]:
        resized = functional.resize(tensor, [int(n) for n in size.split("x")], antialias=True)
        numpy.save(f"{path}.{size}.npy", resized.permute(1, 2, 0).contiguous().numpy())
