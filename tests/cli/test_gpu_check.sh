#!/usr/bin/env bash
# tools/gpu_check.sh where there is no GPU, and over an emulated one; what it makes of figures. Those of this test are of no machine.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

emulated=$(dirname "$TRAINYARD")/../emulated
mkdir fake
printf '#!/bin/sh\necho "NVIDIA-SMI has failed" >&2\nexit 9\n' >fake/nvidia-smi
chmod +x fake/nvidia-smi
export PATH=$PWD/fake:$PATH

gpu_check()
{
    "$source_folder/tools/gpu_check.sh" "$@" >stdout 2>stderr
    status=$?
}

# holds checked EXPRESSION-OF-PYTHON about `run`, the JSON of a check.
checked()
{
    /usr/bin/python3 -c "import json, sys; run = json.load(open('result/gpu_check.json')); sys.exit(not ($1))"
}

example "a machine without a GPU is reported in one line"
gpu_check --output result
exit_is 3
stdout_is_empty
holds [ "$(cat stderr)" = "gpu_check: there is no NVIDIA GPU: nvidia-smi lists none" ]
holds [ ! -e result/gpu_check.json ]
gpu_check --bin "$(dirname "$TRAINYARD")" --output result
exit_is 3
holds [ "$(wc -l <stderr)" -eq 1 ]
stderr_has "gpu_check: there is no GPU: "

example "help, and wrong options"
gpu_check --help
exit_is 0
stdout_has "tools/gpu_check.sh pack [DIR]"
stderr_is_empty
for wrong in --nope "--bin missing" "nothing" "table"; do
    # shellcheck disable=SC2086 # two words
    gpu_check $wrong
    exit_is 2
    stdout_is_empty
done

# --- From figures to JSON and table

mkdir -p figures/figures
printf '%s\t%s\t%s\t%s\t%s\n' tests passed 3 300 "7 programs passed" speed failed 9 600 "took longer than 600 s" memcheck skipped 0 300 "not here" >figures/steps.tsv
echo '{"device": "none", "product_tflops": {"fp32": 10}, "copy_gb_per_s": 1, "kernel_us": 2}' >figures/figures/limits.json
# Ours takes 100, 200 and 400 us, PyTorch's two forms 3 and 2 times as long, but for one bad round.
for ours in 0.1 0.2 0.4; do
    awk -v ours=$ours 'BEGIN {
        printf "{\"step_ms\": {\"median\": %s}, \"gflop_per_step\": 0.2, \"kernels_per_step\": 10}\n", ours
        form = "{\"peer\": \"torch\", \"graph\": %s, \"layout\": \"nhwc\", \"step_ms\": {\"median\": %s}}\n"
        printf "{\"peer\": \"own\", \"step_ms\": {\"median\": %s}}\n", ours * 3 / 4
        printf form, "false", 3 * ours
        printf form, "true", ours == 0.4 ? 40 : 2 * ours }'
done >figures/figures/speed.fp32.32.jsonl
echo '{"step_ms": {"median": 1}, "gflop_per_step": 0.2, "engines": {"conv2d_1": {"tried_us": {"forward": {"own": 9, "cudnn": 14.5}}}}}' \
    >figures/figures/speed.bf16.32.jsonl
