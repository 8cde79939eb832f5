"""The examples run as they stand."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

pytest.importorskip("torch")


def run(name, *arguments, folder):
    # One thread: where tests run side by side, threads of torch wait for each other by turning round.
    environment = dict(os.environ, MPLBACKEND="Agg", OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, ROOT / "python" / "examples" / name, "--quick", *arguments], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_own_resnet(tmp_path):
    pytest.importorskip("matplotlib")
    text = run("own_resnet.py", "--out", "results", folder=tmp_path)
    assert "ECE (%)" in text and "out-of-scope" in text
    assert (tmp_path / "results" / "charts.png").stat().st_size > 10000
    assert (tmp_path / "results" / "report.html").stat().st_size > 50000


def test_cub_loss_loop(tmp_path):
    text = run("cub_loss_loop.py", folder=tmp_path)
    betas = [float(line.split("beta ")[1].split()[0]) for line in text.splitlines() if line.startswith("epoch")]
    assert betas[:4] == [0, 0, 0, 0] and betas[4] == 0 and min(betas[5:]) > 0
    assert "B - A" in text
