#!/usr/bin/env bash
# Measures steps of training on this machine, to judge predictions: networks, batch sizes, ranks and precisions that a calibration does
# not measure. Prints the expected duration first, and the time left. Measures in rounds of alternating order, each after one round of the
# calibration, so that changes over time (clocks, neighbours) affect all measurements alike. Run nothing else meanwhile. After Ctrl-C or
# SIGTERM the files have the whole rounds that were measured; without one, nothing is written. The exit code is 130 or 143 then.
#
#   tools/validate.sh [--quick] [--name NAME] [--rounds N] [--backend NAME] [--ranks "N..."] [--bin DIR] [-o FOLDER]
#   tools/validate.sh --report            makes scenarios/catalog/local-NAME.json from reports/measured/calibration-NAME.json, and the
#                                         page reports/validation.md with its plots from that and reports/measured/validation-NAME.tsv
#   tools/validate.sh --check [PROGRAM]   checks that --report would write the same catalogue and page; exit code 77 if nothing was
#                                         measured yet
#
# --quick measures one network at two batch sizes, in two rounds of fewer steps. NAME is the name of the machine (default: its host
# name). --backend is the backend of `trainyard bench-training` (auto), --ranks the numbers of ranks (1 2 4), --bin the folder of the
# programs (build/release/bin). -o writes all three files to FOLDER; the default is the folders that --report reads. The table has one row for each
# measurement (real/compare/validation.h); `trainyard compare --matrix` judges it.
set -euo pipefail
export LC_ALL=C # numbers must have a decimal point
cd "$(dirname "$0")/.."
source tools/usage.sh

root=$PWD
bin=build/release/bin
name=$(hostname -s)
rounds=6
backend=auto
networks=(keras_cifar10_cnn keras_cifar10_cnn_deep)
batches=(8 16 32 64 128)
rank_counts=(1 2 4)
precisions=(fp32 bf16)
images=800 # per rank and measurement; at least 25 steps
warmup=5
tables=reports/measured
catalogs=scenarios/catalog

fail()
{
    echo "validate: $1" >&2
    exit "${2:-2}"
}

# --- The page ---

# page PROGRAM FOLDER: writes validation.md and its plots to FOLDER.
page()
{
    local program=$1 folder=$2 machine status=0
    mkdir -p "$folder/measured"
    cat <<'EOF' >"$folder/validation.md"
# Predicted against measured

Steps of training: predictions of `trainyard calibrate` and the simulator's model, compared with measurements. The calibration
measures the stages of a step and the sums over ranks separately. It is judged by measurements that it does not contain: whole steps,
other batch sizes, ranks that compute and exchange at once, and the deeper network. Rounds of calibration and of measurement
alternated. An error is predicted / measured - 1.

`tools/validate.sh --report` writes this page from the tables in [measured](measured); do not edit it.

EOF
    for machine in $(machines); do
        cp "$tables/validation-$machine.tsv" "$folder/measured/"
        # Exit code 1 is a verdict, which the page contains.
        (cd "$folder" && "$program" compare --matrix "measured/validation-$machine.tsv" --catalog \
            "$root/$catalogs/local-$machine.json" --markdown -o "measured/$machine.plots") >>"$folder/validation.md" || status=$?
        [ "$status" -le 1 ] || fail "the page was not written" "$status"
        mv "$folder/measured/$machine.plots/plots/validation-error.svg" "$folder/measured/validation-$machine.svg"
        mv "$folder/measured/$machine.plots/plots/validation.svg" "$folder/measured/validation-$machine-steps.svg"
        rm -r "$folder/measured/$machine.plots"
        echo >>"$folder/validation.md"
    done
}

# The names of the measured machines.
machines()
{
    find "$tables" -name 'validation-*.tsv' | sed 's/.*validation-\(.*\)\.tsv/\1/' | sort
}

