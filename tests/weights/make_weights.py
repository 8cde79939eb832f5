#!/usr/bin/python3
"""Writes the weight files that weights_io_test reads (tests/data/weights).

Needs Debian's python3-torch. Values are small integers or fractions, so that the test can state
them; every container holds the same state dict, named as Bayesian-Torch names its parameters.

    /usr/bin/python3 tests/weights/make_weights.py tests/data/weights
"""

import collections
import json
import pathlib
import struct
import sys

import numpy
import torch


def state_dict():
    kernel = torch.arange(2 * 3 * 3 * 3, dtype=torch.float32).reshape(2, 3, 3, 3) / 8
    shared = torch.arange(12, dtype=torch.float32)
    entries = collections.OrderedDict()
    entries["conv1.mu_kernel"] = torch.nn.Parameter(kernel)
    entries["conv1.rho_kernel"] = kernel - 3
    entries["bn1.num_batches_tracked"] = torch.tensor(123456789012, dtype=torch.int64)
    entries["fc.mu_weight"] = shared.reshape(3, 4).t()  # a transposed view
    entries["fc.rho_weight"] = shared[2:10:2]  # a strided view of the same storage
    entries["fc.mu_bias"] = torch.tensor([0.5, -1.5, 65504.0], dtype=torch.float16)
    entries["fc.rho_bias"] = torch.tensor([[1.0, -2.0], [3.0, 0.1]], dtype=torch.bfloat16).t()
    entries["scale"] = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
    entries["mask"] = torch.tensor([True, False, True])
    entries["empty"] = torch.zeros(0, 3)
    entries["bytes"] = torch.tensor([1, 255], dtype=torch.uint8)
    entries["small"] = torch.tensor([-1, 2], dtype=torch.int8)
    entries["short"] = torch.tensor([-300], dtype=torch.int16)
    entries["int"] = torch.tensor([-70000], dtype=torch.int32)
    return entries


def safetensors(entries, metadata):
    names = {torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32",
             torch.float64: "F64", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16",
             torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in entries.items():
        tensor = tensor.detach().contiguous()
        raw = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
        raw = raw.numpy().tobytes()
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    entries = state_dict()
    torch.save(entries, folder / "zip.pth")
    torch.save(entries, folder / "legacy.pth", _use_new_zipfile_serialization=False)
    torch.save(entries, folder / "protocol4.pth", pickle_protocol=4)
    (folder / "hand.safetensors").write_bytes(safetensors(entries, {"format": "pt"}))
    # A module's own state dict carries version numbers in an attribute.
    small = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
    for parameter in small.parameters():
        torch.nn.init.constant_(parameter, 0.25)
    torch.save({"epoch": 3, "best": 0.75, "state_dict": small.state_dict(), "names": ["a", "b"]},
               folder / "checkpoint.pth")
    torch.save({"weight": torch.ones(1), "accuracy": numpy.float64(0.5)}, folder / "numpy.pth")
    torch.save({"weight": torch.ones(1).expand(1000)}, folder / "expanded.pth")
    torch.save(torch.ones(2), folder / "tensor.pth")
    torch.jit.save(torch.jit.script(torch.nn.ReLU()), folder / "script.pt")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
