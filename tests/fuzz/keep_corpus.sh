#!/bin/sh
# Adds to the kept corpus what a run of the fuzzers found, as few and as small inputs as cover most:
#   tests/fuzz/keep_corpus.sh BUILD_FOLDER [FUZZER ...]
# At most 20 inputs of at most 1 KB are added to a fuzzer's own: the largest, which cover most. What it has
# already is left as it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] && fuzzers=$* || fuzzers=$(cd "$build/fuzz" && ls -d corpus-fuzz_* | sed 's/^corpus-//')
for fuzzer in $fuzzers; do
  kept="$here/corpus/${fuzzer#fuzz_}"
  small="$build/fuzz/small-$fuzzer"
  merged="$build/fuzz/merged-$fuzzer"
  rm -rf "$small" "$merged"
  mkdir -p "$kept" "$small" "$merged"
  find "$build/fuzz/corpus-$fuzzer" -type f -size -3 -exec cp {} "$small" \;
  # What the named files cover already need not be kept again.
  find "$kept" -type f -exec cp {} "$merged" \;
  "$build/tests/fuzz/$fuzzer" -merge=1 -timeout=25 "$merged" "$small" >"$build/fuzz/merge-$fuzzer.log" 2>&1
  find "$kept" -type f | while read -r file; do rm -f "$merged/$(basename "$file")"; done
  ls -S "$merged" | head -n 20 | while read -r file; do cp "$merged/$file" "$kept/"; done
  echo "$fuzzer: $(ls "$kept" | wc -l) inputs, $(du -bs "$kept" | cut -f1) bytes"
done