report()
{
    local made machine program
    [ -n "$(machines)" ] || { echo "validate: no $tables/validation-*.tsv"; exit 77; }
    program=$(realpath "${2:-$bin/trainyard}")
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    for machine in $(machines); do
        local catalog=$catalogs/local-$machine.json measured=$tables/calibration-$machine.json
        if [ "$1" = --check ]; then
            "$program" calibrate --from "$measured" --check "$catalog" || fail "$catalog was not made from $measured; run tools/validate.sh --report" 1
        else
            "$program" calibrate --from "$measured" -o "$catalog"
        fi
    done
    page "$program" "$made"
    if [ "$1" = --check ]; then
        diff -u reports/validation.md "$made/validation.md" || fail "reports/validation.md was not made from its tables; run tools/validate.sh --report" 1
        echo "reports/validation.md is up to date"
    else
        cp "$made/validation.md" reports/
        cp "$made"/measured/*.svg "$tables/"
        echo "reports/validation.md"
    fi
    exit 0
}

# --- One measurement ---

# bench RANKS NETWORK PRECISION BATCH STEPS: JSON of bench-training.
bench()
{
    local command=("$bin/trainyard-bench-training" --network "$2" --precision "$3" --batch-size "$4" --steps "$5"
        --warmup "$warmup" --backend "$backend" --json)
    if [ "$1" -eq 1 ]; then
        "${command[@]}"
        return
    fi
    # The same options as in real/launch/ranks.c.
    local mpirun=(mpirun -n "$1" --use-hwthread-cpus --bind-to none)
    [ "$(id -u)" -ne 0 ] || mpirun+=(--allow-run-as-root)
    [ "$1" -le "$cores" ] || mpirun+=(--oversubscribe --mca mpi_yield_when_idle 1)
    "${mpirun[@]}" "${command[@]}"
}

# row NETWORK PRECISION BATCH RANKS ROUND: JSON on stdin as a row of the table.
row()
{
    python3 -c '
import json, sys
run = json.load(sys.stdin)
step, phases = run["step_ms"], run["phases_ms"]
names = ["load", "augment", "forward", "backward", "negotiate", "allreduce", "update"]
cells = sys.argv[1:4] + [run["backend"]] + sys.argv[4:] + [run["steps"]]
cells += ["%.4f" % step[which] for which in ("min", "median", "mean", "p90")]
cells += ["%.4f" % phases.get(name, {"median": 0})["median"] for name in names]
print(*cells, sep="\t")' "$name" "$(date +%F)" "$cores" "$@"
}

# A GPU makes graphs of 16 steps first.
if_on_gpu()
{
    [ "$backend" != cuda ] || images=65536 warmup=64
}

steps_of()
{
    echo $((images / $1 > 25 ? images / $1 : 25))
}

# --- All measurements ---

# The cells in their order: "RANKS NETWORK PRECISION BATCH".
cells()
{
    local ranks network precision batch
    for network in "${networks[@]}"; do
        for precision in "${precisions[@]}"; do
            for batch in "${batches[@]}"; do
                for ranks in "${rank_counts[@]}"; do
                    echo "$ranks $network $precision $batch"
                done
            done
        done
    done
}

# Removes the precisions that this machine does not support.
find_precisions()
{
    local precision found=()
    for precision in "${precisions[@]}"; do
        if bench 1 "${networks[0]}" "$precision" 8 1 >/dev/null 2>&1; then
            found+=("$precision")
        else
            echo "this machine does not support $precision; it is skipped" >&2
        fi
    done
    [ ${#found[@]} -gt 0 ] || fail "bench-training supports none of the precisions on this machine" 3
    precisions=("${found[@]}")
}

# Estimates the seconds of all rounds from the time per image of each network and precision. The calibration takes about 60 s per round.
estimate()
{
    local network precision ms
    for network in "${networks[@]}"; do
        for precision in "${precisions[@]}"; do
            ms=$(bench 1 "$network" "$precision" 32 10 | python3 -c 'import json, sys; print(json.load(sys.stdin)["step_ms"]["median"])')
            echo "$network $precision $ms"
        done
    done | python3 -c '
import sys
images, warmup, cores, rounds, batches, ranks = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6]
total = 0
for line in sys.stdin:
    ms_per_image = float(line.split()[2]) / 32
    for batch in map(int, batches.split()):
        for count in map(int, ranks.split()):
            steps = max(25, images // batch) + warmup
            total += 1.5 + steps * batch * ms_per_image / 1000 * max(1, count / cores)
print(round(rounds * (60 + total)))' "$images" "$warmup" "$cores" "$rounds" "${batches[*]}" "${rank_counts[*]}"
}

# Runs one more round of the calibration, in $work/next.json and $work/next.measurements.json.
calibrate()
{
    local most options=(--rounds 1 --name "$name" --backend "$backend" -o "$work/next.json")
    most=$(printf '%s\n' "${rank_counts[@]}" | sort -n | tail -n 1)
    [ ! -e "$work/local.measurements.json" ] || options+=(--more "$work/local.measurements.json")
    "$bin/trainyard" calibrate "${quick[@]}" --ranks "$most" "${options[@]}" >/dev/null
}

header()
{
    echo '# trainyard validation 1'
    printf 'machine\tdate\tcores\tbackend\tnetwork\tprecision\tbatch\tranks\tround\tsteps\tmin_ms\tmedian_ms\tmean_ms\tp90_ms\t'
    printf 'load_ms\taugment_ms\tforward_ms\tbackward_ms\tnegotiate_ms\tallreduce_ms\tupdate_ms\n'
}

# show_progress ROUND CELL CELLS: how much is done, and the time left at the rate so far.
show_progress()
{
    local done=$((($1 - 1) * $3 + $2)) all=$((rounds * $3)) left
    left=$((SECONDS * (all - done) / done))
    [ ! -t 2 ] || printf '\r\033[K' >&2
    printf "round %d of %d, %d of %d, %d min left" "$1" "$rounds" "$2" "$3" $(((left + 59) / 60)) >&2
    [ -t 2 ] || echo >&2
}

# The whole rounds so far become the files.
keep_round()
{
    cat "$work/round.tsv" >>"$work/table.tsv"
    mv "$work/next.json" "$work/local.json"
    mv "$work/next.measurements.json" "$work/local.measurements.json"
    whole=$((whole + 1))
}

# When the script ends, also early: installs the whole rounds.
put_files()
{
    [ ! -t 2 ] || printf '\r\033[K' >&2
    if [ "$whole" -gt 0 ]; then
        mv "$work/table.tsv" "$tables/validation-$name.tsv"
        mv "$work/local.measurements.json" "$tables/calibration-$name.json"
        mv "$work/local.json" "$catalogs/local-$name.json"
        echo "$tables/validation-$name.tsv, $tables/calibration-$name.json, $catalogs/local-$name.json: $whole of $rounds rounds" >&2
    else
        echo "validate: no round was complete; nothing is written" >&2
    fi
    rm -rf "$work"
}

measure()
{
    local seconds round ranks network precision batch list i
    cores=$(nproc)
    [ -x "$bin/trainyard-bench-training" ] || fail "there is no release build (cmake --preset release && cmake --build build/release)" 3
    command -v mpirun >/dev/null || { echo "mpirun is not installed (package openmpi-bin): measuring only one rank" >&2; rank_counts=(1); }
    if_on_gpu
    find_precisions
    seconds=$(estimate)
    mapfile -t list < <(cells)
    echo "${#list[@]} cells, $rounds rounds: about $((seconds / 60 + 1)) minutes, until $(date -d "+$seconds seconds" +%H:%M)" >&2
    work=$(mktemp -d)
    whole=0
    trap put_files EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    header >"$work/table.tsv"
    SECONDS=0
    for ((round = 1; round <= rounds; round++)); do
        : >"$work/round.tsv"
        calibrate
        for ((i = 0; i < ${#list[@]}; i++)); do
            read -r ranks network precision batch <<<"${list[round % 2 == 1 ? i : ${#list[@]} - 1 - i]}"
            bench "$ranks" "$network" "$precision" "$batch" "$(steps_of "$batch")" |
                row "$network" "$precision" "$batch" "$ranks" "$round" >>"$work/round.tsv"
            show_progress "$round" $((i + 1)) "${#list[@]}"
        done
        keep_round
    done
}

quick=()
while [ $# -gt 0 ]; do
    case $1 in
    --report | --check) report "$@" ;;
    --quick) quick=(--quick) networks=(keras_cifar10_cnn) batches=(8 32) rounds=2 images=400 ;;
    --name) name=${2:?} && shift ;;
    --rounds) rounds=${2:?} && shift ;;
    --backend) backend=${2:?} && shift ;;
    --ranks) read -ra rank_counts <<<"${2:?}" && shift ;;
    --bin) bin=$(realpath "${2:?}") && shift ;;
    -o) mkdir -p "${2:?}" && tables=$2 catalogs=$2 && shift ;;
    *) wrong_usage ;;
    esac
    shift
done
measure
