"""Threads, signals, silence, speed and the package itself."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import make_logits

import cubcal


def test_version_and_types():
    assert cubcal.__version__.count(".") == 2
    folder = os.path.dirname(cubcal.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed")) and os.path.exists(os.path.join(folder, "_core.pyi"))
    for name in cubcal.__all__:
        assert getattr(cubcal, name) is not None
        if name[0] != "_":
            assert getattr(cubcal, name).__doc__, name


def test_stubs_name_everything_of_the_extension():
    folder = os.path.dirname(cubcal.__file__)
    with open(os.path.join(folder, "_core.pyi"), encoding="utf-8") as file:
        stub = file.read()
    for name in dir(cubcal._core):
        if name[:2] != "__":
            assert f"def {name}(" in stub or f"class {name}:" in stub, name
    for cls in (each for each in vars(cubcal._core).values() if isinstance(each, type)):
        for name in vars(cls):
            if name[0] != "_":
                assert f"def {name}(" in stub, f"{cls.__name__}.{name}"


def test_nothing_is_printed():
    code = textwrap.dedent("""
        import numpy as np, cubcal
        rng = np.random.default_rng(0)
        z, y = rng.normal(size=(4, 100, 3)), rng.integers(3, size=100)
        cubcal.evaluate(z, y, bootstrap=20)
        cubcal.Calibrator("dts").fit(z, y).predict_proba(z)
        cubcal.Calibrator().fit(z, y)
        cubcal.Verdict().fit(z, y).predict(z)
        cubcal.compare(z, z, y, bootstrap=20)
        try: cubcal.predict(z * np.nan)
        except ValueError: pass
    """)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert done.stdout == b"" and done.stderr == b""


def test_ctrl_c_ends_a_long_call():
    code = textwrap.dedent("""
        import numpy as np, cubcal
        rng = np.random.default_rng(0)
        z, y = rng.normal(size=(2, 20000, 3)), rng.integers(3, size=20000)
        print("ready", flush=True)
        try:
            cubcal.evaluate(z, y, bootstrap=1000000)
        except KeyboardInterrupt:
            cubcal.evaluate(z, y, bootstrap=5)  # and goes on living
            print("interrupted", flush=True)
    """)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    start = time.perf_counter()
    child.send_signal(signal.SIGINT)
    try:
        output = child.communicate(timeout=20)[0]
    finally:
        child.kill()
    assert output == b"interrupted\n" and time.perf_counter() - start < 10


def test_other_threads_run_meanwhile():
    z, y = make_logits(4, 5000, 3)
    done = threading.Event()
    seen = []

    def work():
        seen.append(cubcal.evaluate(z, y, bootstrap=400))
        done.set()

    thread = threading.Thread(target=work)
    ticks = 0
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5, "the GIL was held"
    assert seen[0] == cubcal.evaluate(z, y, bootstrap=400)


def test_calls_from_several_threads_agree():
    z, y = make_logits(4, 2000, 3)
    expected = cubcal.evaluate(z, y)
    results = []
    threads = [threading.Thread(target=lambda: results.append(cubcal.evaluate(z, y))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(each == expected for each in results) and len(results) == 4


def test_a_small_call_costs_little():
    """Well above the 50 µs of docs/performance.md: a test machine may be busy."""
    z, y = make_logits(4, 8, 3)
    best = min(_seconds(lambda: cubcal.predict(z)) for _ in range(200))
    assert best < 500e-6


def _seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def test_memory_comes_back():
    resource = pytest.importorskip("resource")
    z, y = make_logits(20, 20000, 5)
    for _ in range(3):
        cubcal.evaluate(z, y)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(30):
        p = cubcal.predict(z)
        cubcal.evaluate(p, y)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30000, "kB"
