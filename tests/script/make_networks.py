#!/usr/bin/python3
"""Writes tests/data/script: TorchScript files of small networks, and what PyTorch makes of them.

    /usr/bin/python3 tests/script/make_networks.py

expected.npz holds `images` [4, 3, 16, 16] and, for each network NAME, `NAME_logits` (dropout off),
`NAME_features` where the test reads a layer, and of those with dropout `NAME_mean` and
`NAME_deviation` [4, 3] of the logits over PyTorch's own passes.
"""
import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

OUT = os.path.join(os.path.dirname(__file__), "..", "data", "script")
PASSES = 20000


class Block(nn.Module):
    """As MONAI's: convolution, norm, dropout of channels, activation, in a residual unit."""

    def __init__(self, width, rate):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.drop = nn.Dropout2d(rate)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(x + self.drop(self.norm(self.conv(x))))


class Monai(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.blocks = nn.Sequential(Block(8, 0.1), Block(8, 0.2))
        self.drop = nn.Dropout(0.3, inplace=inplace)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.blocks(self.stem(x)).mean((2, 3))
        return self.head(self.drop(x))


class Timm(nn.Module):
    """As timm's: features, global pool, F.dropout by a rate, classifier."""

    def __init__(self, rate=0.25):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, 3)
        self.drop_rate = rate

    def forward_features(self, x):
        return F.relu(self.bn(self.conv(x)))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.forward_features(x), 1).flatten(1)
        if self.drop_rate > 0.0:
            x = F.dropout(x, p=self.drop_rate, training=self.training)
        return self.fc(x)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU(),
                                    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))

    def forward(self, x):
        return self.layers(x)


class TokensFirst(nn.Module):
    """[tokens, batch, features], so that rows of a dropout are not images."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 8, 4, stride=4)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        tokens = self.embed(x).flatten(2).permute(2, 0, 1)
        return self.fc(torch.relu(self.drop(tokens)).mean(0))


class NoLinear(nn.Module):
    """Ends in a convolution: there is no input of a last linear layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, stride=2)
        self.drop = nn.Dropout(0.2)
        self.classify = nn.Conv2d(6, 3, 1)

    def forward(self, x):
        return self.classify(self.drop(torch.relu(self.conv(x)))).mean((2, 3))


class Softmax(Timm):
    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.forward_features(x), 1).flatten(1)
        return self.fc(F.dropout(x, p=self.drop_rate, training=self.training)).softmax(1)


class Sigmoid(Timm):
    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.forward_features(x), 1).flatten(1)
        return self.fc(F.dropout(x, p=self.drop_rate, training=self.training)).sigmoid()


class Random(Timm):
    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.forward_features(x), 1).flatten(1)
        return self.fc(F.dropout(x + torch.rand_like(x), p=0.2, training=self.training))


class Two(Timm):
    def forward(self, x, age):
        return self.fc(F.adaptive_avg_pool2d(self.forward_features(x), 1).flatten(1) + age)


class Pair(Timm):
    def forward(self, x):
        f = self.forward_features(x).mean((2, 3))
        return self.fc(f), f


class FixedBatch(Timm):
    def forward(self, x):
        x = self.forward_features(x).mean((2, 3)).view(1, -1)
        return self.fc(F.dropout(x, p=0.2, training=self.training))


class OwnNorm(Timm):
    """Normalises the images it is given in place."""

    def forward(self, x):
        x -= 0.1
        x /= 2.0
        x = self.forward_features(F.dropout(x, p=0.1, training=self.training))
        return self.fc(F.dropout(x.mean((2, 3)), p=self.drop_rate, training=self.training))


class Encoder(nn.Module):
    """Whose layers PyTorch runs in one operator without dropout where no gradient is wanted."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 8, 8, stride=8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.3, batch_first=True)
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        return self.fc(self.layer(self.embed(x).flatten(2).transpose(1, 2)).mean(1))


class Residual(Timm):
    """Uses what it drops before and after: a trace in eval mode takes the two for one."""

    def forward(self, x):
        x = self.forward_features(x).mean((2, 3))
        return self.fc(x + F.dropout(x, p=0.3, training=self.training))


class Counting(Timm):
    """Remembers how often it was called."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        x = self.forward_features(x).mean((2, 3))
        return self.fc(F.dropout(x, p=0.3, training=self.training)) + self.calls


