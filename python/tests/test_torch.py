"""Losses against the vectors that C++ is held against, and logits of other people's networks."""

import copy
import math

import numpy as np
import pytest
from conftest import REFERENCE, make_logits

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402: after the skip
from torch import nn  # noqa: E402

import cubcal  # noqa: E402
import cubcal.torch as ct  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
CASES = sorted(path.stem for path in (REFERENCE / "losses").glob("*.npz") if path.stem != "gaussian")


def losses(labels, weights):
    return {
        "cross_entropy": lambda z: ct.expected_cross_entropy(z, labels),
        "weighted_cross_entropy": lambda z: ct.expected_cross_entropy(z, labels, weights),
        "cub": lambda z: ct.cub_loss(z, labels),
        "cub_mean": lambda z: ct.cub_loss(z, labels, gamma=0.6, reduction="mean", epsilon=0.1),
        "avuc": lambda z: ct.avuc_loss(z, labels, 0.6),
    }


# The slope of CUB-Loss is 1/(1 - d) with 1 - d down to epsilon = 1e-3, and d takes the rounding of c
# times 1/(1 - gamma) = 10: in float32 6e-8 * 10 / 1e-3 = 6e-4 of the largest gradient.
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-9), (torch.float32, 6e-4)])
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_the_vectors(name, dtype, tolerance, device):
    with np.load(REFERENCE / "losses" / f"{name}.npz") as arrays:
        case = dict(arrays)
    labels = torch.tensor(case["labels"], device=device)
    weights = torch.tensor(case["class_weights"], device=device)
    for key, loss in losses(labels, weights).items():
        z = torch.tensor(case["logits"], dtype=dtype, device=device, requires_grad=True)
        value = loss(z)
        value.backward()
        assert value.dtype == dtype
        for found, expected in ((value, case[key][0]), (z.grad, case[key + "_gradient"])):
            error = np.abs(found.detach().cpu().numpy() - expected).max() / max(1, np.abs(expected).max())
            assert error < tolerance, (key, error)