echo '{"peer": "torch", "error": "RuntimeError: none left"}' >>figures/figures/speed.bf16.32.jsonl
echo '{"step_ms": {"med' >>figures/figures/speed.bf16.32.jsonl
# Of two steps only the second was seen whole. It has an early update.
cat >figures/figures/kernels.fp32.csv <<'EOF'
==PROF== Connected to process 1
"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"
"","","","","ns"
"0","void <unnamed>::multiply<<unnamed>::Kind<0, 1>>(const Product)","(128, 1, 1)","(4, 1, 1)","9,000"
"1","update_kernel(int)","(256, 1, 1)","(9, 1, 1)","1,000"
"2","void input_kernel<float>(int)","(128, 1, 1)","(8, 1, 1)","2,500"
"3","update_kernel(int)","(256, 1, 1)","(3, 1, 1)","4,000"
"4","void <unnamed>::multiply<<unnamed>::Kind<0, 1>>(const Product)","(128, 1, 1)","(4, 1, 1)","8,000"
"5","update_kernel(int)","(256, 1, 1)","(9, 1, 1)","1,000"
"6","void input_kernel<float>(int)","(128, 1, 1)","(8, 1, 1)","2,500"
EOF
# Steps take 400 us; two take 500 and 700 us after a checkpoint, which held them up for 50 us.
cat >figures/figures/timeline.tsv <<'EOF'
# trainyard timeline 1	rank	0	ranks	1
phase	step	begin_ns	end_ns	bytes	rank
load	0	0	10000	6144	0
whole	1	10000	410000	0	0
whole	2	410000	810000	0	0
evaluate	2	810000	9810000	30720	0
checkpoint	2	9810000	9860000	10052568	0
whole	3	9860000	10360000	0	0
whole	4	10360000	11060000	0	0
evaluate	4	11060000	12060000	30720	0
EOF
echo '{"judged": {"cells": 4, "mean_error_pct": 4.04, "worst_error_pct": 8.5}}' >figures/figures/calibration.json
# Input and forward pass are not judged.
cat >figures/figures/compare.json <<'EOF'
{"jobs": [{"job": "train", "quantities": [
  {"quantity": "step", "unit": "ms", "predicted": 0.2, "measured": 0.25, "error_pct": -20, "is_inside": false},
  {"quantity": "forward", "unit": "ms", "predicted": 0.1, "measured": 0.1, "error_pct": 0},
  {"quantity": "training", "unit": "s", "predicted": 1.25, "measured": 1.2, "error_pct": 4.167, "is_inside": true}]}]}
EOF
printf '# trainyard history 1\nepoch\tloss\tacc\tval_loss\tval_acc\n1\t2\t0.1\t2\t0.25\n' >figures/figures/learning.fp32.tsv

example "medians, ratios to the step of the round, fractions of the measured time"
"$source_folder/tools/gpu_report.py" figures "given" missing "" >stdout 2>stderr
status=$?
exit_is 0
stderr_is_empty
mv figures result
holds checked '[row["precision"] for row in run["speed"]] == ["fp32", "bf16"]'
holds checked 'run["speed"][0]["step_us"] == 200 and run["speed"][0]["images_per_s"] == 160000 and run["speed"][0]["rounds"] == 3'
holds checked 'run["speed"][0]["ratio"] == 2 and run["speed"][0]["torch_best"] == "graph nhwc"'
holds checked 'run["speed"][0]["torch"]["nhwc"] == {"step_us": 600, "ratio": 3}'
# 0.2 GFLOP in 200 us are 1 TFLOP/s of 10; 10 kernels of 2 us are 20 of 200 us.
holds checked 'run["speed"][0]["product_share_percent"] == 10 and run["speed"][0]["launch_share_percent"] == 10'
holds checked 'run["learning"]["fp32"] == [{"epoch": 1, "val_accuracy": 0.25}]'

holds checked 'run["pauses"] == {"step_us": 400, "step_after_checkpoint_us": 600, "checkpoint_held_us": 50, "evaluated_images_per_s": 10000}'

example "what was not measured is not there, and why"
holds checked 'run["speed"][1]["torch_error"] == "RuntimeError: none left"'
holds checked '"ratio" not in run["speed"][1] and "product_share_percent" not in run["speed"][1] and run["speed"][1]["rounds"] == 1'
holds checked '"gpus" not in run["machine"] and "cudnn" not in run["machine"] and "allreduce" not in run'

holds checked '[(kernel["kernel"], kernel["us"]) for kernel in run["kernels"]["fp32"]] == [("input_kernel<float>", 2.5), ("update_kernel", 4), ("multiply<Kind<0, 1>>", 8), ("update_kernel", 1)]'

example "the table, and again from the JSON"
stdout_has "speed     failed   9  took longer than 600 s"
stdout_has "1 passed, 1 failed, 1 skipped: speed"
holds grep -qE '^fp32 +32 +200\.0 +150\.0 +160000 +10 +10\.0 +10\.0 +400\.0 +graph nhwc +2\.00$' stdout
holds grep -qE '^bf16 +32 +1000\.0 +- +32000( +-){6}$' stdout
stdout_has "a step takes 400.0 us, after a checkpoint has begun 600.0 us; a checkpoint holds up steps for 50 us; evaluations make 10000 images/s"
stdout_has "predicted steps are off by 4.0 % in the mean and 8.5 % at the worst, in 4 cells"
stdout_has "a whole training, predicted / measured: step 0.2 / 0.25 ms (-20.0 %), training 1.25 / 1.2 s (+4.2 %)"
grep -v '^all figures' stdout | sed '$d' >table
gpu_check table result/gpu_check.json
exit_is 0
holds cmp table stdout
gpu_check table "$TRAINYARD"
exit_is 1
stderr_has "is not a gpu_check.json"