def prepared(net, seed):
    """Weights and running statistics as of a trained network, in eval mode."""
    torch.manual_seed(seed)
    for module in net.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
        if isinstance(module, nn.BatchNorm2d):
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.2)
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    return net.eval()


def with_dropout(net):
    for module in net.modules():
        if isinstance(module, (nn.Dropout, nn.Dropout2d)):
            module.train()
        if isinstance(module, nn.TransformerEncoderLayer):
            module.training = True  # not the one operator without dropout
    if hasattr(net, "drop_rate"):
        net.training = True
    return net


@torch.no_grad()
def main():
    os.makedirs(OUT, exist_ok=True)
    torch.manual_seed(1)
    images = torch.randn(4, 3, 16, 16)
    values = {"images": images.numpy()}

    def keep(name, net, script, dropout=True, layer=None):
        script.save(os.path.join(OUT, name + ".ts"))
        taps = []
        if layer is not None:
            handle = layer.register_forward_hook(lambda m, i, o: taps.append(o))
        values[name + "_logits"] = net(images.clone()).numpy()
        if layer is not None:
            handle.remove()
            values[name + "_features"] = taps[0].mean((2, 3)).numpy()
        if dropout:
            with_dropout(net)
            many = images.repeat_interleave(PASSES, 0)
            z = torch.cat([net(part) for part in many.split(2000)]).view(4, PASSES, 3)
            values[name + "_mean"] = z.mean(1).numpy()
            values[name + "_deviation"] = z.std(1).numpy()

    net = prepared(Monai(), 2)
    keep("scripted", net, torch.jit.script(net), layer=net.blocks[0])
    net = prepared(Monai(), 3)
    keep("traced", net, torch.jit.trace(net, images))
    net = prepared(Monai(inplace=True), 4)
    keep("inplace", net, torch.jit.script(net))
    net = prepared(Timm(), 5)
    keep("functional", net, torch.jit.script(net), layer=net.bn)
    net = prepared(Timm(), 6)
    keep("functional_traced", net, torch.jit.trace(net, images))
    net = prepared(TokensFirst(), 7)
    keep("tokens_first", net, torch.jit.script(net))
    net = prepared(NoLinear(), 8)
    keep("no_linear", net, torch.jit.script(net))
    net = prepared(OwnNorm(), 27)
    keep("own_norm", net, torch.jit.script(net))
    net = prepared(Encoder(), 28)
    keep("encoder", net, torch.jit.script(net))
    for member in (1, 2, 3):
        net = prepared(Plain(), 10 + member)
        keep("plain%d" % member, net, torch.jit.trace(net, images), dropout=False)
    net = prepared(Monai(), 14)
    keep("member", net, torch.jit.script(net), dropout=False)

    def save(name, script):
        script.save(os.path.join(OUT, name + ".ts"))

    save("frozen", torch.jit.freeze(torch.jit.script(prepared(Monai(), 2))))
    save("no_rate", torch.jit.trace(prepared(nn.Sequential(nn.Flatten(), nn.Dropout(0.0), nn.Linear(768, 3)), 9), images))
    save("softmax", torch.jit.script(prepared(Softmax(), 20)))
    save("sigmoid", torch.jit.script(prepared(Sigmoid(), 26)))
    save("random", torch.jit.script(prepared(Random(), 21)))
    save("two_inputs", torch.jit.script(prepared(Two(), 22)))
    save("pair", torch.jit.script(prepared(Pair(), 23)))
    save("fixed_batch", torch.jit.trace(prepared(FixedBatch(), 24), images[:1]))
    save("traced_training", torch.jit.trace(prepared(Monai(), 25).train(), images, check_trace=False))
    save("encoder_no_grad", torch.jit.trace(prepared(Encoder(), 28), images))
    save("residual_traced", torch.jit.trace(prepared(Residual(), 29), images))
    save("residual_scripted", torch.jit.script(prepared(Residual(), 29)))
    save("counting", torch.jit.script(prepared(Counting(), 30)))
    save("half", torch.jit.script(prepared(Timm(), 5).half()))
    save("one_logit", torch.jit.script(nn.Sequential(prepared(Timm(), 5), nn.Linear(3, 1)).eval()))
    np.savez(os.path.join(OUT, "expected.npz"), **values)


if __name__ == "__main__":
    main()