@pytest.mark.parametrize("device", DEVICES)
def test_kl_and_moped_are_those_of_the_vectors(device):
    with np.load(REFERENCE / "losses" / "gaussian.npz") as arrays:
        case = {name: torch.tensor(value, device=device) for name, value in arrays.items()}
    mu, rho = case["mu"].requires_grad_(), case["rho"].requires_grad_()
    kl = ct.gaussian_kl(mu, rho, case["prior_mean"], 0.7)
    kl.sum().backward()
    torch.testing.assert_close(kl.detach(), case["kl"], rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(mu.grad, case["kl_mu_gradient"], rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(rho.grad, case["kl_rho_gradient"], rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(ct.moped(case["weights"]).rho, case["moped_rho"], rtol=1e-9, atol=1e-12)
    total = ct.kl_loss([(mu, rho, case["prior_mean"])] * 2, training_samples=10, prior_sigma=0.7, weight=3.0)
    torch.testing.assert_close(total.detach(), 3 * 2 * case["kl"].sum() / 10)
    mean = ct.kl_loss([(mu, rho, case["prior_mean"])] * 2, "mean", batch=4, prior_sigma=0.7)
    torch.testing.assert_close(mean.detach(), 2 * case["kl"].mean() / 4)
    started = ct.moped(case["weights"].float(), prior="weights")
    torch.testing.assert_close(F.softplus(started.rho), (case["weights"].float().abs() * 0.1).clamp(min=1e-4))
    assert ct.gaussian_kl(torch.zeros(3), ct.rho_from_sigma(torch.ones(3))).abs().max() < 1e-6


def test_mean_prediction_is_the_extensions():
    z, y = make_logits(4, 50, 5, dtype=np.float64)
    ours, theirs = cubcal.predict(z), ct.mean_prediction(torch.tensor(z))
    np.testing.assert_allclose(theirs.probabilities, ours.probabilities, rtol=1e-12)
    np.testing.assert_allclose(theirs.uncertainty, ours.entropy, rtol=1e-10)
    np.testing.assert_array_equal(theirs.predicted, ours.predicted)


def test_extreme_logits_keep_finite_gradients():
    z = torch.tensor([[[1e4, 0.0, -1e4], [-1e4, 1e4, 0.0]]], dtype=torch.float32, requires_grad=True)
    for loss in (ct.cub_loss(z, torch.tensor([1, 1])), ct.avuc_loss(z, torch.tensor([1, 1]), 0.5)):
        (gradient,) = torch.autograd.grad(loss, z)
        assert torch.isfinite(loss) and torch.isfinite(gradient).all()


def step(loss, seed, scale=1.0):
    z, y = make_logits(3, 20, 4, seed=seed)
    return loss(scale * torch.tensor(z), torch.tensor(y))


def test_beta_follows_its_schedule():
    fixed = ct.CUBLoss(4, beta=1.2, warmup_epochs=2)
    assert fixed.beta == 0
    assert step(fixed, 1) == fixed.last["cross_entropy"]
    fixed.end_epoch()
    fixed.end_epoch()
    assert fixed.beta == 1.2
    total = step(fixed, 1)
    torch.testing.assert_close(total, fixed.last["cross_entropy"] + 1.2 * fixed.last["cub"])

    share = ct.CUBLoss(4, beta="share", share=0.2, warmup_epochs=1)
    sums = {"cross_entropy": 0.0, "cub": 0.0}
    for seed in (1, 2):
        step(share, seed)
        for key in sums:
            sums[key] += share.last[key].item()
    share.end_epoch()
    assert share.beta == pytest.approx(0.2 * sums["cross_entropy"] / sums["cub"], rel=1e-6)
    share.eval()
    step(share, 3)
    share.train()
    before = share.beta
    share.end_epoch()
    assert share.beta == before, "an epoch that measured nothing leaves it"

    auto = ct.CUBLoss(4, beta="auto", warmup_epochs=0)
    z, y = make_logits(3, 20, 4)
    kl = torch.tensor(2.0, requires_grad=True)
    total = auto(torch.tensor(z), torch.tensor(y), kl)
    torch.testing.assert_close(total, auto.last["cross_entropy"] + 2)
    total.backward()
    assert kl.grad == 1
    auto.end_epoch()
    expected = 0.5 * (auto.last["cross_entropy"].item() + 2) / auto.last["cub"].item()
    assert auto.beta == pytest.approx(min(max(expected, 1e-3), 1e2), rel=1e-6)


def test_state_goes_with_a_checkpoint():
    for make in (lambda: ct.CUBLoss(4, beta="share", warmup_epochs=1), lambda: ct.AvUCLoss()):
        loss, twin = make(), make()
        step(loss, 1)
        loss.end_epoch()
        step(loss, 2)
        twin.load_state_dict(copy.deepcopy(loss.state_dict()))
        for each in (loss, twin):
            step(each, 3)
            each.end_epoch()
        assert loss.get_extra_state() == twin.get_extra_state()
        torch.testing.assert_close(step(loss, 4), step(twin, 4))


def test_avuc_threshold_is_the_midpoint_and_freezes():
    loss = ct.AvUCLoss(threshold_epochs=1)
    z, y = make_logits(3, 60, 4)
    loss(torch.tensor(z), torch.tensor(y))
    loss.end_epoch()
    p = cubcal.predict(z)
    right = p.predicted == y
    assert loss.threshold == pytest.approx((p.entropy[right].mean() + p.entropy[~right].mean()) / 2, rel=1e-5)
    frozen = loss.threshold
    loss(torch.tensor(z * 3), torch.tensor(y))
    loss.end_epoch()
    assert loss.threshold == frozen


@pytest.mark.parametrize("call, error, words", [
    (lambda z, y: ct.CUBLoss(4, beta="shar"), ValueError, "'share' or 'auto', not 'shar'"),
    (lambda z, y: ct.CUBLoss(4, beta=-1.0), ValueError, "beta must be at least 0"),
    (lambda z, y: ct.CUBLoss(1), ValueError, "classes must be at least 2"),
    (lambda z, y: ct.CUBLoss(4, gamma=0.1), ValueError, "gamma"),
    (lambda z, y: ct.CUBLoss(4, epsilon=0), ValueError, "epsilon"),
    (lambda z, y: ct.CUBLoss(4, reduction="max"), ValueError, "'sum' or 'mean'"),
    (lambda z, y: ct.CUBLoss(4, class_weights=[1, 2]), ValueError, "one weight for each of the 4 classes"),
    (lambda z, y: ct.CUBLoss(5)(z, y), ValueError, "logits must have 5 classes, not 4"),
    (lambda z, y: ct.CUBLoss(4)(z[0, 0], y), ValueError, "passes, samples, classes"),
    (lambda z, y: ct.CUBLoss(4)(z, y[:3]), ValueError, "labels must be a vector of 20"),
    (lambda z, y: ct.CUBLoss(4)(z, y + 1), ValueError, "labels must lie in {0, ..., 3}"),
    (lambda z, y: ct.CUBLoss(4)(z, y.float()), TypeError, "labels must be a tensor of whole numbers"),
    (lambda z, y: ct.CUBLoss(4)(z.numpy(), y), TypeError, "logits must be a floating-point tensor"),
    (lambda z, y: ct.AvUCLoss(weight=-1), ValueError, "weight must be at least 0"),
    (lambda z, y: ct.kl_loss([], training_samples=3), ValueError, "at least one tensor"),
    (lambda z, y: ct.kl_loss([(z, z)]), ValueError, "divides by training_samples: give it"),
    (lambda z, y: ct.kl_loss([(z, z)], "sum"), ValueError, "'elbo' or 'mean'"),
    (lambda z, y: ct.moped(z, prior="x"), ValueError, "'zero' or 'weights'"),
])
def test_misuse_is_told_in_a_sentence(call, error, words):
    z, y = make_logits(3, 20, 4)
    y[0] = 3
    with pytest.raises(error, match=words):
        call(torch.tensor(z), torch.tensor(y))


class Net(nn.Module):
    """Batch norm, and dropout as a module, as a function, or neither."""

    def __init__(self, kind):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.drop = nn.Dropout(0.5) if kind == "module" else nn.Identity()
        self.kind = kind
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        x = self.drop(self.body(x))
        if self.kind == "function":
            x = F.dropout(x, 0.5, self.training)
        if self.kind == "keyword":
            x = F.dropout(x, training=self.training)
        return self.head(x)


def batches(count=3, size=4):
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(size, 6, generator=generator), torch.arange(size) % 3) for _ in range(count)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ["module", "function", "keyword"])
def test_passes_differ_by_dropout_alone(kind, device):
    torch.manual_seed(1)
    model = Net(kind).to(device).train()
    statistics = copy.deepcopy(model.state_dict())
    z, y = ct.mc_logits(model, batches(), passes=20, labels=True, seed=3)
    assert z.shape == (20, 12, 3) and z.dtype == np.float32 and y.tolist() == [0, 1, 2, 0] * 3
    assert (z.std(axis=0) > 0).all()
    again = ct.mc_logits(model, batches(), passes=20, seed=3)
    np.testing.assert_array_equal(z, again)
    for name, value in model.state_dict().items():
        assert torch.equal(value, statistics[name]), f"{name} was touched"
    assert all(module.training for module in model.modules()), "modes are given back"
    # An image's mean does not depend on the batch it comes in: batch norm was in eval mode.
    alone = ct.mc_logits(model, [(batches()[0][0][:1],)], passes=400, seed=1)
    assert abs(alone.mean(axis=0)[0] - z.mean(axis=0)[0]).max() < 1.0
    still = ct.mc_logits(model, batches(), passes=3, dropout=False)
    np.testing.assert_array_equal(still[0], still[2])


def test_global_random_numbers_are_left_alone_with_a_seed():
    model = Net("module")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    ct.mc_logits(model, batches(), passes=2, seed=0)
    assert torch.equal(torch.rand(3), expected)


def test_no_dropout_is_an_error():
    with pytest.raises(ValueError, match="no dropout that could be switched on"):
        ct.mc_logits(Net("none"), batches(), passes=2)
    model = Net("none").train()
    with pytest.raises(ValueError):
        ct.mc_logits(model, batches(), passes=2)
    assert model.training and model.body[1].training, "modes are given back after an error too"


def test_other_kinds_of_models():
    class Dict(nn.Module):
        def forward(self, x):
            return {"logits": x}

    class Output:
        def __init__(self, logits):
            self.logits = logits

    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = Net("module")

        def forward(self, x):
            return Output(self.net(x))

    assert ct.mc_logits(Wrapped(), batches(), passes=2).shape == (2, 12, 3)
    assert ct.mc_logits(Wrapped(), [x for x, _ in batches()], passes=2).shape == (2, 12, 3)
    with pytest.raises(TypeError, match="not a dict: wrap it"):
        ct.mc_logits(Dict(), batches(), passes=2)
    with pytest.raises(ValueError, match=r"not \[4\]"):
        ct.mc_logits(nn.Sequential(nn.Dropout(), nn.Linear(6, 1), nn.Flatten(0)), batches(), passes=2)
    with pytest.raises(ValueError, match="the loader has no batches"):
        ct.mc_logits(Net("module"), [], passes=2)
    with pytest.raises(ValueError, match="inputs alone"):
        ct.mc_logits(Net("module"), [x for x, _ in batches()], passes=2, labels=True)
    scripted = torch.jit.script(nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 3)))
    assert ct.mc_logits(scripted, batches(), passes=8).std(axis=0).max() > 0
    attention = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.3, batch_first=True)
    model = nn.Sequential(nn.Unflatten(1, (1, 6)), attention, nn.Flatten(), nn.Linear(6, 3))
    assert ct.mc_logits(model, batches(), passes=8).std(axis=0).max() > 0


