#!/usr/bin/env python3
"""Times every network of cubcal beside its peer, one after the other in one run, and writes the record
that network_table.py makes a table of.

    benchmarks/run_networks.py --program build/cubcal --machine "WHAT IT IS" --out results/networks-cpu.json

The peer is Bayesian-Torch, of vit-s16 deterministic passes of PyTorch (peer_bayesian_torch.py says why).
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

PEER = Path(__file__).resolve().parent / "peer_bayesian_torch.py"
NETWORKS = ["resnet50", "resnet101", "densenet121", "efficientnet-b0", "convnext-tiny", "vit-s16"]
PEER_JOBS = {"predict": "prediction", "one": "one_image", "train": "training"}


def commands(options, network):
    shared = ["--device", options.device, "--network", network, "--size", options.size, "--classes", 7]
    ours = [options.program, "bench", *shared, "--jobs", ",".join(options.jobs), "--mc", options.passes,
            "--images", options.images, "--batch", options.batch, "--seconds", options.seconds,
            "--format", "json"]
    peer = [sys.executable, PEER, *shared, "--jobs", ",".join(PEER_JOBS[job] for job in options.jobs),
            "--passes", options.passes, "--batch", options.images, "--train-batch", options.batch,
            "--precision", "bf16", "--repeats", options.repeats]
    return ours, peer + (["--plain"] if network == "vit-s16" else [])


def result(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def shown(command, network):
    words = [Path(str(word)).name if isinstance(word, Path) or word is command[0] else str(word)
             for word in command if str(word) != sys.executable]
    return " ".join(words).replace(network, "NETWORK").replace(" --plain", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default="build/cubcal")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--machine", required=True, help="what the record says it was measured on")
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--jobs", nargs="+", default=["predict", "one"], choices=list(PEER_JOBS))
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    record = {"machine": options.machine, "commands": [], "ours": [], "peer": []}
    for network in options.networks:
        ours, peer = commands(options, network)
        record["commands"] = [shown(ours, network), shown(peer, network)]
        record["ours"].append(result(ours))
        record["peer"].append(result(peer))
        Path(options.out).write_text(json.dumps(record, indent=1) + "\n")
        print(network, flush=True)


if __name__ == "__main__":
    main()
