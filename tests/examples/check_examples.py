#!/usr/bin/python3
"""Checks examples/ and packaging/Dockerfile: shells and a YAML parser take them, the manifests have what
their kinds need, every option they give to cubcal is one it has, and the scripts run on a small job.

  check_examples.py ROOT_OF_THE_REPOSITORY PROGRAM
Ends with 77 where there is no YAML parser (Debian: python3-yaml).
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import yaml
except ImportError:
    print("there is no python3-yaml")
    sys.exit(77)

ROOT, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
EXAMPLES = ROOT / "examples"


def flags_of(command):
    text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"--[a-z][a-z0-9-]*", text)) | {"--threads"}


def check_flags(words, where):
    """The words of a call of cubcal, without its name."""
    while words[0].startswith("--"):
        words = words[2:]  # an option of the program itself and its value
    unknown = {word for word in words if word.startswith("--")} - flags_of(words[0])
    assert not unknown, f"{where}: 'cubcal {words[0]}' has no {sorted(unknown)}"


def check_scripts():
    scripts = sorted(EXAMPLES.glob("*.sh"))
    assert len(scripts) >= 3
    for script in scripts:
        subprocess.run(["bash", "-n", script], check=True)
        text = re.sub(r"\\\n", " ", script.read_text())
        calls = re.findall(r"^[^#\n]*?\bcubcal ((?:--|predict|experiment|merge|train)[^<&\n]*)", text, re.M)
        assert calls, f"{script.name} calls nothing"
        for call in calls:
            check_flags(re.sub(r"\"[^\"]*\"", "VALUE", call).split(), script.name)


def check_job(job):
    spec = job["spec"]
    assert spec["completionMode"] == "Indexed" and spec["parallelism"] <= spec["completions"]
    pod = spec["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    container = pod["containers"][0]
    call = shlex.split(container["args"][0])
    assert call[:2] == ["exec", "cubcal"]
    check_flags(call[2:], "kubernetes-predict.yaml")
    assert call[call.index("--shard") + 1] == f"auto/{spec['completions']}", "as many shards as completions"
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in pod["volumes"]}


def check_service(documents):
    service, runtime = documents
    assert (service["kind"], runtime["kind"]) == ("InferenceService", "ServingRuntime")
    model = service["spec"]["predictor"]["model"]
    assert model["runtime"] == runtime["metadata"]["name"]
    assert model["modelFormat"]["name"] in {each["name"] for each in runtime["spec"]["supportedModelFormats"]}
    container = runtime["spec"]["containers"][0]
    check_flags(container["args"], "kserve-service.yaml")
    port = int(container["args"][container["args"].index("--port") + 1])
    assert container["ports"][0]["containerPort"] == port
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["port"] == port


def check_dockerfile():
    text = re.sub(r"\\\n", " ", (ROOT / "packaging" / "Dockerfile").read_text())
    commands = [line.split()[0] for line in text.splitlines() if line and not line.startswith("#")]
    assert commands[0] == "FROM" and {"HEALTHCHECK", "USER", "ENTRYPOINT", "CMD"} <= set(commands)
    for run in re.findall(r"^RUN (.*)", text, re.M):
        subprocess.run(["sh", "-n", "-c", run], check=True)
    words = yaml.safe_load(re.search(r"^CMD (.*)", text, re.M).group(1))
    check_flags(words, "Dockerfile")


def run_scripts():
    """The array's script as Slurm would call it, task after task, then the one without a scheduler."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        recipe = "[data.phantom]\ntrain = 40\nval = 20\ntest = 8\nood = 8\nimage_size = 16\n[stage1]\nepochs = 1\n"
        (folder / "small.toml").write_text(recipe)
        (folder / "bin").mkdir()
        (folder / "bin" / "cubcal").symlink_to(PROGRAM)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}

        def call(*words, **more):
            subprocess.run(words, cwd=folder, check=True, env={**environment, **more},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        call("cubcal", "train", "small.toml", "--out", "run")
        for name in ("gray8.png", "gray16.png", "rgb8.png", "rgb.jpg"):
            shutil.copy(ROOT / "tests" / "data" / "images" / name, folder / name)
        (folder / "list.txt").write_text("gray8.png\ngray16.png\nrgb8.png\nrgb.jpg\nmissing.png\n")
        for task in ("1", "2"):
            call(EXAMPLES / "slurm-predict.sh", "run", "list.txt", "slurm", SLURM_ARRAY_TASK_ID=task,
                 SLURM_ARRAY_TASK_COUNT="2", SLURM_ARRAY_TASK_MIN="1", SLURM_ARRAY_TASK_MAX="2")
        # One task again, alone: done, and no other shard for that.
        call(EXAMPLES / "slurm-predict.sh", "run", "list.txt", "slurm", SLURM_ARRAY_TASK_ID="2",
             SLURM_ARRAY_TASK_COUNT="1", SLURM_ARRAY_TASK_MIN="2", SLURM_ARRAY_TASK_MAX="2", SHARDS="2")
        call("cubcal", "merge", "slurm.1-of-2.jsonl", "slurm.2-of-2.jsonl", "-o", "slurm.jsonl")
        call(EXAMPLES / "parallel-predict.sh", "run", "list.txt", "parallel", SHARDS="3")
        merged = (folder / "slurm.jsonl").read_bytes()
        assert merged == (folder / "parallel.jsonl").read_bytes() and merged.count(b"\n") == 5


check_scripts()
check_job(yaml.safe_load((EXAMPLES / "kubernetes-predict.yaml").read_text()))
check_service(list(yaml.safe_load_all((EXAMPLES / "kserve-service.yaml").read_text())))
check_dockerfile()
run_scripts()
print("examples and Dockerfile are as their readers want them")
