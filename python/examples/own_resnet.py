"""Your own PyTorch ResNet with MC dropout: evaluate, calibrate, verdict, plots, report.

    python3 python/examples/own_resnet.py --out own_resnet

Each `# %%` starts a cell, as Jupyter, VS Code and Spyder show them.
"""

# %% What is needed. cubcal.torch is the only part of cubcal that needs torch.
import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import cubcal
import cubcal.torch

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="own_resnet", help="folder for the results")
parser.add_argument("--quick", action="store_true", help="fewer images, epochs and passes: seconds instead of minutes")
arguments = parser.parse_args()
out = Path(arguments.out)
out.mkdir(parents=True, exist_ok=True)
images, epochs, passes = (240, 2, 8) if arguments.quick else (2000, 15, 40)
torch.manual_seed(0)


# %% Any network. This one is a small ResNet with dropout before its last layer.
class Block(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.BatchNorm2d(outside))
        self.skip = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        return torch.relu(self.path(x) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stages = nn.Sequential(Block(3, 16, 2), Block(16, 32, 2), Block(32, 64, 2))
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        features = self.stages(x).mean((2, 3))
        return self.head(nn.functional.dropout(features, 0.3, self.training))


# %% Images: lesions that are drawn. Yours come from your own data set.
def loader(split, count, shuffle=False):
    return DataLoader(TensorDataset(*cubcal.phantom(split, count).tensors()), batch_size=64, shuffle=shuffle)


train, val, test, ood = (loader("train", images, True), loader("val", images // 2), loader("test", images // 2),
                         loader("ood", images // 10))

# %% Training, as always.
model = ResNet(4)
optimiser = torch.optim.Adam(model.parameters(), 2e-3)
decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
for epoch in range(epochs):
    model.train()
    for x, y in train:
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimiser.step()
    decay.step()

# %% Logits of several passes with dropout on; batch norm stays as it was trained.
val_z, val_y = cubcal.torch.mc_logits(model, val, passes=passes, labels=True, seed=0)
test_z, test_y = cubcal.torch.mc_logits(model, test, passes=passes, labels=True, seed=1)
ood_z = cubcal.torch.mc_logits(model, ood, passes=passes, seed=2)

# %% How good, and how honest? Patients have several images: intervals draw whole patients.
patients = cubcal.phantom("test", images // 2).patients
before = cubcal.evaluate(test_z, test_y, groups=patients, bootstrap=200, ood=ood_z)
print(before)

# %% Calibrate on validation images: the method that helps most and harms nothing, or none.
calibrator = cubcal.Calibrator().fit(val_z, val_y, groups=cubcal.phantom("val", images // 2).patients)
print(f"\n{calibrator}")
print(cubcal.compare(test_z, test_z, test_y, groups=patients, bootstrap=200, calibration_b=calibrator))

# %% What to do with each answer, at rates stated beforehand.
verdict = cubcal.Verdict(alpha=0.05, calibration=calibrator).fit(val_z, val_y)
for name, z in (("test", test_z), ("outliers", ood_z)):
    print(f"\n{name}\n{verdict.predict(z)}")

# %% Pictures and a page.
p = calibrator.prediction(test_z)
figure, axes = plt.subplots(2, 2, figsize=(10, 8))
for chart, ax in zip((cubcal.plot.reliability, cubcal.plot.boundary, cubcal.plot.risk_coverage,
                      cubcal.plot.uncertainty_density), axes.flat):
    chart(p, test_y, ax=ax)
figure.tight_layout()
figure.savefig(out / "charts.png", dpi=120)
if calibrator.document():
    calibrator.save(out / "calibration.json")
cubcal.report(test_z, test_y, out / "report.html", validation=(val_z, val_y), ood=ood_z, groups=patients,
              class_names=["smooth", "irregular", "textured", "vascular"], name="ResNet with MC dropout",
              bootstrap=200)
print(f"\nwrote {out / 'charts.png'} and {out / 'report.html'}")
