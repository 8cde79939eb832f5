#!/usr/bin/env python3
"""Times the first layer of a ResNet on a GPU in PyTorch: 7x7 kernels of stride 2 over 3 channels, and the
same products as 4x4 kernels over blocks of 2x2 pixels, with 12 channels and with zeros to 16.

    python3 benchmarks/first_layer.py --images 256
"""

import argparse

import torch


def microseconds(work, repeats=10):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    begin.record()
    for _ in range(repeats):
        work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / repeats * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--search", action="store_true", help="let cuDNN search its algorithms")
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = options.search
    placed = {"device": "cuda", "dtype": torch.bfloat16}
    for channels, side, kernel, stride, padding in ((3, 224, 7, 2, 3), (12, 115, 4, 1, 0), (16, 115, 4, 1, 0)):
        images = torch.randn(options.images, channels, side, side, **placed)
        weights = torch.randn(64, channels, kernel, kernel, **placed)
        images = images.to(memory_format=torch.channels_last)
        weights = weights.to(memory_format=torch.channels_last)
        time = microseconds(lambda: torch.nn.functional.conv2d(images, weights, None, stride, padding))
        print(f"{channels} channels, {kernel}x{kernel}, stride {stride}: {time:.0f} us")


if __name__ == "__main__":
    main()
