#!/usr/bin/env bash
# What is said where a GPU is asked for and there is none: in any build, and on any machine, whose GPUs are hidden first.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

export CUDA_VISIBLE_DEVICES=
trainyard make-cifar --images 12 data
exit_is 0
small=(train --data-dir data --limit 6 --batch-size 4 --epochs 1 --dir gpu)

example "without CUDA, a driver or a GPU it says which in one line"
trainyard "${small[@]}" --verbose 0 --backend cuda
exit_is 3
holds grep -qE "cuda: (this build has no CUDA|there is no NVIDIA (driver on this machine|GPU that can be used))$" <(head -n 1 stderr)
holds grep -q "^  hint: " stderr
holds [ "$(wc -l <stderr)" -eq 2 ]
stdout_is_empty
holds [ ! -e gpu ]

example "auto falls back to the processor"
trainyard "${small[@]}" --backend auto
exit_is 0
stderr_is_empty
holds grep -qE "^Backend +(onednn|ref), fp32$" stdout

example "benchmarks say the same"
trainyard bench-training --backend cuda --steps 1
exit_is 3
stdout_is_empty
stderr_has "cuda: "

finish
