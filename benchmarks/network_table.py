#!/usr/bin/env python3
"""Makes the tables of training and prediction in docs/performance.md from records.

    benchmarks/network_table.py results/gpu-speed.json [results/cpu-speed.json] --docs docs/performance.md

A record holds "machine", "commands", "ours" (a list of what `cubcal bench --format json` wrote) and
"peer" (a list of what peer_bayesian_torch.py wrote), all of one run.
"""

import argparse
import json
import pathlib

MARK = "<!-- networks:begin (benchmarks/network_table.py rewrites everything up to networks:end) -->"
END = "<!-- networks:end -->"
PEER_JOBS = {"train": "training_step", "predict": "prediction", "one image": "one_image"}


def peer_of(record, row):
    """Seconds of the peer for the same job: per step, per image of a prediction, per image; and its name
    where it is not the one of the column."""
    for peer in record["peer"]:
        job = peer["jobs"].get(PEER_JOBS.get(row["job"], ""))
        if peer["network"] != row["network"] or peer["size"] != row["size"] or not job:
            continue
        if row["job"] == "train" and job["batch"] != row["batch"]:
            continue
        seconds = job["ms"] / 1e3 / (job["batch"] if row["job"] == "predict" else 1)
        return seconds, " (PyTorch, deterministic)" if peer["program"] == "pytorch" else ""
    return None, ""


def cells(record, row):
    per_image = row["job"] == "predict"
    seconds = row["seconds"] / (row["images"] if per_image else 1)
    ceiling = row["ceiling_seconds"] / (row["images"] if per_image else 1)
    show = (lambda s: f"{1 / s:.1f} images/s") if per_image else (lambda s: f"{s * 1e3:.2f} ms")
    peer, named = peer_of(record, row)
    what = {"train": f"training step, batch {row['batch']}",
            "predict": f"prediction of {row.get('images')} images"}.get(row["job"], row["job"])
    return [row["network"], what, str(row["passes"]), row["precision"], show(seconds), show(ceiling),
            show(peer) + named if peer else "–", f"{peer / seconds:.1f} ×" if peer else "–"]


def table(record):
    head = ["network", "job", "passes", "precision", "cubcal", "ceiling", "Bayesian-Torch", "ratio"]
    size = record["ours"][0]["rows"][0]["size"]
    lines = [f"Machine: {record['machine']}. Images of {size} pixels. Commands: "
             + ", ".join(f"`{command}`" for command in record["commands"]) + ".", "",
             "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for ours in record["ours"]:
        lines += ["| " + " | ".join(cells(record, row)) + " |" for row in ours["rows"]]
    return "\n".join(lines) + growth_table(record)


def growth_points(growth):
    """Which values the axis took, and seconds and gigabytes at them."""
    axis, points = growth["axis"], growth["points"]
    listed = lambda values: ", ".join(values)
    return [f"{growth['job']}, {axis} of {listed(str(p[axis]) for p in points)}",
            listed(f"{p['seconds']:.3g}" for p in points), f"{growth['time_exponent']:.2f}",
            listed(f"{p['peak_bytes'] / 1e9:.2f}" for p in points), f"{growth['memory_exponent']:.2f}"]


def growth_table(record):
    """How cost grows along each axis; nothing where the record has none."""
    head = ["what grows", "seconds", "exponent", "peak memory, GB", "exponent"]
    lines = []
    for ours in record["ours"]:
        lines += ["| " + " | ".join(growth_points(growth)) + " |" for growth in ours["growth"]]
    if not lines:
        return ""
    return "\n".join(["", "", "How its cost grows, the others fixed, with the exponents fitted to the points:", "",
                      "| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("records", nargs="+")
    parser.add_argument("--docs", help="page to rewrite between its marks; else to standard output")
    options = parser.parse_args()
    text = "\n\n".join(table(json.loads(pathlib.Path(path).read_text())) for path in options.records)
    if not options.docs:
        print(text)
        return
    page = pathlib.Path(options.docs)
    before, rest = page.read_text().split(MARK)
    page.write_text(before + MARK + "\n" + text + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
