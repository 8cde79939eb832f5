#!/usr/bin/python3
"""Writes the files of logits that torch_logits_test reads (tests/data/torch), as users save them.

Needs Debian's python3-torch. The logit of pass s, sample i and class k is (12 s + 3 i + k) / 8 - 1, which
every floating type holds exactly.

    /usr/bin/python3 tests/io/make_torch_logits.py tests/data/torch
"""

import os
import pathlib
import sys

import torch


class Code:
    """Asks for a command to be run when it is loaded."""

    def __reduce__(self):
        return os.system, ("echo loaded",)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    z = torch.arange(24, dtype=torch.float32).reshape(2, 4, 3) / 8 - 1
    y = torch.tensor([0, 2, 1, 2])
    whole = {"logits": z, "labels": y, "groups": ["p1", "p1", "p2", "p3"],
             "files": ["a.png", "b.png", "c.png", "d.png"], "class_names": ["nv", "mel", "bcc"],
             "column_sex": ["f", "m", None, "f"], "column_age": torch.tensor([40, 51, 62, 73])}
    files = {
        "tensor": z,
        "whole": whole,
        "keys": {"epoch": 3, "z": z.bfloat16(), "y": y.int()},
        "half": {"logits": z.half(), "labels": y.byte(), "groups": torch.tensor([7, 7, 8, 9])},
        # Views: passes and samples swapped, and every second of eight labels.
        "views": {"logits": z.double().transpose(0, 1).contiguous().transpose(0, 1),
                  "labels": torch.tensor([0, 9, 2, 9, 1, 9, 2, 9])[::2]},
        "names": {"logits": z, "labels": ["nv", "bcc", "mel", "bcc"], "class_names": ["nv", "mel", "bcc"]},
        "bools": {"logits": z[..., :2].contiguous(), "labels": torch.tensor([True, False, True, True])},
        "labels": y,
        "gradient": {"logits": torch.nn.Parameter(z), "labels": y},
        "swapped": {"logits": z.transpose(0, 1).contiguous(), "labels": y},
        "float_labels": {"logits": z, "labels": y.float()},
        "short_labels": {"logits": z, "labels": y[:3]},
        "pair": (z, y),
        "integers": {"logits": z.long(), "labels": y},
        "expanded": {"logits": torch.zeros(1, 1, 3).expand(1000, 1000, 3), "labels": y},
        "array": {"logits": z.numpy(), "labels": y},
        "code": {"logits": z, "labels": Code()},
    }
    for name, value in files.items():
        torch.save(value, folder / f"{name}.pt")
    torch.save(whole, folder / "legacy.pt", _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