example "the page of the measurements that are kept"
for kept in "$source_folder"/reports/measured/gpu-*.json; do
    "$source_folder/tools/gpu_report.py" --page "$kept" >stdout
    holds cmp "${kept%.json}.md" stdout
done

example "the profiler's filter has all kernels but those before a step"
cat >unfiltered.py <<'EOF'
import glob, re, sys
root = sys.argv[1]
with open(f"{root}/tools/gpu_check.sh") as file:
    wanted = re.search("^profiled='(.*)'$", file.read(), re.M).group(1)
for path in glob.glob(f"{root}/trainer/cuda/kernels/*.cu*"):
    with open(path) as file:
        names = re.findall(r"__global__ void\s+(?:__launch_bounds__\([^()]*\)\s*)?(\w+)\(", file.read())
    print(*[name for name in names if not re.search(wanted, name)], sep="\n", end="\n" if names else "")
EOF
/usr/bin/python3 unfiltered.py "$source_folder" | sort | grep . | paste -sd ' ' >stdout
holds [ "$(cat stdout)" = "make_keys_kernel sort_run_kernel sort_step_kernel take_order_kernel" ]

# --- The libraries of the programs

# Libraries of no GPU, which state a version, and a program that is linked with both.
mkdir -p linked/bin linked/lib
printf 'long cudnnGetVersion(void) { return 91002; }' | cc -x c -shared -fPIC -Wl,-soname,libcudnn.so.9 -o linked/lib/libcudnn.so.9 - &&
    printf 'int ncclGetVersion(int *version) { *version = 2804; return 0; }' | cc -x c -shared -fPIC -Wl,-soname,libnccl.so.2 -o linked/lib/libnccl.so.2 - &&
    printf 'long cudnnGetVersion(void); int ncclGetVersion(int *); int main(void) { int it; return ncclGetVersion(&it) + cudnnGetVersion() == 0; }' >linked/main.c ||
    exit 3
# linked OPTION...: the versions that the report states for the program, linked with OPTION.
linked()
{
    cc -o linked/bin/trainyard-train linked/main.c linked/lib/lib*.so.? "$@" || exit 3
    rm -rf figures && mkdir -p figures/figures && cp result/steps.tsv figures/
    "$source_folder/tools/gpu_report.py" figures given missing linked/bin/trainyard >stdout 2>stderr
    status=$?
    exit_is 0
    stderr_is_empty
}
printf '#!/bin/sh\necho trainyard 0\n' >linked/bin/trainyard
chmod +x linked/bin/trainyard

example "the versions of the libraries that the program finds through its own path"
linked -Wl,-rpath,"$PWD/linked/lib"
stdout_has "cuDNN 9.10.2, NCCL 2.8.4"

example "and through LD_LIBRARY_PATH"
LD_LIBRARY_PATH=$PWD/linked/lib linked
stdout_has "cuDNN 9.10.2, NCCL 2.8.4"

example "libraries that are not found, or end the process, have no version"
linked
holds [ -z "$(grep -E "cuDNN 9\.10\.2|NCCL 2\.8\.4" stdout)" ] # the system may have its own
printf '#include <stdlib.h>\nlong cudnnGetVersion(void) { abort(); }' | cc -x c -shared -fPIC -Wl,-soname,libcudnn.so.9 -o linked/lib/libcudnn.so.9 - || exit 3
linked -Wl,-rpath,"$PWD/linked/lib"
stdout_has "no cuDNN, NCCL 2.8.4"

# --- One step

