#!/usr/bin/python3
"""Measures 'cubcal dicom' from C-STORE to report, with the programs of Debian's package dcmtk at both ends.

  dicom_node.py --cubcal build/cubcal --model FOLDER --count 200 IMAGE.dcm [IMAGE.dcm ...]

Copies of the images get UIDs of their own (dcmodify). First some are sent alone: the time from the success of C-STORE to
the report lying in the folder of storescp. Then all others in one association: the time until the last report lies there.
Prints JSON.
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

ENVIRONMENT = dict(os.environ, TCP_NODELAY="1")  # without, DCMTK's clients wait 40 ms for each message


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds=600):
    end = time.perf_counter() + seconds
    while not condition():
        if time.perf_counter() > end:
            raise SystemExit("waited in vain")
        time.sleep(0.001)
    return time.perf_counter()


def copies(images, folder, count):
    paths = []
    for i in range(count):
        paths.append(f"{folder}/{i}.dcm")
        shutil.copy(images[i % len(images)], paths[-1])
    for first in range(0, count, 100):
        subprocess.run(["dcmodify", "--no-backup", "--gen-inst-uid", *paths[first:first + 100]], check=True)
    return paths


def send(port, paths):
    subprocess.run(["storescu", "-xy", "-aec", "CUBCAL", "127.0.0.1", str(port), *paths], check=True, env=ENVIRONMENT)
    return time.perf_counter()


def measure(options, scratch):
    received = scratch + "/received"
    for folder in (received, scratch + "/images"):
        os.makedirs(folder)
    paths = copies(options.images, scratch + "/images", options.alone + options.count)
    archive_port, port = free_port(), free_port()
    archive = subprocess.Popen(["storescp", "-od", received, str(archive_port)], env=ENVIRONMENT)
    command = [options.cubcal, "dicom", options.model, "--port", str(port), "--to", f"ARCHIVE@127.0.0.1:{archive_port}",
               "--spool", scratch + "/spool"] + (["--mc", str(options.mc)] if options.mc else [])
    with open(scratch + "/log", "w") as log:
        node = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_until(lambda: "listens at" in open(scratch + "/log").read() or node.poll() is not None)
        reports = lambda: len(os.listdir(received))
        alone = []
        for i, path in enumerate(paths[:options.alone]):
            stored = send(port, [path])
            alone.append(wait_until(lambda: reports() == i + 1) - stored)
        start = time.perf_counter()
        stored = send(port, paths[options.alone:])
        last = wait_until(lambda: reports() == len(paths))
        done = lambda: len(os.listdir(scratch + "/spool/done")) == len(paths)
        wait_until(done)
        memory = re.search(r"VmHWM:\s*(\d+)", open(f"/proc/{node.pid}/status").read())
        return {"model": open(scratch + "/log").readline().strip(), "images": options.count,
                "seconds_from_store_to_report_alone": {"median": statistics.median(alone), "largest": max(alone)},
                "images_stored_per_minute": 60 * options.count / (stored - start),
                "images_answered_per_minute": 60 * options.count / (last - start),
                "largest_memory_mib": int(memory.group(1)) / 1024}
    finally:
        node.send_signal(signal.SIGTERM)
        node.wait()
        archive.terminate()
        archive.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cubcal", default="build/cubcal")
    parser.add_argument("--model", required=True)
    parser.add_argument("--count", type=int, default=200, help="images in one association")
    parser.add_argument("--alone", type=int, default=20, help="images sent alone")
    parser.add_argument("--mc", type=int, help="stochastic passes")
    parser.add_argument("images", nargs="+")
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measure(parser.parse_args(), scratch), indent=2))


if __name__ == "__main__":
    main()
