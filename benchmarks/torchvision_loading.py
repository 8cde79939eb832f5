#!/usr/bin/env python3
"""Times torchvision's ImageFolder and DataLoader with the transforms of loading_bench.

    torchvision_loading.py FOLDER SIZE BATCH EPOCHS WORKERS

Prints the number of images and the seconds of each epoch as JSON.
"""

import json
import sys
import time

import torch
from torchvision import datasets, transforms


def main():
    folder, size, batch, epochs, workers = sys.argv[1], *map(int, sys.argv[2:6])
    torch.set_num_threads(1)  # the work is done by the workers
    pipeline = transforms.Compose([
        transforms.RandomResizedCrop(size, scale=(0.5, 1.0)),
        transforms.RandomHorizontalFlip(),
        transforms.RandomRotation(10, interpolation=transforms.InterpolationMode.BILINEAR),
        transforms.ColorJitter(brightness=0.1, contrast=0.1),
        transforms.ToTensor(),
        transforms.Normalize([0.5] * 3, [0.25] * 3),
    ])
    images = datasets.ImageFolder(folder, pipeline)
    loader = torch.utils.data.DataLoader(images, batch_size=batch, shuffle=True,
                                         num_workers=workers, persistent_workers=workers > 0)
    seconds = []
    for _ in range(epochs):
        start = time.perf_counter()
        for batch_images, _ in loader:
            batch_images.sum()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"images": len(images), "epochs": seconds}))


main()
