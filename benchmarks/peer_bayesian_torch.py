#!/usr/bin/env python3
"""Times Bayesian-Torch on the jobs cubcal's benchmarks time: a training step of S passes, S-pass
prediction of a batch, and S-pass prediction of one image.

The network is torchvision's, or COVID-Net-Large of covidnet_torch.py, converted by dnn_to_bnn as
that package's examples do it: every convolution and linear layer Gaussian, by reparameterisation.
With --plain it stays as it is, and as many deterministic passes are timed: the peer of vit-s16, whose
attention dnn_to_bnn cannot convert. Prints one JSON object; times are in milliseconds, each the
median of --repeats runs after one to warm up.

    python3 benchmarks/peer_bayesian_torch.py --network resnet18 --size 64 --batch 64 --passes 80

With --measure-passes fewer passes than --passes are run and the time is scaled up, which is fair
because the passes are a loop; the JSON names both numbers. Needs torch (1.13 or later), torchvision
and bayesian_torch, and says so where one is missing.
"""

import argparse
import json
import platform
import statistics
import sys
import time


TORCHVISION = {"efficientnet-b0": "efficientnet_b0", "convnext-tiny": "convnext_tiny"}


def import_peers(plain):
    dnn_to_bnn = None
    try:
        import torch
        import torchvision
        if not plain:
            from bayesian_torch.models import dnn_to_bnn
    except ImportError as error:
        sys.exit(f"peer_bayesian_torch.py: {error}; install torch, torchvision and bayesian-torch, "
                 "or put them on PYTHONPATH")
    return torch, torchvision, dnn_to_bnn


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--network", default="resnet18",
                        choices=["resnet18", "resnet34", "resnet50", "resnet101", "densenet121",
                                 "efficientnet-b0", "convnext-tiny", "vit-s16", "covidnet-large"])
    parser.add_argument("--plain", action="store_true", help="deterministic passes of PyTorch alone")
    parser.add_argument("--size", type=int, default=224, help="height and width of the images")
    parser.add_argument("--classes", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64, help="images of the prediction job")
    parser.add_argument("--train-batch", type=int, default=32, help="images of the training step")
    parser.add_argument("--passes", type=int, default=80, help="passes of the prediction jobs")
    parser.add_argument("--train-passes", type=int, default=5, help="passes of the training step")
    parser.add_argument("--measure-passes", type=int, default=0,
                        help="passes to run of the prediction jobs, scaled up; 0: all")
    parser.add_argument("--measure-train-passes", type=int, default=0,
                        help="passes to run of the training step, scaled up; 0: all")
    parser.add_argument("--precision", default="tf32", choices=["fp32", "tf32", "bf16"],
                        help="of convolutions and products on cuda; the CPU always uses fp32")
    parser.add_argument("--jobs", default="training,prediction,one_image")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="of the CPU; 0: as torch chooses")
    return parser.parse_args()


def make_network(torchvision, arguments):
    if arguments.network == "covidnet-large":
        from covidnet_torch import CovidNetLarge
        return CovidNetLarge(arguments.classes, arguments.size)
    if arguments.network == "vit-s16":
        return torchvision.models.VisionTransformer(
            image_size=arguments.size, patch_size=16, num_layers=12, num_heads=6, hidden_dim=384,
            mlp_dim=1536, num_classes=arguments.classes)
    name = TORCHVISION.get(arguments.network, arguments.network)
    return getattr(torchvision.models, name)(num_classes=arguments.classes)


