#!/usr/bin/env python3
"""Inputs of a megabyte, which a fuzzer that starts from small ones seldom reaches.

  large_inputs.py FOLDER SEEDS...   writes them for a reader whose kept inputs lie in the folders SEEDS

Brackets within each other, an object of many keys, many lists, a long list, a long text and long lines; and of the
largest seed a copy whose middle is repeated, and one with zeros behind it.
"""
import pathlib
import sys

SIZE = 1 << 20


def texts():
    yield "nested_lists", b"[" * SIZE
    yield "nested_objects", b'{"a":' * (SIZE // 5)
    yield "nested_tables", b"a" + b".a" * (SIZE // 2 - 2) + b"=1"
    yield "keys", b"{" + b",".join(b'"%d":0' % i for i in range(SIZE // 10)) + b"}"
    yield "same_key", b"{" + b",".join([b'"a":0'] * (SIZE // 6 - 1)) + b"}"
    yield "numbers", b'{"rows":[' + b",".join([b"1e308"] * (SIZE // 6 - 4)) + b"]}"
    yield "text", b'{"format":"' + b"\\u0041" * (SIZE // 6 - 4) + b'"}'
    yield "columns", b"," * (SIZE - 1) + b"\n"
    yield "lines", b"{}\n" * (SIZE // 3)
    yield "lists", b"\n".join(b"k%d=['a']" % i for i in range(SIZE // 14))
    yield "tables", b"\n".join(b"[t%d]\nk=%d" % (i, i) for i in range(SIZE // 20))


def stretched(seed):
    third = len(seed) // 3
    middle = seed[third:2 * third] or b"\0"
    yield "repeated", (seed[:third] + middle * (SIZE // len(middle)))[:SIZE - len(seed)] + seed[2 * third:]
    yield "padded", seed + bytes(max(0, SIZE - len(seed)))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    seeds = [path for each in sys.argv[2:] for path in sorted(pathlib.Path(each).iterdir()) if path.is_file()]
    cases = list(texts())
    if seeds:
        cases += stretched(max(seeds, key=lambda path: path.stat().st_size).read_bytes())
    for name, contents in cases:
        assert len(contents) <= SIZE
        (folder / name).write_bytes(contents)


main()
