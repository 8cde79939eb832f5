#!/usr/bin/env python3
"""Which lines of the library the tests reached, by module.

  tests/coverage.py BUILD_FOLDER   after the tests of a build of the preset `coverage` were run

Prints a table in Markdown: lines that can be reached, how many were, and the share. A line counts once,
however many sources it was compiled into.
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def counts_of(build):
    """How often each line of each source file was reached."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    notes = [str(path) for path in sorted(build.rglob("*.gcda"))]
    with tempfile.TemporaryDirectory() as folder:
        for number, note in enumerate(notes):
            place = pathlib.Path(folder) / str(number)
            place.mkdir()
            subprocess.run(["gcov", "--json-format", note], cwd=place, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for result in place.glob("*.gcov.json.gz"):
                document = json.loads(gzip.open(result).read())
                for each in document["files"]:
                    path = pathlib.Path(document["current_working_directory"], each["file"]).resolve()
                    for line in each["lines"]:
                        counts[path][line["line_number"]] += line["count"]
    return counts


def module_of(path):
    """"io" of src/cubcal/io/csv.cpp; "program" of apps/cubcal; None of what is not the library's."""
    try:
        parts = path.relative_to(ROOT).parts
    except ValueError:
        return None
    if parts[:2] == ("src", "cubcal"):
        return parts[2]
    return "the program" if parts[0] == "apps" else None


def main():
    lines, reached = collections.Counter(), collections.Counter()
    for path, counts in counts_of(pathlib.Path(sys.argv[1]).resolve()).items():
        module = module_of(path)
        if module:
            lines[module] += len(counts)
            reached[module] += sum(count > 0 for count in counts.values())
    print("| module | lines | reached | share |\n|---|---:|---:|---:|")
    for module in sorted(lines):
        print(f"| {module} | {lines[module]} | {reached[module]} | {100 * reached[module] / lines[module]:.1f}% |")
    total, met = sum(lines.values()), sum(reached.values())
    print(f"| all | {total} | {met} | {100 * met / total:.1f}% |")


main()