# step_compare STATUS: the step with a program that records its verbs, and whose comparison ends with STATUS.
step_compare()
{
    rm -rf step
    mkdir -p step/bin step/scratch step/figures/validation
    echo '{}' >step/figures/validation/local-gpu.json
    cat >step/bin/trainyard <<EOF
#!/bin/sh
echo "\$1" >>"$work/step/verbs"
[ "\$1" = compare ] || exit 0
mkdir -p "$work/step/scratch/compare"
echo '{"of": "the real run"}' >"$work/step/scratch/compare/compare.json"
exit $1
EOF
    chmod +x step/bin/trainyard
    bin=$work/step/bin out=$work/step quick='' tiny='' packed='' scratch=$work/step/scratch \
        "$source_folder/tools/gpu_check.sh" --step compare >stdout 2>stderr
    status=$?
}

example "one comparison has the real run, its verdict and its figures"
for verdict in 0 1; do
    step_compare $verdict
    exit_is 0
    holds [ "$(paste -sd ' ' step/verbs)" = "make-cifar compare" ]
    holds grep -q "the real run" step/figures/compare.json
done
step_compare 3
exit_is 3
holds [ ! -e step/figures/compare.json ]

# --- The whole check

if [ ! -d "$emulated" ] || ! command -v mpirun >/dev/null; then
    echo "skipped: no programs over an emulated GPU, or no mpirun"
    finish
fi

example "a checkpoint that cannot be written is reported after the next step"
"$TRAINYARD" make-cifar two --images 2 >/dev/null
(
    ulimit -f 3000 # KiB: a checkpoint has 10 MB
    "$emulated/trainyard" train --backend cuda --data-dir two --limit 2 --batch-size 1 --epochs 2 --dir out >stdout 2>stderr
)
status=$?
exit_is 3
stderr_has "out/logs/checkpoint-1.h5: writing failed"
stdout_has "Epoch 2/2"
holds [ ! -e out/logs/checkpoint-1.h5 ]

example "with several ranks it is reported after the next epoch, also if no checkpoint follows that one"
mkdir -p late/logs/checkpoint-2.h5/in-the-way
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun -n 2 --oversubscribe "$emulated/trainyard" train --backend cuda --deterministic --data-dir two --limit 1 --batch-size 1 --epochs 4 \
    --checkpoint-every 2epochs --dir late >stdout 2>stderr
status=$?
exit_is 2
stderr_has "late/logs/checkpoint-2.h5: rank 0: is a folder, expected a file"
holds [ "$(tail -n 1 late/logs/history.tsv | cut -f 1)" = 2 ]

example "a timeline of whole steps has each step once, also of steps that are made at once"
"$emulated/trainyard" train --backend cuda --data-dir two --limit 2 --batch-size 1 --epochs 2 --dir whole --timeline --whole-steps >stdout 2>stderr
status=$?
exit_is 0
holds [ "$(awk '$1 == "whole" { print $2 }' whole/logs/timeline.rank0.tsv | paste -sd ' ')" = "0 1 2 3" ]
holds [ -z "$(grep -E '^(forward|update)' whole/logs/timeline.rank0.tsv)" ]
# Steps 0 and 1 are one call of the backend: the second begins when the first ends, and takes as long, to the nanosecond.
holds awk '$1 == "whole" && $2 == 0 { end = $4; took = $4 - $3 }
    $1 == "whole" && $2 == 1 { more = $4 - $3 - took; exit !($3 == end && took > 0 && more >= -1 && more <= 1) }' whole/logs/timeline.rank0.tsv

# A sanitizer that finds something.
printf '#!/bin/sh\necho "ERROR SUMMARY: 1 error"\nexit 9\n' >fake/compute-sanitizer
# A profiler that runs its program, and prints the metrics that it is asked for, of kernels that its filter has.
cat >fake/ncu <<'EOF'
#!/bin/bash
while [ "${1#--}" != "$1" ]; do
    case $1 in
    --csv) ;;
    --metrics) metrics=$2 && shift ;;
    --kernel-name) filter=${2#regex:} && shift ;;
    *) shift ;;
    esac
    shift
