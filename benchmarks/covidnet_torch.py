"""COVID-Net-Large in plain torch: the network cubcal calls covidnet-large, for comparisons.

A PEPX unit is 1x1 in -> in/2 -> 3 in/4, 3x3 depthwise, 1x1 -> in/2 -> out, batch norm, without an
activation inside. Each stage sums its units and a 1x1 shortcut; from the second stage on the
shortcut is halved after its projection, and the first unit sees the sum of the stage before with
each addend halved by itself.
"""

import torch
from torch import nn
from torch.nn.functional import max_pool2d


def pepx(inputs, outputs):
    narrow, wide = inputs // 2, 3 * inputs // 4
    return nn.Sequential(
        nn.Conv2d(inputs, narrow, 1),
        nn.Conv2d(narrow, wide, 1),
        nn.Conv2d(wide, wide, 3, padding=1, groups=wide),
        nn.Conv2d(wide, narrow, 1),
        nn.Conv2d(narrow, outputs, 1),
        nn.BatchNorm2d(outputs))


class Stage(nn.Module):
    def __init__(self, inputs, outputs, units, first):
        super().__init__()
        self.first = first
        self.shortcut = nn.Conv2d(inputs, outputs, 1)
        self.units = nn.ModuleList(
            pepx(inputs if unit == 0 else outputs, outputs) for unit in range(units))

    def forward(self, addends):
        """Takes and gives the list of addends whose sum is a stage's output."""
        shortcut = self.shortcut(sum(addends))
        if not self.first:
            shortcut = max_pool2d(shortcut, 2)
            addends = [max_pool2d(addend, 2) for addend in addends]
        results = [shortcut, self.units[0](sum(addends))]
        for unit in self.units[1:]:
            results.append(unit(sum(results)))
        return results


class CovidNetLarge(nn.Module):
    def __init__(self, classes=3, size=224):
        super().__init__()
        self.stem = nn.Conv2d(3, 56, 7, stride=2, padding=3)
        self.stages = nn.ModuleList([
            Stage(56, 56, 3, True), Stage(56, 112, 4, False),
            Stage(112, 216, 6, False), Stage(216, 424, 3, False)])
        side = (size + 1) // 2 // 16
        self.head = nn.Sequential(
            nn.Linear(424 * side * side, 1024), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(1024, 512), nn.ReLU(), nn.Dropout(0.2), nn.Linear(512, classes))

    def forward(self, images):
        addends = [max_pool2d(torch.relu(self.stem(images)), 2)]
        for stage in self.stages:
            addends = stage(addends)
        return self.head(sum(addends).flatten(1))
