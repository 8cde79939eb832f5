#!/bin/bash
# One training run by several processes that torchrun starts, on each of NODES machines with the same words:
#   NODES=2 HEAD=node1:29500 RANKS=4 ./torchrun-train.sh RECIPE DATA OUT
# RANKS are those of one machine. A rank that dies ends them all; torchrun then starts them again, RESTARTS times
# at most, and they go on from the last checkpoint. torchrun must be of the LibTorch that cubcal was built with.
set -euo pipefail
recipe=$1 data=$2 out=$3
exec torchrun --nnodes "${NODES:-1}" --nproc-per-node "${RANKS:-2}" --rdzv-backend c10d \
  --rdzv-endpoint "${HEAD:-localhost:29500}" --rdzv-id cubcal --max-restarts "${RESTARTS:-1}" --no-python \
  cubcal train "$recipe" --data "$data" --out "$out" --distributed "${OVER:-images}" --resume
