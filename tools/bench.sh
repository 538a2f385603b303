#!/usr/bin/env bash
# Measures the speed of a release build: the event queue in the hold model (beside other structures and, where they are
# installed, other simulators), the tutorial at step fidelity, transfers that share a share, the world at scale, and steps of
# training beside PyTorch. Exit code 1 when a bar is missed.
#
#   tools/bench.sh [PART]...     all without arguments
#
# queue, peers, tutorial   as above
# contention               transfers under way on one share, over four sizes
# world                    1,000 nodes that fail, 100,000 jobs; beside the same workload on SimGrid
# loops                    the trainer's element-wise passes of one step, beside the same over single values (no bars)
# scale                    time and memory over four sizes: jobs, nodes provisioned, nodes that fail for a year; policies with a long queue
# trainer                  training on the processor: beside PyTorch, beside OpenBLAS' matrix product, on two ranks
# files                    a sparse file of 4 GiB over REST: the emulator's memory while it goes by
# emu                      requests to the emulator, which shares the machine with its clients; beside Azurite
#
# Bars: 25 / 20 / 15 million events per second with 1e3 / 1e5 / 1e6 pending; the tutorial in 0.1 s without files;
# 2 million events per second of the world with the metrics listening, 20 times as fast as SimGrid; 1 KiB per job, 512 bytes per node;
# training 1.5 times as fast as PyTorch in fp32, 2 times in bf16, 75 % of sgemm's rate, 1.8 times as fast on two ranks as on one,
# at most 3 % of a step for the exchange;
# 40,000 GET/s of a cluster with p99 below 5 ms, 10,000 durable writes/s (1,000 one by one), 15,000 signed reads of 1 KiB a second,
# 1 GB/s of one file, 30 MB at rest.
# Peers (Debian: libns3-dev and libgsl-dev, libsimgrid-dev, g++, python3-torch; npm: azurite) are optional. Figures are worth something on an idle machine only.
set -euo pipefail
export LC_ALL=C # EPOCHREALTIME with a point
cd "$(dirname "$0")/.."

build=build/release
scenario=scenarios/cifar10-horovod/scenario.json
tutorial_bar_us=100000
tutorial_runs=11
status=0

bench_queue()
{
    echo "Event queue, hold model (pop one, push one; best of 3):"
    "$build/bin/bench_event_queue" || status=1
}

# bench_peer NAME PKG-CONFIG-MODULE PACKAGES
bench_peer()
{
    local program=$build/bin/hold_$1 flags pending
    if ! pkg-config --exists "$2"; then
        echo "$1: not installed (packages: $3)"
        return
    fi
    read -ra flags < <(pkg-config --cflags --libs "$2")
    if ! g++ -std=c++17 -O2 -o "$program" "tests/bench/peers/hold_$1.cpp" "${flags[@]}" 2>"$program.log"; then
        echo "$1: does not build here (packages: $3), see $program.log"
        return
    fi
    for pending in 1000 100000; do
        "$program" "$pending" 1000000 2>"$program.log" || echo "$1: failed with $pending pending, see $program.log"
    done
}

bench_peers()
{
    echo "The same on other simulators, as their users would write it (M events/s, ns per event):"
    bench_peer ns3 ns3-core "libns3-dev libgsl-dev g++"
    bench_peer simgrid simgrid "libsimgrid-dev g++"
}

# Runs the command so many times; prints the times in microseconds, shortest first.
times_us()
{
    local i begin
    for ((i = 0; i < tutorial_runs; i++)); do
        begin=${EPOCHREALTIME/./}
        "$@" >/dev/null
        echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n
}

