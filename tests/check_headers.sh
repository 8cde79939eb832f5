#!/bin/sh
# Compiles every header below the named folders alone, which shows that it includes what it uses.
#   check_headers.sh "COMPILER AND FLAGS" FOLDER...
set -eu
compile=$1
shift
count=$(find "$@" -name '*.h' | wc -l)
[ "$count" -gt 0 ] || { echo "there is no header in $*"; exit 1; }
find "$@" -name '*.h' | sort | xargs -P "$(nproc)" -I HEADER sh -c "$compile -fsyntax-only -w -x c++ HEADER || { echo 'HEADER does not stand alone'; exit 255; }"
echo "$count headers stand alone"
