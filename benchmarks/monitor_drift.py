#!/usr/bin/python3
"""Whether 'cubcal monitor' notices what happens to real images, and stays silent where nothing does.

    benchmarks/monitor_drift.py --model RUN --data SET --out runs/drift [--program build/cubcal] [--passes 40]

RUN is a run of 'cubcal train' on SET, a folder with labels.csv (columns file, label, split) and splits val and
test. Writes logits of val (the reference), of test as it is, of test images made worse (copies, reduced in
sharpness, light or quality with Pillow) and of test images chosen so that classes have other shares, and prints a
row of docs/monitor.md for each. Files that are there are kept. Needs NumPy and Pillow, as Debian has them.
"""

import argparse
import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter


def as_jpeg(image, quality):
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer)


# Of the image as it lies on disk, before the model's own resizing.
DAMAGES = {
    "blurred, sigma 2": lambda image: image.filter(ImageFilter.GaussianBlur(2)),
    "blurred, sigma 6": lambda image: image.filter(ImageFilter.GaussianBlur(6)),
    "darkened to 90%": lambda image: ImageEnhance.Brightness(image).enhance(0.9),
    "darkened to 70%": lambda image: ImageEnhance.Brightness(image).enhance(0.7),
    "contrast halved": lambda image: ImageEnhance.Contrast(image).enhance(0.5),
    "JPEG quality 10": lambda image: as_jpeg(image, 10),
}


def run(program, *arguments):
    done = subprocess.run([str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def file_name(title):
    return "".join(c if c.isalnum() else "-" for c in title)


def draw_logits(options, data, split, path):
    if not path.exists():
        run(options.program, "logits", "--model", options.model, "--data", data, "--split", split,
            "--mc", options.passes, "-o", path)
    return path


def damaged_set(options, title, damage):
    """a copy of the set with damaged test images, the others left out"""
    folder = options.out / file_name(title)
    with open(options.data / "labels.csv", newline="") as manifest:
        reader = csv.DictReader(manifest)
        columns, rows = reader.fieldnames, [row for row in reader if row["split"] == "test"]
    for row in rows:
        target = folder / row["file"]
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        image = damage(Image.open(options.data / row["file"]))
        image.save(target, quality=95)
    with open(folder / "labels.csv", "w", newline="") as manifest:
        writer = csv.DictWriter(manifest, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def other_shares(options, test, title, keep):
    """test images of which only a share of each class is kept, patients whole"""
    path = options.out / (file_name(title) + ".npz")
    arrays = dict(np.load(test))
    random = np.random.default_rng(0)
    groups = np.unique(arrays["groups"])
    draw = dict(zip(groups.tolist(), random.random(len(groups))))
    names = arrays["class_names"].tolist()
    share = np.array([keep.get(name, 1.0) for name in names])[arrays["labels"]]
    kept = np.array([draw[group] for group in arrays["groups"].tolist()]) < share
    chosen = {key: value if key == "class_names" else value[:, kept] if key == "logits" else value[kept]
              for key, value in arrays.items()}
    np.savez(path, **chosen)
    return path


def p_text(test):
    text = f"{test['p']:.4f}" if test["p"] >= 0.0001 else "0.0001"
    return f"**{text}**" if test["alarm"] else text


def row(title, period):
    tests = period["tests"]
    cells = [str(period["predictions"])]
    cells += [f"{100 * period['expected_accuracy']['value']:.1f}", f"{100 * period['actual_accuracy']['share']:.1f}",
              f"{100 * period['referral']['share']:.1f}"]
    cells += [p_text(tests[key]) for key in ("classes", "confidence", "uncertainty", "referral")]
    cells.append("alarm" if any(each["alarm"] for each in tests.values()) else "none")
    return f"| {title} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=Path("build/cubcal"))
    parser.add_argument("--passes", type=int, default=40)
    parser.add_argument("--rare", default="", help="class of which a quarter is kept (default: the first)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    reference = draw_logits(options, options.data, "val", options.out / "val.npz")
    test = draw_logits(options, options.data, "test", options.out / "test.npz")
    names = np.load(test)["class_names"].tolist()
    rare = options.rare or names[0]
    periods = {"test images as they are": test,
               f"{rare}: half left out": other_shares(options, test, f"{rare} halved", {rare: 0.5}),
               f"{rare}: three quarters left out": other_shares(options, test, f"{rare} quartered", {rare: 0.25})}
    for title, damage in DAMAGES.items():
        folder = damaged_set(options, title, damage)
        periods[title] = draw_logits(options, folder, "test", options.out / (file_name(title) + ".npz"))
    # Each by itself, so that no row depends on how many others the table has.
    print("| period | images | expected % | actual % | referred % | classes p | confidence p | U p | referral p | |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for title, path in periods.items():
        found = json.loads(run(options.program, "monitor", reference, path, "--json", "-"))
        print(row(title, found["periods"][0]), flush=True)


if __name__ == "__main__":
    main()