# tutorial_line WHAT BAR-IN-US COMMAND...   (bar 0: none)
tutorial_line()
{
    local what=$1 bar_us=$2 times verdict=
    shift 2
    times=$(times_us "$@")
    mapfile -t times <<<"$times"
    if ((bar_us > 0)); then
        verdict="met (at most $((bar_us / 1000)))"
        if ((times[0] > bar_us)); then
            verdict="MISSED (at most $((bar_us / 1000)))"
            status=1
        fi
    fi
    printf '  %-15s %6d.%d %6d.%d  %s\n' "$what" $((times[0] / 1000)) $((times[0] / 100 % 10)) \
        $((times[tutorial_runs / 2] / 1000)) $((times[tutorial_runs / 2] / 100 % 10)) "$verdict"
}

bench_tutorial()
{
    local out
    out=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf '$out'" EXIT
    echo "The tutorial, 25 epochs of 1563 steps on 4 nodes, step by step ($tutorial_runs runs, the whole process):"
    printf '  %-15s %8s %8s  %s\n' "" "best ms" "median" "bar (ms)"
    tutorial_line "without files" "$tutorial_bar_us" "$build/bin/trainyard" run "$scenario"
    tutorial_line "with files" 0 "$build/bin/trainyard" run "$scenario" -o "$out/run"
}

bench_contention()
{
    echo "Transfers under way on one share (best of 3); the cost of n of them grows as n log n:"
    "$build/bin/bench_contention"
}

bench_world()
{
    local program=$build/bin/world_simgrid flags peer ours
    echo "1,000 nodes that fail, 100,000 jobs, job fidelity (best of 3):"
    "$build/bin/bench_world" jobs || status=1
    if ! pkg-config --exists simgrid; then
        echo "SimGrid: not installed (packages: libsimgrid-dev g++)"
        return
    fi
    read -ra flags < <(pkg-config --cflags --libs simgrid)
    if ! g++ -std=c++17 -O2 -o "$program" tests/bench/peers/world_simgrid.cpp "${flags[@]}" 2>"$program.log"; then
        echo "SimGrid: does not build here (packages: libsimgrid-dev g++), see $program.log"
        return
    fi
    if ! read -r peer _ < <("$program" 2>"$program.log"); then
        echo "SimGrid: failed, see $program.log"
        return
    fi
    read -r ours _ < <("$build/bin/bench_world" workload)
    awk -v ours="$ours" -v peer="$peer" 'BEGIN {
        printf "The same workload: trainyard %.3f s, SimGrid %.3f s: %.1f times as fast, %s (20)\n", ours, peer, peer / ours,
            (peer / ours >= 20 ? "met" : "MISSED")
        exit peer / ours < 20 }' || status=1
}

bench_loops()
{
    echo "Element-wise passes of one training step of 32 images (best of 60):"
    "$build/bin/bench_trainer_loops"
}

bench_scale()
{
    "$build/bin/bench_world" scale || status=1
}

trainer_rounds=5
trainer_steps=60

# first_number NAME JSON: the value of the first member of that name.
first_number()
{
    grep -o "\"$1\": *[0-9.]*" <<<"$2" | sed -n '1s/.*[ :]//p'
}

# median NUMBER...
median()
{
    printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"
}

# trainer_bar WHAT VALUE UNIT BAR [most]: at least the bar, or at most.
trainer_bar()
{
    awk -v what="$1" -v value="$2" -v unit="$3" -v bar="$4" -v most="${5:-}" 'BEGIN {
        met = most ? value <= bar : value >= bar
        printf "  %-44s %7.2f %s  %s (%s %s)\n", what, value, unit, met ? "met" : "MISSED", most ? "at most" : "at least", bar
        exit !met }' || status=1
}

# quotient A B
quotient()
{
    awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'
}

