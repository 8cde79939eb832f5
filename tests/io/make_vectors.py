#!/usr/bin/python3
"""Writes the NumPy files that the io tests read, into tests/data/npy. Run it from anywhere:

    /usr/bin/python3 tests/io/make_vectors.py

The files are committed; this script says how they came to be. Times inside the archives are fixed,
so that running it again with the same NumPy changes nothing.
"""

import io
import pathlib
import warnings
import zipfile

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "npy"
NUMBER_TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]


def numbers(dtype):
    """(2, 3): 0 1 2 / 3 4 100, or for bool 0 1 0 / 1 0 1."""
    if dtype.endswith("b1"):
        return np.array([[0, 1, 0], [1, 0, 1]], dtype=dtype)
    return np.array([[0, 1, 2], [3, 4, 100]], dtype=dtype)


def cube(order="C"):
    """(2, 3, 4) with the value 100 i + 10 j + k at (i, j, k)."""
    i, j, k = np.ogrid[:2, :3, :4]
    return np.asarray(100 * i + 10 * j + k, dtype="<f4", order=order)


def npy_bytes(array, version=None, allow_pickle=False):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), version=version, allow_pickle=allow_pickle)
    return file.getvalue()


def write_zip(name, members, method=zipfile.ZIP_STORED, comment=b"", prefix=b"", zip64=False):
    """`members` are (name, bytes); prefix goes before the archive, whose offsets do not count it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.comment = comment
        for member, data in members:
            info = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # one vector repeats a name on purpose
                with archive.open(info, "w", force_zip64=zip64) as stream:
                    stream.write(data)
    (FOLDER / name).write_bytes(prefix + file.getvalue())


class Unseekable(io.RawIOBase):
    """A pipe-like file: zipfile then writes sizes and CRC behind the data."""

    def __init__(self):
        super().__init__()
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, piece):
        self.data += bytes(piece)
        return len(piece)


def write_streamed(name, members):
    file = Unseekable()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members:
            info = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as stream:
                stream.write(data)
    (FOLDER / name).write_bytes(bytes(file.data))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for order, name in (("<", "little"), (">", "big")):
        write_zip(f"numbers_{name}.npz",
                  [(f"{t}.npy", npy_bytes(numbers(order + t))) for t in NUMBER_TYPES],
                  method=zipfile.ZIP_DEFLATED)

    np.save(FOLDER / "cube_c.npy", cube())
    np.save(FOLDER / "cube_fortran.npy", cube("F"))
    np.save(FOLDER / "cube_fortran_big.npy", cube("F").astype(">f4", order="F"))
    np.save(FOLDER / "scalar.npy", np.float64(2.5))
    np.save(FOLDER / "empty.npy", np.zeros((0, 3), "<f4"))
    (FOLDER / "version2.npy").write_bytes(npy_bytes(cube(), (2, 0)))
    (FOLDER / "version3.npy").write_bytes(npy_bytes(cube(), (3, 0)))

    names = ["", "a", "Röntgen", "肺炎", "😀 x"]
    write_zip("text.npz", [
        ("little.npy", npy_bytes(np.array(names, "<U8"))),
        ("big.npy", npy_bytes(np.array(names, ">U8"))),
        ("bytes.npy", npy_bytes(np.array([n.encode() for n in names]))),
        ("latin1.npy", npy_bytes(np.array([b"caf\xe9"]))),
        ("número.npy", npy_bytes(np.array([7], "<i8"))),
    ], method=zipfile.ZIP_DEFLATED)

    refused = {
        "objects": np.array(["a", None], dtype=object),
        "complex": np.array([1j]),
        "date": np.array(["2020-01-01"], "M8[D]"),
        "structured": np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
    }
    write_zip("refused.npz",
              [(f"{n}.npy", npy_bytes(a, allow_pickle=True)) for n, a in refused.items()],
              method=zipfile.ZIP_DEFLATED)

    logits = [
        ("logits.npy", npy_bytes(cube())),
        ("labels.npy", npy_bytes(np.array([0, 3, 1]))),
        ("groups.npy", npy_bytes(np.array(["p1", "p1", "p2"]))),
        ("class_names.npy", npy_bytes(np.array(["none", "mild", "moderate", "severe"]))),
    ]
    small = logits[:2]
    write_zip("logits.npz", logits, zip64=True)  # as np.savez does
    write_zip("logits_deflated.npz", logits, method=zipfile.ZIP_DEFLATED, zip64=True)
    write_zip("logits_fortran_big.npz", [
        ("logits.npy", npy_bytes(cube("F").astype(">f8", order="F"))),
        ("labels.npy", npy_bytes(np.array([[0], [3], [1]], ">u2"))),
        ("groups.npy", npy_bytes(np.array([7, -1, 7], "<i2"))),
    ])
    write_zip("prefix_and_comment.npz", small, prefix=b"#!/bin/sh\n", comment=b"a comment")
    write_streamed("streamed.npz", small)
    write_zip("bzip2.npz", small[:1], method=zipfile.ZIP_BZIP2)
    write_zip("duplicate.npz", [small[0], small[0]])


main()
