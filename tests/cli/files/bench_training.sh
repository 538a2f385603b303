#!/bin/sh
# Stands in for trainyard-bench-training: prints what it would print on a machine whose times are known and never vary.
# PRECISIONS are those that it has.
while [ $# -gt 0 ]; do
    case $1 in
    --network) network=$2 ;;
    --precision) precision=$2 ;;
    --batch-size) batch=$2 ;;
    --steps) steps=$2 ;;
    esac
    shift
done
case " ${PRECISIONS:-fp32 bf16} " in
*" $precision "*) ;;
*)
    echo "no backend in $precision" >&2
    exit 3
    ;;
esac
us=$((100 * batch))
cat <<JSON
{"network": "$network", "backend": "plain", "precision": "$precision", "batch_size": $batch, "steps": $steps, "gflops": 1.5,
 "step_ms": {"min": 0.9, "median": 1.0, "mean": 1.05, "p90": 1.1},
 "phases_ms": {"load": {"median": 0.1, "mean": 0.1}, "augment": {"median": 0.1, "mean": 0.1},
               "forward": {"median": 1.0, "mean": 2.0}, "backward": {"median": 1.0, "mean": 1.0},
               "update": {"median": 1.0, "mean": 1.0}},
 "profile": {"step_us": 1000.0, "stages": {
   "conv2d_1 forward": {"us": $us.5}, "conv2d_2 forward": {"us": $us.5}, "conv2d_3 forward": {"us": $us.5},
   "loss": {"us": 2.5}, "conv2d_2 backward": {"us": $us.5}, "update": {"us": 10.5}}}}
JSON
