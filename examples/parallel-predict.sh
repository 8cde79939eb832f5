#!/bin/bash
# Bulk prediction on one machine with as many processes as SHARDS says, without a scheduler:
#   SHARDS=4 parallel-predict.sh MODEL LIST OUT
# Started again, it makes what is missing.
set -euo pipefail
model=$1 list=$2 out=$3
shards=${SHARDS:-$(nproc)}
processes=()
for shard in $(seq "$shards"); do
  cubcal --threads 1 predict --model "$model" - --jsonl "$out.jsonl" --shard "$shard/$shards" < "$list" &
  processes+=($!)
done
for process in "${processes[@]}"; do wait "$process"; done
cubcal merge "$out".*-of-"$shards".jsonl -o "$out.jsonl"
