#!/usr/bin/python3
"""Writes reference_outputs.txt: what PyTorch and torchvision compute for the networks of this project.

Weights, buffers and images come from a formula of (name, index) that tests/models/formula_values.h
repeats, so only the outputs are stored. `NAME:linear` is a network with its linear head. Run with Debian's python3-torch and python3-torchvision:

    /usr/bin/python3 tests/models/make_reference.py > tests/models/reference_outputs.txt
"""

import numpy
import torch
import torchvision
from torch import nn


def formula_values(name, count):
    """Values of [-1, 1): SplitMix64 of (FNV-1a hash of the name) + index, top 24 bits."""
    start = 14695981039346656037
    for byte in name.encode():
        start = ((start ^ byte) * 1099511628211) % 2**64
    with numpy.errstate(over="ignore"):
        x = numpy.uint64(start) + numpy.arange(count, dtype=numpy.uint64)
        x = x * numpy.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        x = x ^ (x >> numpy.uint64(31))
    return (x >> numpy.uint64(40)).astype(numpy.float64) * 2.0**-23 - 1.0


def fill(name, tensor):
    values = formula_values(name, tensor.numel())
    if tensor.dim() > 1:
        values *= (3.0 / (tensor.numel() // tensor.shape[0])) ** 0.5
    elif name.endswith("running_var") or name.endswith("weight"):
        values = 1.0 + 0.5 * values
    else:
        values *= 0.1
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(values).view(tensor.shape))


def fill_network(network):
    for name, tensor in network.state_dict().items():
        if not name.endswith("num_batches_tracked"):
            fill(name, tensor)
    return network.eval()


def resnet(make, hidden, dropout, classes):
    network = make(weights=None)
    features = network.fc.in_features
    network.fc = nn.Sequential(
        nn.Linear(features, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, classes)
    )
    return network


class Pepx(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(
            nn.Conv2d(i, i // 2, 1),
            nn.Conv2d(i // 2, 3 * i // 4, 1),
            nn.Conv2d(3 * i // 4, 3 * i // 4, 3, padding=1, groups=3 * i // 4),
            nn.Conv2d(3 * i // 4, i // 2, 1),
            nn.Conv2d(i // 2, o, 1),
            nn.BatchNorm2d(o),
        )


class CovidNetLarge(nn.Module):
    """The table of layers, written out addend by addend."""

    def __init__(self, classes, flat):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 56, 7, stride=2, padding=3)
        widths, units = [56, 56, 112, 216, 424], [3, 4, 6, 3]
        for stage in range(1, 5):
            i, o = widths[stage - 1], widths[stage]
            setattr(self, f"conv{stage}_1x1", nn.Conv2d(i, o, 1))
            for unit in range(1, units[stage - 1] + 1):
                setattr(self, f"pepx{stage}_{unit}", Pepx(i if unit == 1 else o, o))
        self.fc1 = nn.Linear(flat, 1024)
        self.fc2 = nn.Linear(1024, 512)
        self.classifier = nn.Linear(512, classes)

    def forward(self, x):
        pool = nn.functional.max_pool2d
        relu = torch.relu
        x = pool(relu(self.conv1(x)), 2)
        k1 = self.conv1_1x1(x)
        p11 = self.pepx1_1(x)
        p12 = self.pepx1_2(p11 + k1)
        p13 = self.pepx1_3(p12 + p11 + k1)
        k2 = pool(self.conv2_1x1(p11 + p12 + p13 + k1), 2)
        p21 = self.pepx2_1(pool(p11, 2) + pool(p12, 2) + pool(p13, 2) + pool(k1, 2))
        p22 = self.pepx2_2(p21 + k2)
        p23 = self.pepx2_3(p22 + p21 + k2)
        p24 = self.pepx2_4(p23 + p22 + p21 + k2)
        k3 = pool(self.conv3_1x1(p21 + p22 + p23 + p24 + k2), 2)
        p31 = self.pepx3_1(pool(p21, 2) + pool(p22, 2) + pool(p23, 2) + pool(p24, 2) + pool(k2, 2))
        p32 = self.pepx3_2(p31 + k3)
        p33 = self.pepx3_3(p31 + p32 + k3)
        p34 = self.pepx3_4(p31 + p32 + p33 + k3)
        p35 = self.pepx3_5(p31 + p32 + p33 + p34 + k3)
        p36 = self.pepx3_6(p31 + p32 + p33 + p34 + p35 + k3)
        k4 = pool(self.conv4_1x1(p31 + p32 + p33 + p34 + p35 + p36 + k3), 2)
        p41 = self.pepx4_1(sum(pool(p, 2) for p in (p31, p32, p33, p34, p35, p36, k3)))
        p42 = self.pepx4_2(p41 + k4)
        p43 = self.pepx4_3(p42 + p41 + k4)
        x = torch.flatten(p41 + p42 + p43 + k4, 1)
        return self.classifier(relu(self.fc2(relu(self.fc1(x)))))


class Attention(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(features, 3 * features)
        self.proj = nn.Linear(features, features)

    def forward(self, x):
        b, t, f = x.shape
        q, k, v = (part.view(b, t, self.heads, f // self.heads).transpose(1, 2)
                   for part in self.qkv(x).chunk(3, dim=-1))
        seen = torch.softmax(torch.einsum("bhtd,bhsd->bhts", q, k) * (f // self.heads) ** -0.5, -1)
        return self.proj(torch.einsum("bhts,bhsd->bhtd", seen, v).transpose(1, 2).reshape(b, t, f))


class TransformerBlock(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(features, eps=1e-6)
        self.attn = Attention(features, heads)
        self.norm2 = nn.LayerNorm(features, eps=1e-6)
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(features, 4 * features),
                                  "fc2": nn.Linear(4 * features, features)})

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp["fc2"](nn.functional.gelu(self.mlp["fc1"](self.norm2(x))))


class VisionTransformerSmall(nn.Module):
    """timm's vit_small_patch16_224 by its parameter names, from the formulas of the paper."""

    def __init__(self, classes, side):
        super().__init__()
        self.cls_token = nn.Parameter(torch.zeros(1, 1, 384))
        self.pos_embed = nn.Parameter(torch.zeros(1, (side // 16) ** 2 + 1, 384))
        self.patch_embed = nn.ModuleDict({"proj": nn.Conv2d(3, 384, 16, stride=16)})
        self.blocks = nn.Sequential(*(TransformerBlock(384, 6) for _ in range(12)))
        self.norm = nn.LayerNorm(384, eps=1e-6)
        self.head = nn.Linear(384, classes)

    def forward(self, x):
        tokens = self.patch_embed["proj"](x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), tokens], 1) + self.pos_embed
        return self.head(self.norm(self.blocks(x)[:, 0]))


def main():
    models = torchvision.models
    side = 64
    images = torch.empty(2, 3, side, side, dtype=torch.float64)
    with torch.no_grad():
        images.copy_(torch.from_numpy(formula_values("images", images.numel())).view(images.shape))
    networks = {
        "resnet18": resnet(models.resnet18, 128, 0.1, 3),
        "resnet34": resnet(models.resnet34, 128, 0.1, 5),
        "resnet50": resnet(models.resnet50, 512, 0.3, 7),
        "covidnet-large": CovidNetLarge(3, 424 * 4),
        "resnet18:linear": models.resnet18(weights=None, num_classes=3),
        "resnet101:linear": models.resnet101(weights=None, num_classes=3),
        "densenet121": models.densenet121(weights=None, num_classes=4),
        "efficientnet-b0": models.efficientnet_b0(weights=None, num_classes=5),
        "convnext-tiny": models.convnext_tiny(weights=None, num_classes=3),
        "vit-s16": VisionTransformerSmall(6, side),
    }
    for name, network in networks.items():
        network = fill_network(network.double())
        with torch.no_grad():
            logits = network(images).flatten()
        parameters = sum(p.numel() for p in network.parameters())
        print(name, parameters, len(logits) // 2, *(f"{v:.12g}" for v in logits))


if __name__ == "__main__":
    main()
