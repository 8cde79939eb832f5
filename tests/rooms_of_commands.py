#!/usr/bin/env python3
"""What the source of a command depends on: rooms and headers of the library that its #includes lead to, those of
include/cubcal not counted. For the table in docs/architecture.md:

    tests/rooms_of_commands.py [FOLDER_OF_THE_TREE] evaluate predict train
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def depends_on(tree, program, source):
    """The library's headers that a source includes, directly or through others."""
    seen, waiting, library = set(), [source], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in INCLUDE.findall(file.read_text()):
            if (program / name).is_file():
                waiting.append(program / name)
            elif (tree / "src" / name).is_file():
                waiting.append(tree / "src" / name)
                library.add(name)
    return library


def main(words):
    tree = pathlib.Path(words.pop(0)) if pathlib.Path(words[0]).is_dir() else pathlib.Path(__file__).parent.parent
    program = tree / "apps" / "cubcal"
    for command in words:
        headers = depends_on(tree, program, program / f"{command}.cpp")
        rooms = sorted({name.split("/")[1] for name in headers})
        print(f"{command}: {len(rooms)} rooms ({' '.join(rooms)}), {len(headers)} headers")


if __name__ == "__main__":
    main(sys.argv[1:])
