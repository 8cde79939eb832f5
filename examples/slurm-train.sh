#!/bin/bash
# One training run by several processes, rank 0 of which writes OUT:
#   sbatch --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 slurm-train.sh RECIPE DATA OUT
# The batch of each stage must be a multiple of the tasks; DATA must be there on every node, OUT on the first.
# A task that dies ends them all; the job that Slurm then queues again goes on from the last checkpoint. With
# one GPU visible to each task (--gpus-per-task) add --set device=cuda:0.
#SBATCH --job-name=cubcal-train
#SBATCH --cpus-per-task=8
#SBATCH --mem-per-cpu=4G
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
recipe=$1 data=$2 out=$3
exec srun --kill-on-bad-exit=1 cubcal --threads "${SLURM_CPUS_PER_TASK:-1}" train "$recipe" --data "$data" --out "$out" \
  --distributed "${OVER:-images}" --resume
