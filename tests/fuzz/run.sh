#!/bin/sh
# Runs every fuzzer of a build folder for some seconds, as many side by side as there are processors
# (JOBS), from the kept corpus. FUZZ_SEED repeats what a run with that seed tried; without it, or 0, each
# run tries something else:
#   tests/fuzz/run.sh BUILD_FOLDER [SECONDS] [FUZZER ...]
# What is found on the way, and any finding (crash-*, oom-*, timeout-*), stays in BUILD_FOLDER/fuzz;
# a finding ends the script with an error. Of each fuzzer the executions and its corpus are printed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
seconds=${2:-60}
mkdir -p "$build/fuzz"

# Twice: inputs of up to a megabyte that were made once, then what the fuzzer makes of the corpus.
run_one() {
  fuzzer=$1
  kind=${fuzzer#fuzz_}
  longest=1048576
  seeds="$here/corpus/$kind"
  case $kind in
    npy | npz) seeds="$seeds $here/../data/npy" ;;
    jpeg) seeds="$seeds $here/../data/images" longest=65536 ;;
    png) seeds="$seeds $here/../data/images" longest=2048 ;; # a byte can stand for 8000 pixels
    dicom) longest=65536 ;;
    formats) seeds="$seeds $here/../data/formats" longest=2048 ;; # a byte can stand for 20000 pixels
    torch_logits) seeds="$seeds $here/../data/torch" ;;
    safetensors | torch_pickle) seeds="$seeds $here/../data/weights" ;;
  esac
  found="$build/fuzz/corpus-$fuzzer"
  mkdir -p "$found"
  folders=""
  for folder in $seeds; do [ -d "$folder" ] && folders="$folders $folder"; done
  dictionary=""
  [ -f "$here/$fuzzer.dict" ] && dictionary="-dict=$here/$fuzzer.dict"
  log="$build/fuzz/$fuzzer.log"
  limits="-timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=256"
  if ! { python3 "$here/large_inputs.py" "$build/fuzz/large-$kind" $folders &&
         "$build/tests/fuzz/$fuzzer" $limits -artifact_prefix="$build/fuzz/" "$build/fuzz/large-$kind"/* &&
         "$build/tests/fuzz/$fuzzer" -max_total_time="$seconds" $limits -max_len=$longest \
           -seed="${FUZZ_SEED:-0}" -print_final_stats=1 -verbosity=0 $dictionary -artifact_prefix="$build/fuzz/" \
           "$found" $folders; } >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "$fuzzer: FAILED, see $log"
    return 1
  fi
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  echo "$fuzzer: ${executions:-?} inputs in $seconds s, $(ls "$found" | wc -l) new in its corpus"
}

# This script calls itself for each.
if [ $# -eq 3 ] && [ "${FUZZ_ALONE:-}" ]; then
  run_one "$3"
  exit
fi
[ $# -gt 2 ] && { shift 2; fuzzers=$*; } || fuzzers=$(cd "$build/tests/fuzz" && ls -d fuzz_* | grep -v '\.')
export FUZZ_ALONE=yes
printf '%s\n' $fuzzers | xargs -P "${JOBS:-$(nproc)}" -n 1 "$0" "$build" "$seconds"