class Peer:
    """The converted network and what is timed on it."""

    def __init__(self, arguments):
        self.torch, torchvision, dnn_to_bnn = import_peers(arguments.plain)
        self.arguments = arguments
        torch = self.torch
        self.device = torch.device(arguments.device)
        if arguments.threads > 0:
            torch.set_num_threads(arguments.threads)
        if self.device.type == "cuda":
            torch.backends.cudnn.benchmark = True
            tf32 = arguments.precision != "fp32"
            torch.backends.cudnn.allow_tf32 = tf32
            torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.manual_seed(1)
        self.model = make_network(torchvision, arguments)
        self.get_kl_loss = lambda model: torch.zeros((), device=self.device)
        if not arguments.plain:
            dnn_to_bnn.dnn_to_bnn(self.model, {
                "prior_mu": 0.0, "prior_sigma": 1.0, "posterior_mu_init": 0.0,
                "posterior_rho_init": -3.0, "type": "Reparameterization", "moped_enable": False,
                "moped_delta": 0.5})
            self.get_kl_loss = dnn_to_bnn.get_kl_loss
        self.model.to(self.device)
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=1e-3, momentum=0.9)

    def images(self, count):
        size = self.arguments.size
        return self.torch.randn(count, 3, size, size, device=self.device)

    def autocast(self):
        enabled = self.device.type == "cuda" and self.arguments.precision == "bf16"
        return self.torch.autocast(self.device.type, dtype=self.torch.bfloat16, enabled=enabled)

    def synchronise(self):
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()

    def median_ms(self, work):
        work()
        times = []
        for _ in range(self.arguments.repeats):
            self.synchronise()
            start = time.perf_counter()
            work()
            self.synchronise()
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)

    def training_step(self, passes):
        torch = self.torch
        images = self.images(self.arguments.train_batch)
        labels = torch.randint(0, self.arguments.classes, (len(images),), device=self.device)
        self.model.train()

        def step():
            self.optimiser.zero_grad()
            outputs, divergences = [], []
            with self.autocast():
                for _ in range(passes):
                    outputs.append(self.model(images))
                    divergences.append(self.get_kl_loss(self.model))
                logits = torch.stack(outputs).mean(0).float()
            loss = torch.nn.functional.cross_entropy(logits, labels)
            loss = loss + torch.stack(divergences).mean() / len(images)
            loss.backward()
            self.optimiser.step()

        return self.median_ms(step)

    def prediction(self, count, passes):
        torch = self.torch
        images = self.images(count)
        self.model.eval()

        def predict():
            with torch.no_grad(), self.autocast():
                outputs = [self.model(images).float() for _ in range(passes)]
            torch.softmax(torch.stack(outputs), -1).mean(0).cpu()

        return self.median_ms(predict)


def scaled(measured_ms, passes, measured_passes):
    return {"ms": measured_ms * passes / measured_passes, "passes": passes,
            "measured_passes": measured_passes, "measured_ms": measured_ms,
            "scaled_up": passes != measured_passes}


def main():
    arguments = parse_arguments()
    peer = Peer(arguments)
    torch = peer.torch
    passes = arguments.passes
    measured = min(arguments.measure_passes or passes, passes)
    train_passes = arguments.train_passes
    train_measured = min(arguments.measure_train_passes or train_passes, train_passes)
    on_gpu = peer.device.type == "cuda"
    result = {
        "program": "pytorch" if arguments.plain else "bayesian-torch", "network": arguments.network, "size": arguments.size,
        "device": torch.cuda.get_device_name(peer.device) if on_gpu else platform.machine(),
        "threads": torch.get_num_threads(), "torch": torch.__version__,
        "precision": arguments.precision if on_gpu else "fp32", "jobs": {}}
    jobs = arguments.jobs.split(",")
    if "training" in jobs:
        result["jobs"]["training_step"] = dict(
            scaled(peer.training_step(train_measured), train_passes, train_measured),
            batch=arguments.train_batch)
    if "prediction" in jobs:
        job = scaled(peer.prediction(arguments.batch, measured), passes, measured)
        result["jobs"]["prediction"] = dict(
            job, batch=arguments.batch, images_per_s=1e3 * arguments.batch / job["ms"])
    if "one_image" in jobs:
        result["jobs"]["one_image"] = dict(
            scaled(peer.prediction(1, measured), passes, measured), batch=1)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
