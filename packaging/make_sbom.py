#!/usr/bin/python3
"""What is linked into the programs, as CycloneDX 1.5 JSON on standard output.

  make_sbom.py --version 0.2.0 build/cubcal build/cubcal-full build/python/cubcal/_core*.so

Shared libraries are those that the loader would load, told apart into those a program names itself and
those that come with them; each is the Debian package it lies in. What is compiled in from headers is
listed by the package of the headers.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

# Nothing of these is in a binary but what was compiled from their headers.
HEADERS = {
    "nlohmann-json3-dev": "/usr/include/nlohmann/json.hpp",
    "libcli11-dev": "/usr/include/CLI/CLI.hpp",
    "libtomlplusplus-dev": "/usr/include/toml++/toml.h",
    "libgloo-dev": "/usr/include/gloo/algorithm.h",
    "pybind11-dev": "/usr/include/pybind11/pybind11.h",
}
USED_BY = {"cubcal": ["nlohmann-json3-dev", "libcli11-dev"],
           "cubcal-full": ["nlohmann-json3-dev", "libcli11-dev", "libtomlplusplus-dev", "libgloo-dev"],
           "_core": ["nlohmann-json3-dev", "pybind11-dev"]}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(program):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", program)))


def loaded(program):
    """Name and file of every library that is loaded."""
    text = output("ldd", program)
    if "not found" in text:
        sys.exit(f"make_sbom.py: libraries of {program} are missing:\n{text}")
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.M))


def package_of(path):
    """The Debian package of a file, or nothing. Files may be known by where /lib or /usr/lib leads."""
    real = str(Path(path).resolve())
    for name in dict.fromkeys([path, real, re.sub(r"^/usr/", "/", path), re.sub(r"^/usr/", "/", real)]):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.splitlines()[0].rsplit(": ", 1)[0].split(",")[0]
    return None


def facts(package):
    fields = output("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}\t${source:Package}", package)
    name, version, architecture, source = fields.split("\t")
    text = Path("/usr/share/doc", name, "copyright")
    licenses = []
    if text.exists():
        licenses = re.findall(r"^License:[ \t]*(\S.*)$", text.read_text(encoding="utf-8", errors="replace"), re.M)
    return name, version, architecture, source, list(dict.fromkeys(each.strip() for each in licenses))


def component(package, how):
    name, version, architecture, source, licenses = facts(package)
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"
    result = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
              "properties": [{"name": "cubcal:linked", "value": how},
                             {"name": "cubcal:debian-source", "value": source}]}
    if licenses:
        result["licenses"] = [{"license": {"name": each}} for each in licenses[:20]]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    how = {}  # package -> how it is linked, the closest
    edges = {}  # program -> packages
    for program in options.programs:
        stem = Path(program).name.split(".")[0]
        direct = needed(program)
        packages = set()
        for library, path in loaded(program).items():
            package = package_of(path) or sys.exit(f"make_sbom.py: no Debian package holds {path}")
            packages.add(package)
            kind = "shared library" if library in direct else "shared library of a library"
            if how.get(package) != "shared library":
                how[package] = kind
        for package in USED_BY.get(stem, []):
            if Path(HEADERS[package]).exists():
                how[package] = "headers"
                packages.add(package)
        edges[stem] = packages
    components = {package: component(package, kind) for package, kind in sorted(how.items())}
    fonts = {"type": "library", "bom-ref": "dejavu-sans", "name": "DejaVu Sans (parts, in PDF charts)",
             "licenses": [{"license": {"name": "Bitstream-Vera"}}],
             "properties": [{"name": "cubcal:linked", "value": "in the source tree"}]}
    own = [{"type": "application", "bom-ref": stem, "name": stem, "version": options.version} for stem in edges]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "cubcal-" + options.version, "name": "cubcal",
                                   "version": options.version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": own + list(components.values()) + [fonts],
        "dependencies": [{"ref": "cubcal-" + options.version, "dependsOn": sorted(edges)}] +
                        [{"ref": stem, "dependsOn": sorted({components[each]["bom-ref"] for each in packages}
                                                           | {"dejavu-sans"})}
                         for stem, packages in edges.items()]}
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
