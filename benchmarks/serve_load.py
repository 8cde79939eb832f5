#!/usr/bin/python3
"""Loads a running 'cubcal serve' and holds every answer against 'cubcal predict'.

  serve_load.py --cubcal build/cubcal --model FOLDER --clients 100 --seconds 120 IMAGE [IMAGE ...]

Starts the server itself, asks lone requests first, then from so many clients at once, each on a
connection of its own, and ends the server with SIGTERM while clients still ask. Standard library
alone; clients are spread over processes. Prints JSON: requests, lost, wrong, requests per second,
latencies, and the server's memory over time.
"""
import argparse
import http.client
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time

LEFT_OUT = ("image", "passes", "spread", "dicom", "picture")


def canonical(prediction):
    return json.dumps({k: v for k, v in prediction.items() if k not in LEFT_OUT}, sort_keys=True)


def expected_answers(options):
    command = [options.cubcal, "predict", "--model", options.model, "--json"] + passes(options)
    out = subprocess.run(command + options.images, check=True, capture_output=True).stdout
    return [canonical(each) for each in json.loads(out)["predictions"]]


def passes(options):
    return ["--mc", str(options.mc)] if options.mc else []


def ask(connection, body):
    connection.request("POST", "/v1/predict", body)
    response = connection.getresponse()
    return response.status, response.read()


def one_client(port, bodies, answers, start, end, first, result):
    counts = {"asked": 0, "right": 0, "wrong": 0, "lost": 0, "refused": 0}
    latencies = []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    i = first
    while time.time() < start:
        time.sleep(0.001)
    while time.time() < end:
        which = i % len(bodies)
        i += 1
        counts["asked"] += 1
        began = time.perf_counter()
        try:
            status, body = ask(connection, bodies[which])
        except OSError:
            counts["lost"] += 1
            connection.close()
            continue
        latencies.append(time.perf_counter() - began)
        if status == 503:
            counts["refused"] += 1
        elif status == 200 and canonical(json.loads(body)["predictions"][0]) == answers[which]:
            counts["right"] += 1
        else:
            counts["wrong"] += 1
    result.append((counts, latencies))


def client_process(port, bodies, answers, start, end, first, count, pipe):
    result, threads = [], []
    for c in range(count):
        threads.append(threading.Thread(target=one_client, args=(port, bodies, answers, start, end, first + c, result)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send(result)


def resident(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return float(re.search(r"^cubcal_resident_bytes (.*)$", text, re.M).group(1)) / 2**20, text


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cubcal", default="build/cubcal")
    parser.add_argument("--model", required=True)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--lone", type=int, default=50, help="requests of one client before")
    parser.add_argument("--mc", type=int)
    parser.add_argument("images", nargs="+")
    options = parser.parse_args()
    answers = expected_answers(options)
    bodies = [open(path, "rb").read() for path in options.images]
    server = subprocess.Popen([options.cubcal, "serve", options.model, "--port", "0"] + passes(options),
                              stdout=subprocess.PIPE, text=True)
    port = None
    for line in server.stdout:
        found = re.search(r"serving at \S+:(\d+)/", line)
        if found:
            port = int(found.group(1))
            break
    if port is None:
        sys.exit("the server did not start")
    threading.Thread(target=server.stdout.read, daemon=True).start()

    connection = http.client.HTTPConnection("127.0.0.1", port)
    lone = []
    for i in range(options.lone):
        began = time.perf_counter()
        status, body = ask(connection, bodies[i % len(bodies)])
        lone.append(time.perf_counter() - began)
        assert status == 200 and canonical(json.loads(body)["predictions"][0]) == answers[i % len(bodies)]
    _, text = resident(port)
    in_model = float(re.search(r"^cubcal_model_seconds_total\S* (.*)$", text, re.M).group(1)) / options.lone

    start, end = time.time() + 1, time.time() + 1 + options.seconds
    pipes = []
    share = [options.clients // options.processes + (i < options.clients % options.processes) for i in range(options.processes)]
    for i, count in enumerate(share):
        here, there = multiprocessing.Pipe()
        multiprocessing.Process(target=client_process, args=(port, bodies, answers, start, end, sum(share[:i]), count, there)).start()
        pipes.append(here)
    memory = []
    while time.time() < end:
        time.sleep(min(options.seconds / 12, max(0, end - time.time())) + 0.01)
        memory.append(round(resident(port)[0], 1))
    results = [each for pipe in pipes for each in pipe.recv()]
    _, text = resident(port)
    batches = re.search(r"^cubcal_batch_images_sum\S* (.*)$", text, re.M).group(1), re.search(r"^cubcal_batch_images_count\S* (.*)$", text, re.M).group(1)
    model_seconds = float(re.search(r"^cubcal_model_seconds_total\S* (.*)$", text, re.M).group(1)) - in_model * options.lone
    server.send_signal(signal.SIGTERM)
    code = server.wait()
    total = {key: sum(counts[key] for counts, _ in results) for key in results[0][0]}
    latencies = [each for _, some in results for each in some]
    print(json.dumps({
        "clients": options.clients, "seconds": options.seconds, **total,
        "requests_per_second": round(total["right"] / options.seconds, 1),
        "p50_ms": round(1e3 * quantile(latencies, 0.5), 1), "p99_ms": round(1e3 * quantile(latencies, 0.99), 1),
        "lone_median_ms": round(1e3 * quantile(lone, 0.5), 2), "lone_in_model_ms": round(1e3 * in_model, 2),
        "images_per_batch": round((float(batches[0]) - options.lone) / max(1, float(batches[1]) - options.lone), 1),
        "share_of_time_in_model": round(model_seconds / options.seconds, 3),
        "memory_mib": memory, "exit_code": code,
    }, indent=1))
    sys.exit(0 if total["wrong"] == total["lost"] == code == 0 else 1)


if __name__ == "__main__":
    main()
