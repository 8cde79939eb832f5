#!/bin/sh
# Runs every fuzzer of a build folder for some seconds, from the committed seeds:
#   tests/fuzz/run.sh BUILD_FOLDER [SECONDS] [FUZZER ...]
# The corpus and any finding (crash-*, oom-*, timeout-*) stay in BUILD_FOLDER/fuzz.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
seconds=${2:-60}
[ $# -gt 2 ] && { shift 2; fuzzers=$*; } || fuzzers=$(cd "$build/tests/fuzz" && ls -d fuzz_* | grep -v '\.')
for fuzzer in $fuzzers; do
  kind=${fuzzer#fuzz_}
  longest=8192
  case $kind in
    npy | npz) seeds="$here/../data/npy" ;;
    jpeg) seeds="$here/../data/images" ;;
    png) seeds="$here/../data/images" longest=2048 ;; # a byte can stand for 8000 pixels
    torch_logits) seeds="$here/../data/torch" ;;
    safetensors | torch_pickle) seeds="$here/../data/weights" ;;
    *) seeds="$here/seeds/$kind" ;;
  esac
  [ -d "$seeds" ] || seeds=""
  corpus="$build/fuzz/corpus-$fuzzer"
  mkdir -p "$corpus"
  dictionary=""
  [ -f "$here/$fuzzer.dict" ] && dictionary="-dict=$here/$fuzzer.dict"
  echo "== $fuzzer, $seconds s"
  "$build/tests/fuzz/$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=256 -max_len=$longest -print_final_stats=1 -verbosity=0 $dictionary \
    -artifact_prefix="$build/fuzz/" "$corpus" $seeds
done
