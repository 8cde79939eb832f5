"""CUB-Loss in a plain PyTorch loop, beside cross entropy alone.

    python3 python/examples/cub_loss_loop.py

Each `# %%` starts a cell, as Jupyter, VS Code and Spyder show them.
"""

# %% What is needed.
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import cubcal
import cubcal.torch

parser = argparse.ArgumentParser()
parser.add_argument("--quick", action="store_true", help="fewer images and epochs: seconds instead of minutes")
arguments = parser.parse_args()
images, epochs, passes = (160, 4, 10) if arguments.quick else (2000, 12, 40)
warmup = epochs // 4

# %% Drawn lesions of four classes that look alike at the edges.
train = TensorDataset(*cubcal.phantom("train", images).tensors())
test = TensorDataset(*cubcal.phantom("test", images // 2).tensors())


def network():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 64, 3, 2, 1), nn.BatchNorm2d(64), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.3), nn.Linear(64, 4))


# %% The loop. The loss looks at the mean of several passes, so each batch goes through as often.
def trained(loss, passes_in_training=3):
    torch.manual_seed(0)
    model = network()
    optimiser = torch.optim.Adam(model.parameters(), 2e-3)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
    for epoch in range(epochs):
        model.train()
        for x, y in DataLoader(train, batch_size=64, shuffle=True):
            optimiser.zero_grad()
            z = torch.stack([model(x) for _ in range(passes_in_training)])  # [S, B, K]
            total = loss(z, y)
            total.backward()
            optimiser.step()
        terms = "  ".join(f"{name} {value.item():.3f}" for name, value in loss.last.items())
        print(f"epoch {epoch + 1:2}  beta {loss.beta:.4f}  {terms}")
        loss.end_epoch()
        decay.step()
    return model


# %% beta = 0 is cross entropy alone; "share" keeps the term at a quarter of the cross entropy.
print("cross entropy")
plain = trained(cubcal.torch.CUBLoss(classes=4, beta=0.0, warmup_epochs=0))
print("cross entropy + CUB-Loss")
cub = trained(cubcal.torch.CUBLoss(classes=4, beta="share", warmup_epochs=warmup))

# %% Both on the same test images.
logits = [cubcal.torch.mc_logits(model, DataLoader(test, batch_size=256), passes=passes, seed=1)
          for model in (plain, cub)]
labels = test.tensors[1]
print(cubcal.compare(*logits, labels, groups=cubcal.phantom("test", images // 2).patients, bootstrap=200))
