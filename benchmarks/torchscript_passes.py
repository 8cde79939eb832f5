#!/usr/bin/python3
"""MC dropout of a TorchScript ResNet-18 in cubcal against plain passes of PyTorch, in one run.

    /usr/bin/python3 benchmarks/torchscript_passes.py [build/cubcal]

Two networks of torchvision: dropout before the last layer alone, where cubcal runs what is before
it once, and Dropout2d in every residual block, where there is nothing to share. Prints images a
second for 10 passes, the median of three rounds that take turns.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import torch
import torchvision
from torch import nn

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/cubcal")
PASSES, IMAGES, SIZE, ROUNDS = 10, 8, 224, 3


def network(everywhere):
    torch.manual_seed(1)
    net = torchvision.models.resnet18(num_classes=5)
    if everywhere:
        for layer in (net.layer1, net.layer2, net.layer3, net.layer4):
            for block in layer:
                block.bn2 = nn.Sequential(block.bn2, nn.Dropout2d(0.1))
    net.fc = nn.Sequential(nn.Dropout(0.3), net.fc)
    return net.eval()


@torch.no_grad()
def pytorch(net, images):
    for module in net.modules():
        if isinstance(module, (nn.Dropout, nn.Dropout2d)):
            module.train()
    start = time.perf_counter()
    torch.stack([net(images) for _ in range(PASSES)])
    return IMAGES / (time.perf_counter() - start)


def cubcal(folder):
    done = subprocess.run(
        [PROGRAM, "bench", "--model", folder, "--jobs", "predict", "--mc", str(PASSES), "--images",
         str(IMAGES), "--seconds", "0", "--format", "json"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rows"][0]["images_per_second"]


def main():
    images = torch.randn(IMAGES, 3, SIZE, SIZE)
    print("%d threads, PyTorch %s; %d images of %d pixels, %d passes; images a second" %
          (torch.get_num_threads(), torch.__version__, IMAGES, SIZE, PASSES))
    with tempfile.TemporaryDirectory() as scratch:
        for title, everywhere in (("dropout before the last layer", False),
                                  ("dropout in every block", True)):
            net = network(everywhere)
            file, folder = os.path.join(scratch, "net.ts"), os.path.join(scratch, "model")
            torch.jit.script(net).save(file)
            subprocess.run([PROGRAM, "import", file, "--trust", "--input", "3x%dx%d" % (SIZE, SIZE),
                            "--classes", "5", "--force", "-o", folder], check=True,
                           capture_output=True)
            rounds = [(pytorch(net, images), cubcal(folder)) for _ in range(ROUNDS)]
            theirs, ours = (sorted(each)[ROUNDS // 2] for each in zip(*rounds))
            print("%-30s PyTorch %6.2f, cubcal %6.2f: %.1f times" %
                  (title, theirs, ours, ours / theirs))


if __name__ == "__main__":
    main()