done
"$@" || exit
printf '%s\n' narrow_kernel sort_step_kernel input_kernel multiply update_kernel | grep -E "$filter" | awk -v metrics="$metrics" '
    BEGIN {
        count = split(metrics, names, ",")
        printf "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\""
        for (i = 1; i <= count; i++) printf ",\"%s\"", names[i]
        printf "\n\"\",\"\",\"\",\"\""
        for (i = 1; i <= count; i++) printf ",\"%s\"", names[i] ~ /time/ ? "ns" : ""
        print ""
    }
    {
        printf "\"%d\",\"%s(int)\",\"(32, 1, 1)\",\"(4, 1, 1)\"", NR, $0
        for (i = 1; i <= count; i++) printf ",\"%s\"", names[i] ~ /stalled_short_sc/ ? "3.5" : names[i] ~ /\.ratio$/ ? "0.5" : "2,000"
        print ""
    }'
EOF
chmod +x fake/compute-sanitizer fake/ncu

example "steps one by one, of which one fails"
gpu_check --tiny --bin "$emulated" --output result twins memcheck allreduce speed pauses profile
exit_is 1
stderr_is_empty
holds checked '[(step["name"], step["state"]) for step in run["steps"]] == [("twins", "passed"), ("speed", "passed"), ("profile", "passed"), ("pauses", "passed"), ("memcheck", "failed"), ("allreduce", "passed")]'
holds checked 'run["steps"][4]["notes"] == "ERROR SUMMARY: 1 error"'
holds checked 'run["programs"] == "given" and run["trainyard"].startswith("trainyard ")'
holds checked 'run["allreduce"]["mpi"]["ranks"] == 2'
holds checked 'run["speed"][0]["batch_size"] == 1 and run["speed"][0]["kernels_per_step"] == 19 and run["speed"][0]["step_us"] > 0'
holds checked 'run["speed"][0]["own_step_us"] > 0 and run["pauses"]["evaluated_images_per_s"] > 0'
holds checked '[kernel["kernel"] for kernel in run["kernels"]["fp32"]] == ["input_kernel", "multiply", "update_kernel"]'
holds checked '{"blocks": "(4, 1, 1)", "us": 2, "warps_percent": 2000, "shared_percent": 2000, "instructions_per_cycle": 2000, "stall": "short_scoreboard"}.items() <= run["kernels"]["fp32"][0].items()'
holds [ ! -e result/scratch ]
holds grep -q "loss" result/log/twins.txt

example "the new columns of the page"
/usr/bin/python3 - "$source_folder" >with-new.json <<'EOF'
import glob, json, sys
page = json.load(open(sorted(glob.glob(sys.argv[1] + "/reports/measured/gpu-*.json"))[0]))
page["kernels"] = json.load(open("result/gpu_check.json"))["kernels"]
print(json.dumps(page))
EOF
"$source_folder/tools/gpu_report.py" --page with-new.json >stdout
stdout_has "| kernel | blocks | threads | us | warps % | processors % | shared memory % | instructions a cycle | stall | registers | MB read |"
stdout_has "| 2000 | 2000.00 | short scoreboard |"

example "a profiler that sees no step fails"
sed -i 's/ update_kernel / /; s/multiply update_kernel/multiply/' fake/ncu
gpu_check --tiny --bin "$emulated" --output result profile
exit_is 1
holds checked 'run["steps"][0]["notes"] == "the profiler saw no whole step in fp32" and "kernels" not in run'

# real/launch starts ranks on GPUs that the driver shows; this view of /proc has one.
mkdir -p driver/nvidia/gpus/0000:01:00.0
if ! unshare --mount mount --bind driver /proc/driver 2>/dev/null; then
    echo "skipped: this user may not show a GPU in /proc (unshare --mount)"
    finish
fi
example "a training on the GPU is compared with its prediction"
unshare --mount bash -c 'mount --bind driver /proc/driver && exec "$@"' bash "$source_folder/tools/gpu_check.sh" \
    --tiny --bin "$emulated" --output result compare >stdout 2>stderr
status=$?
exit_is 0
stderr_is_empty
holds checked 'run["steps"][0]["state"] == "passed" and run["steps"][0]["notes"] == "an error is above its tolerance"'
holds checked 'sorted(run["comparison"]) == ["epoch", "step", "throughput", "training"] and run["comparison"]["step"]["measured"] > 0'
# Steps are those of a training without a timeline: whole.
holds checked '"forward" not in [row["quantity"] for row in json.load(open("result/figures/compare.json"))["jobs"][0]["quantities"]]'

finish
