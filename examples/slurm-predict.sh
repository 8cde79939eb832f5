#!/bin/bash
# Bulk prediction as a job array, one shard to a task:
#   sbatch --array=1-16 slurm-predict.sh MODEL LIST OUT
# LIST names an image on each line. A task that was killed or preempted goes on where it was when it is
# started again; one that is done ends at once. Tasks that failed are run again alone, under the same
# number of shards:
#   sbatch --array=3,7 --export=ALL,SHARDS=16 slurm-predict.sh MODEL LIST OUT
# When all are there: cubcal merge OUT.*-of-16.jsonl -o OUT.jsonl
#SBATCH --job-name=cubcal-predict
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
set -euo pipefail
model=$1 list=$2 out=$3

# Slurm's signal goes to this script: it is passed on, so that what is answered is kept and said.
cubcal --threads "${SLURM_CPUS_PER_TASK:-1}" predict --model "$model" - \
  --jsonl "$out.jsonl" --shard "auto${SHARDS:+/$SHARDS}" < "$list" &
child=$!
trap 'kill -TERM $child' TERM
wait $child