def test_training_with_cub_loss_lowers_it():
    torch.manual_seed(0)
    z, y = make_logits(1, 200, 3)
    x, y = torch.tensor(z[0]), torch.tensor(y)
    model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    loss = ct.CUBLoss(3, beta="share", warmup_epochs=1)
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    seen = []
    for _ in range(12):
        for _ in range(5):
            optimiser.zero_grad()
            total = loss(torch.stack([model(x) for _ in range(3)]), y)
            total.backward()
            optimiser.step()
        seen.append(loss.last["cub"].item())
        loss.end_epoch()
    assert math.isfinite(seen[-1]) and seen[-1] < seen[0] and loss.beta > 0


def test_passes_that_come_out_alike_are_refused():
    x = torch.randn(6, 8)
    traced = torch.jit.trace(nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 3)).eval(), x)
    with pytest.raises(ValueError, match="all passes are alike"):
        ct.mc_logits(traced, [x], 4)


def test_a_network_that_works_in_place_sees_the_same_input_in_every_pass():
    class InPlace(nn.Module):
        def forward(self, x):
            return x.sub_(0.5)

    x = torch.randn(5, 3)
    before = x.clone()
    logits = ct.mc_logits(InPlace(), [x], 4, dropout=False)
    assert (logits == logits[:1]).all() and torch.equal(x, before)