# trainer_peer PRECISION BAR: ours and PyTorch's layouts in turn, and the ratios of neighbours, so that a slow minute of the
# machine is everyone's.
trainer_peer()
{
    local ours=() theirs=() share=() nchw=() nhwc=() json round layout error amp=()
    local command=("$build/bin/trainyard-bench-training" --backend onednn --precision "$1" --steps "$trainer_steps" --sgemm --json)
    [ "$1" = fp32 ] || amp=(--amp)
    if ! error=$("${command[@]}" --steps 1 2>&1 >/dev/null); then
        echo "  $1: skipped: ${error%%$'\n'*}"
        return
    fi
    for ((round = 0; round < trainer_rounds; round++)); do
        for layout in nchw nhwc; do
            json=$("${command[@]}") || { status=1; return; }
            ours+=("$(first_number median "$json")")
            share+=("$(first_number median "${json#*\"sgemm_share_percent\"}")")
            if json=$(/usr/bin/python3 tests/bench/peers/torch_cifar.py --bench "$trainer_steps" --layout "$layout" "${amp[@]}" 2>/dev/null); then
                theirs+=("$(first_number median "$json")")
                declare -n ratios=$layout
                ratios+=("$(quotient "${theirs[-1]}" "${ours[-1]}")")
            fi
        done
    done
    printf '  %-44s %7.2f ms\n' "$1, a step of 32 images" "$(median "${ours[@]}")"
    [ "$1" != fp32 ] || trainer_bar "share of sgemm's rate, medians of both" "$(median "${share[@]}")" % 75
    if [ ${#nchw[@]} -eq 0 ] || [ ${#nhwc[@]} -eq 0 ]; then
        echo "  PyTorch: skipped: not installed (package: python3-torch)"
        return
    fi
    printf '  %-44s %7.2f ms\n' "PyTorch, both layouts" "$(median "${theirs[@]}")"
    trainer_bar "as fast as PyTorch's best layout, times" \
        "$(printf '%s\n' "$(median "${nchw[@]}")" "$(median "${nhwc[@]}")" | sort -g | head -n 1)" " " "$2"
}

trainer_ranks()
{
    local one=() two=() ratio=() share=() json round
    local command=("$build/bin/trainyard-bench-training" --steps "$trainer_steps" --json)
    # Containers run as root, which Open MPI wants confirmed.
    local launch=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 2)
    if ! command -v mpirun >/dev/null; then
        echo "  two ranks: skipped: no mpirun (package: openmpi-bin)"
        return
    fi
    if [ "$(nproc)" -lt 2 ]; then
        echo "  two ranks: skipped: one core"
        return
    fi
    if ! json=$("${launch[@]}" "${command[@]}" --steps 1 --comm mpi 2>&1); then
        echo "  two ranks: skipped: $(grep -m1 -v -e "^-*$" <<<"$json")"
        return
    fi
    for ((round = 0; round < trainer_rounds; round++)); do
        json=$("${command[@]}") || { status=1; return; }
        one+=("$(first_number images_per_s "$json")")
        json=$("${launch[@]}" "${command[@]}" --comm mpi 2>/dev/null) || { status=1; return; }
        two+=("$(first_number images_per_s "$json")")
        ratio+=("$(quotient "${two[-1]}" "${one[-1]}")")
        share+=("$(awk -v step="$(first_number median "$json")" -v exchange="$(first_number median "${json#*\"allreduce\"}")" \
            'BEGIN { print 100 * exchange / step }')")
    done
    printf '  %-44s %7.0f images/s, one: %.0f\n' "two ranks" "$(median "${two[@]}")" "$(median "${one[@]}")"
    trainer_bar "as fast on two ranks as on one, times" "$(median "${ratio[@]}")" " " 1.8
    trainer_bar "exchange of the gradients, of a step" "$(median "${share[@]}")" % 3 most
}

bench_trainer()
{
    echo "Training on one core, batches of 32, medians of $trainer_rounds interleaved rounds of $trainer_steps steps:"
    trainer_peer fp32 1.5
    trainer_peer bf16 2.0
    trainer_ranks
}

# --- The emulator ---

emu_seconds=5
azurite_version=3.37.0
emu_process=
azurite_process=

# emu_wrk CONNECTIONS ARGUMENT...: requests a second, and the 99th percentile in ms, of one wrk.
emu_wrk()
{
    local connections=$1
    shift
    wrk -t1 -c"$connections" -d"$emu_seconds" --latency "$@" | awk '
        $1 == "99%" { ms = $2; if (ms ~ /us$/) ms /= 1000; else if (ms !~ /ms$/) ms *= 1000; ms += 0 }
        /Non-2xx/ { refused = 1 } # refusals are fast
        /^Requests\/sec/ { rate = $2 }
        END { print refused ? 0 : rate + 0, ms + 0 }'
}

# emu_bar WHAT VALUE UNIT BAR [most]
emu_bar()
{
    trainer_bar "$@"
}

emu_line()
{
    printf '  %-44s %7.0f %s\n' "$1" "$2" "$3"
}

memory_mb()
{
    awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$1/status"
}

emu_stop()
{
    local process
    for process in $emu_process $azurite_process; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    emu_process=
    azurite_process=
    rm -rf "$build/bench-emu"
}

# wait_for COMMAND...: at most ten seconds.
wait_for()
{
    local i
    for ((i = 0; i < 200; i++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.05
    done
    return 1
}

bench_emu_ours()
{
    local folder=$build/bench-emu ready url rate ms begin
    local small_headers put_headers large_headers arm_headers small_target put_target large_target cluster_target group_target put_bytes
    "$build/bin/trainyard" serve --state "$folder/state" --port 0 --plain-port 0 --clock manual --ready-file "$folder/ready.json" \
        >/dev/null &
    emu_process=$!
    begin=${EPOCHREALTIME/./}
    if ! wait_for [ -s "$folder/ready.json" ]; then
        echo "  the emulator does not start"
        status=1
        return
    fi
    emu_line "ready after at most" $(((${EPOCHREALTIME/./} - begin) / 1000)) "ms"
    emu_bar "memory at rest" "$(memory_mb "$emu_process")" MB 30 most
    ready=$(/usr/bin/python3 tests/bench/emulator_setup.py trainyard "$folder/ready.json") || { status=1; return; }
    eval "$ready"
    url=http://$(sed -n 's/.*"plain": "\([^"]*\)".*/\1/p' "$folder/ready.json")
    read -r rate ms < <(emu_wrk 32 "${arm_headers[@]}" "$url$cluster_target")
    emu_bar "GET of a cluster, 32 connections" "$rate" "/s" 40000
    emu_bar "99th percentile of it" "$ms" ms 5 most
    read -r rate ms < <(WRITE=group emu_wrk 64 -s tests/bench/emulator_writes.lua "${arm_headers[@]}" "$url$group_target")
    emu_bar "durable writes, 64 connections" "$rate" "/s" 10000
    read -r rate ms < <(WRITE=group emu_wrk 1 -s tests/bench/emulator_writes.lua "${arm_headers[@]}" "$url$group_target")
    emu_bar "durable writes, one by one" "$rate" "/s" 1000
    read -r our_get ms < <(emu_wrk 32 "${small_headers[@]}" "$url$small_target")
    emu_bar "signed GET of 1 KiB, 32 connections" "$our_get" "/s" 15000
    read -r our_put ms < <(WRITE=bytes BYTES=$put_bytes emu_wrk 32 -s tests/bench/emulator_writes.lua "${put_headers[@]}" "$url$put_target")
    emu_line "signed PUT of 1 KiB, 32 connections" "$our_put" "/s"
    rate=$(curl -s -o /dev/null -w '%{speed_download}' "${large_headers[@]}" "$url$large_target")
    emu_bar "reading one file of 512 MiB" "$(awk -v rate="$rate" 'BEGIN { print rate / 1e9 }')" "GB/s" 1
    emu_line "memory after all that" "$(memory_mb "$emu_process")" MB
}

bench_emu_azurite()
{
    local folder=$build/bench-emu cache=$build/azurite ready url rate ms port=10400
    local small_headers put_headers small_target put_target put_bytes
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        echo "  Azurite: skipped: no node and npm (packages: nodejs, npm)"
        return
    fi
    if ! npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts --fetch-retries=1 "azurite@$azurite_version" >"$cache.log" 2>&1; then
        echo "  Azurite: skipped: npm could not fetch it (offline?), see $cache.log"
        return
    fi
    node "$cache/node_modules/azurite/dist/src/blob/main.js" --silent --skipApiVersionCheck --location "$folder/azurite" --blobPort "$port" \
        >"$cache.log" 2>&1 &
    azurite_process=$!
    url=http://127.0.0.1:$port
    if ! wait_for curl -s -o /dev/null "$url" || ! ready=$(/usr/bin/python3 tests/bench/emulator_setup.py azurite "$port"); then
        echo "  Azurite: does not run here, see $cache.log"
        return
    fi
    eval "$ready"
    read -r rate ms < <(emu_wrk 32 "${small_headers[@]}" "$url$small_target")
    emu_line "Azurite: signed GET of 1 KiB" "$rate" "/s, ours: $(quotient "$our_get" "$rate") times"
    read -r rate ms < <(WRITE=bytes BYTES=$put_bytes emu_wrk 32 -s tests/bench/emulator_writes.lua "${put_headers[@]}" "$url$put_target")
    emu_line "Azurite: signed PUT of 1 KiB" "$rate" "/s, ours: $(quotient "$our_put" "$rate") times"
    emu_line "Azurite: memory" "$(memory_mb "$azurite_process")" MB
}

bench_emu()
{
    local our_get=0 our_put=0 tool
    echo "The emulator, $emu_seconds s each, clients on the same machine:"
    for tool in wrk curl; do
        if ! command -v "$tool" >/dev/null; then
            echo "  skipped: no $tool (package: $tool)"
            return
        fi
    done
    if ! cmake --build --preset release --target trainyard-serve >/dev/null 2>&1; then
        echo "  skipped: the emulator is not built here"
        return
    fi
    mkdir -p "$build/bench-emu"
    trap emu_stop EXIT
    bench_emu_ours
    bench_emu_azurite
    emu_stop
}

bench_files()
{
    local folder=$build/bench-emu
    echo "A large file of Azure Files (its memory grows by 16 MiB at most):"
    rm -rf "$folder"
    mkdir -p "$folder"
    trap emu_stop EXIT
    cmake --build --preset release --target trainyard-serve >/dev/null
    "$build/bin/trainyard" serve --files --state "$folder/state" --port 0 --plain-port 0 --clock manual \
        --ready-file "$folder/ready.json" >"$folder/out" &
    emu_process=$!
    if ! wait_for grep -q Control-C "$folder/out"; then
        echo "  the emulator does not start"
        status=1
        return
    fi
    /usr/bin/python3 tests/cli/files/large.py "$(sed -n 's/^ *\(DefaultEndpointsProtocol=.*\)/\1/p' "$folder/out")" \
        "$emu_process" "$folder/state" || status=1
    emu_stop
}

parts='queue|peers|tutorial|contention|world|loops|scale|trainer|files|emu'
[ $# -gt 0 ] || set -- ${parts//|/ }
for part in "$@"; do
    if [[ ! $part =~ ^($parts)$ ]]; then
        echo "usage: tools/bench.sh [$parts]..." >&2
        exit 2
    fi
done
cmake --preset release >/dev/null
cmake --build --preset release --target trainyard trainyard-bench-training bench_event_queue bench_contention bench_world >/dev/null
for part in "$@"; do
    case $part in
    queue) bench_queue ;;
    peers) bench_peers ;;
    tutorial) bench_tutorial ;;
    contention) bench_contention ;;
    world) bench_world ;;
    loops) bench_loops ;;
    scale) bench_scale ;;
    trainer) bench_trainer ;;
    files) bench_files ;;
    emu) bench_emu ;;
    esac
done
exit $status
