#!/bin/bash
# The runs of a grid over a job array, all tasks on one folder that every node sees:
#   sbatch --array=1-4 slurm-experiment.sh recipes/skin.toml DATA OUT
# Each run is claimed by one task. The same command again makes what is missing; the task that ends last
# makes tables and report.
#SBATCH --job-name=cubcal-experiment
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=24:00:00
#SBATCH --requeue
set -euo pipefail
recipe=$1 data=$2 out=$3
exec cubcal --threads "${SLURM_CPUS_PER_TASK:-1}" experiment "$recipe" --data "$data" --out "$out" \
  --set device=cuda --shard auto