def test_weights_of_classes_are_checked():
    for weights in ([0.0, 0.0], [1.0, -1.0], [1.0, float("nan")]):
        with pytest.raises(ValueError, match="none below 0 and not all 0"):
            ct.AvUCLoss(class_weights=weights)
        with pytest.raises(ValueError, match="none below 0 and not all 0"):
            ct.CUBLoss(2, class_weights=weights)
    for count in (2, 6):
        with pytest.raises(ValueError, match="one weight for each of the 4 classes"):
            ct.AvUCLoss(class_weights=[1.0] * count)(torch.zeros(1, 3, 4), torch.zeros(3, dtype=torch.long))


def test_what_mc_logits_cannot_take_is_said():
    x = torch.randn(4, 3)
    with pytest.raises(TypeError, match="must be a torch.nn.Module"):
        ct.mc_logits(lambda x: x, [x])
    with pytest.raises(ValueError, match="seed must be"):
        ct.mc_logits(nn.Dropout(0.5), [x], seed=2**70)
    with pytest.raises(ValueError, match="one-hot"):
        ct.mc_logits(nn.Dropout(0.5), [(x, torch.zeros(4, 3))], 2, labels=True)
    with pytest.raises(ValueError, match="one sample"):
        ct.cub_loss(torch.zeros(2, 0, 3), torch.zeros(0, dtype=torch.long))
