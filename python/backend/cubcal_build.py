"""The build backend (PEP 517, PEP 660): calls CMake and packs what it made.

It needs CMake, a C++17 compiler and the headers of pybind11, zlib and nlohmann-json, and nothing from
a package index. The build folder, build-python/<tag>, is kept: a second build is quick.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "package"
SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "include", "python", "src")
SUFFIXES = (".py", ".pyi", ".typed")


def version():
    return re.search(r"project\(cubcal VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata():
    return f"""Metadata-Version: 2.1
Name: cubcal
Version: {version()}
Summary: Honest uncertainty for medical image classifiers
License: Apache-2.0
Requires-Python: >=3.8
Requires-Dist: numpy>=1.20
Provides-Extra: plot
Requires-Dist: matplotlib; extra == 'plot'
Provides-Extra: torch
Requires-Dist: torch>=1.13; extra == 'torch'
Description-Content-Type: text/markdown

""" + (ROOT / "README.md").read_text(encoding="utf-8")


def tag():
    abi = f"cp{sys.version_info.major}{sys.version_info.minor}"
    threaded = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    return f"{abi}-{abi}{threaded}-{platform}"


def run(*command):
    try:
        subprocess.run([str(part) for part in command], check=True)
    except FileNotFoundError:
        sys.exit(f"cubcal: {command[0]} was not found; building takes cmake, g++, pybind11-dev, "
                 "zlib1g-dev and nlohmann-json3-dev")
    except subprocess.CalledProcessError:
        sys.exit("cubcal: the build failed: see above; it takes cmake, g++, pybind11-dev, "
                 "zlib1g-dev and nlohmann-json3-dev")


def build_extension():
    """Builds the extension and returns the folder of the package that can be imported."""
    folder = ROOT / "build-python" / tag()
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{each}=ON" for each in ("PNG", "JPEG", "DCMTK")]
    run("cmake", "-S", ROOT, "-B", folder, *generator, *absent, "-DCMAKE_BUILD_TYPE=Release",
        "-DCUBCAL_NN=OFF", "-DCUBCAL_PROGRAM=OFF", "-DCUBCAL_TESTS=OFF", "-DCUBCAL_PYTHON=ON",
        f"-DCUBCAL_PYTHON_EXECUTABLE={sys.executable}")
    run("cmake", "--build", folder, "--target", "cubcal_python", "-j", os.cpu_count() or 1)
    return folder / "python"


class Wheel:
    """A wheel that is written file by file and records each."""

    def __init__(self, directory, label):
        self.name = f"cubcal-{version()}-{label}.whl"
        self.info = f"cubcal-{version()}.dist-info"
        self.records = []
        self.zip = zipfile.ZipFile(Path(directory) / self.name, "w", zipfile.ZIP_DEFLATED)
        self.label = label

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(content)}")
        self.zip.writestr(entry, content)

    def finish(self):
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: cubcal_build\n"
                                        f"Root-Is-Purelib: false\nTag: {self.label}\n").encode())
        self.add(f"{self.info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        self.add(f"{self.info}/LICENSE.fonts",
                 (ROOT / "src/cubcal/pdf/fonts/LICENSE").read_bytes())
        record = f"{self.info}/RECORD"
        self.zip.writestr(record, "\n".join(self.records + [f"{record},,"]) + "\n")
        self.zip.close()
        return self.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / f"cubcal-{version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(), encoding="utf-8")
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built = build_extension() / "cubcal"
    wheel = Wheel(wheel_directory, tag())
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in SUFFIXES:
            wheel.add(path.relative_to(PACKAGE).as_posix(), path.read_bytes())
    extension = built / ("_core" + sysconfig.get_config_var("EXT_SUFFIX"))
    wheel.add(f"cubcal/{extension.name}", extension.read_bytes(), 0o755)
    return wheel.finish()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package as the build folder has it, where links lead to the sources."""
    wheel = Wheel(wheel_directory, tag())
    wheel.add("_cubcal_editable.pth", f"{build_extension()}\n".encode())
    return wheel.finish()


def build_sdist(sdist_directory, config_settings=None):
    base = f"cubcal-{version()}"
    (ROOT / "build-python").mkdir(exist_ok=True)
    info = ROOT / "build-python" / "PKG-INFO"
    info.write_text(metadata(), encoding="utf-8")

    def without_leftovers(entry):
        return None if "__pycache__" in entry.name or entry.name.endswith(".pyc") else entry

    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.add(info, f"{base}/PKG-INFO")
        for source in SOURCES:
            archive.add(ROOT / source, f"{base}/{source}", filter=without_leftovers)
    return f"{base}.tar.gz"
