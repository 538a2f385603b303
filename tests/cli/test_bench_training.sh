#!/usr/bin/env bash
# bench-training: what a step and its parts take, by every backend that is here.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

once=(--steps 1 --warmup 0 --batch-size 2)

example "tables of phases and of stages"
trainyard bench-training "${once[@]}" --backend ref --profile
exit_is 0
stderr_is_empty
has_no_escapes
stdout_has "keras_cifar10_cnn, fp32, backend ref, 1 rank of 1 thread, batches of 2, 1 step"
for phase in load augment forward backward update step; do
    holds grep -qE "^$phase +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$" stdout
done
stdout_has "Mean of 1 step of rank 0, by the processor's clock"
for stage in input {conv2d_{1,2,3,4},max_pooling2d_{1,2},dense_{1,2}}" "{forward,backward} loss update rest; do
    holds grep -qE "^$stage +[0-9.]+ +[0-9.]+$" stdout
done
holds grep -qE "^step +[0-9.]+ +100\.0$" stdout

example "an engine is not ignored by a backend without engines"
trainyard bench-training "${once[@]}" --backend ref --engine cublas
exit_is 2
stderr_has "--engine: is cublas, but backend ref has no choice of engines"
stderr_has "hint: leave it out, or use --backend cuda"

example "JSON, with parts that do not take longer than the whole"
trainyard bench-training "${once[@]}" --steps 5 --backend auto --profile --json
exit_is 0
stderr_is_empty
holds is_answer bench-training-answer
holds has_json 'run["batch_size"] == 2 and run["steps"] == 5 and run["ranks"] == 1'
holds has_json 'run["step_ms"]["min"] <= run["step_ms"]["median"] <= run["step_ms"]["p90"]'
holds has_json 'sum(phase["mean"] for phase in run["phases_ms"].values()) <= 1.001 * run["step_ms"]["mean"]'
holds has_json 'run["profile"]["steps"] == 5 and run["profile"]["step_us"] <= 1001 * run["step_ms"]["mean"]'
holds has_json 'abs(sum(stage["us"] for stage in run["profile"]["stages"].values()) - run["profile"]["step_us"]) < 0.1'
holds has_json 'abs(sum(stage["percent"] for stage in run["profile"]["stages"].values()) - 100) < 0.1'

# oneDNN computes by its reference where it has no kernel for the layouts that it is given: right, and hundreds of times as
# slowly. Its kernels depend on the processor, of which a newer one can be taken for an older.
example "oneDNN has a fast kernel for every convolution of both networks"
trainyard bench-training "${once[@]}" --backend onednn
if [ "$status" -eq 0 ] && grep -qw avx2 /proc/cpuinfo; then
    for network in keras_cifar10_cnn keras_cifar10_cnn_deep; do
        for precision in fp32 bf16; do
            for processor in AVX2 AVX512_CORE AVX512_CORE_BF16 ALL; do
                ONEDNN_VERBOSE=1 ONEDNN_MAX_CPU_ISA=$processor trainyard bench-training "${once[@]}" \
                    --backend onednn --precision "$precision" --network "$network"
                if [ "$status" -ne 0 ]; then # an AVX2 processor has no bf16
                    stderr_has "bf16"
                    continue
                fi
                holds grep -q 'exec,cpu,convolution,.*forward_training' stdout
                holds test -z "$(grep 'exec,cpu,convolution,ref:' stdout | head -n 1)"
            done
        done
    done
fi

example "the limits of the measurements that are kept"
measured=$source_folder/reports/measured
"$source_folder/tools/roofline.py" --batch 24 --ratio bf16=1.79 --ratio fp32=1.68 "$measured/calibration-zen4.json" >stdout
holds cmp stdout "$measured/roofline-zen4.txt"
# On paper: two products of 2 x 884736 operations in 2 us each, and 1 us of other work.
cat >profile.json <<'END'
{"network": "keras_cifar10_cnn", "precision": "fp32", "batch_size": 1,
 "profile": {"step_us": 5, "stages": {"conv2d_1 forward": {"us": 2}, "update": {"us": 1}, "conv2d_1 backward": {"us": 2}}}}
END
"$source_folder/tools/roofline.py" --ratio fp32=2 profile.json >stdout
stdout_has "conv2d_1 forward                     2    884.7"
stdout_has "    1  fp32          0.01      0.00    884.7         884.7    20.0   1.25  1.25   2 times another program would be 2.50, 2.50"
"$source_folder/tools/roofline.py" --batch 2 profile.json >stdout 2>stderr
status=$?
exit_is 1
stderr_has "batches of 2 were not measured"

example "wrong options"
trainyard bench-training --steps 0
exit_is 2
stdout_is_empty
stderr_begins 'trainyard: bench-training: --steps: is "0", expected a whole number from 1 to 10000000'
trainyard bench-training --network nope
exit_is 2
stderr_begins 'trainyard: --network: network "nope" cannot be trained here'
stderr_has "keras_cifar10_cnn, keras_cifar10_cnn_deep"
trainyard bench-training --data-dir nothing
exit_is 2
stderr_has "nothing: there is no CIFAR-10 set"

finish
