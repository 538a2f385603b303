#!/usr/bin/env bash
# Measures the speed of a release build and compares it with bars. Exit code 1 when a bar is missed.
#
#   tools/bench.sh [PART]...     without arguments: all parts
#
# queue        the event queue in the hold model, compared with other data structures
# peers        the hold model on other simulators, if they are installed
# tutorial     the tutorial at step fidelity
# start        a small scenario, from the start of the program to its end
# contention   concurrent transfers on one share, in six sizes
# world        1,000 nodes that fail, 100,000 jobs; compared with the same workload on SimGrid
# layouts      layouts of transformers, judged and ranked, in six sizes
# loops        the trainer's element-wise passes of one step, compared with loops over single values (no bars)
# scale        time and memory in six sizes: jobs, nodes provisioned, nodes that fail for a year; policies with a long queue
# study        studies of many runs: small runs in one process, a sweep of them, resuming a journal, merging shards (processor seconds)
# counts       instructions, cache misses and mispredicted branches of such a run, as valgrind counts them: other load does not
#              change them, and they say what keeps a run from being faster
# trainer      training on the processor, compared with PyTorch and with oneDNN's matrix product; training on two ranks
# roofline     what limits a step on this processor: peaks of one core, the rate of each product, the share of everything else (no bars)
# growth       memory, state folder and start of the emulator after 100,000 creations and deletions
# files        a sparse file of 4 GiB over REST: the emulator's memory meanwhile; the cost of checksums of contents
# emu          requests to the emulator, whose clients run on the same machine; compared with Azurite. Takes less than three
#              minutes and also writes build/release/bench-emu.json
#
# Bars:
#   queue      25 / 20 / 15 million events per second with 1e3 / 1e5 / 1e6 pending events
#   tutorial   0.1 s without files
#   start      5 ms
#   world      4 million events per second with the metrics as listener, 50 times as fast as SimGrid
#   layouts    100,000 layouts that keep the rules a second, on one thread
#   scale      1 KiB per job, 512 bytes per node
#   study      15,000 runs of workloads/poisson a processor-second, 1,000 of failing-month; a sweep takes at most 5 % more than its runs, and
#              is 1.9 times as fast on two threads; resuming 10^6 runs in 2 s; merging 1,000 shards in 10 s; a plan of 16
#              candidates of M/M/c in 1 s, with 40 % of the runs of a full grid
#   trainer    1.5 times as fast as PyTorch in fp32, 1.75 times in bf16 (on a Zen 4, 1.92 is the limit: reports/measured/README.md); 75 % of sgemm's rate; 1.8 times as fast on two ranks as on
#              one, and at most 3 % of a step for the exchange
#   files      with checksums, writing has 80 % of the speed without them, reading in order 35 %, pages of 4 KiB at random 25 %
#   growth     after 1,000,000 creations and deletions of each kind 8 MB of memory, 16 MB of state folder, ready in 100 ms; 100,000 jobs and
#              nodes in 250 MB, ready in 1 s
#   emu        40,000 GET/s of a cluster with p99 below 5 ms, and 0.9 of the rate with 100,000 nodes and jobs; 10,000 durable
#              writes/s (1,000 one by one); 15,000 signed reads of 1 KiB per second; 1 GB/s of one file; 30 MB at rest and after
#              all requests; ready in 100 ms
#
# Peers are optional (Debian: libns3-dev and libgsl-dev, libsimgrid-dev, g++, python3-torch; npm: azurite). The results are only
# meaningful on an idle machine.
set -euo pipefail
export LC_ALL=C # EPOCHREALTIME must have a decimal point
cd "$(dirname "$0")/.."
source tools/usage.sh

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
        echo "$1: cannot be built on this machine (packages: $3), see $program.log"
        return
    fi
    for pending in 1000 100000; do
        "$program" "$pending" 1000000 2>"$program.log" || echo "$1: failed with $pending pending, see $program.log"
    done
}

bench_peers()
{
    echo "The same with other simulators, written as their users would write it (M events/s, ns per event):"
    bench_peer ns3 ns3-core "libns3-dev libgsl-dev g++"
    bench_peer simgrid simgrid "libsimgrid-dev g++"
}

# Runs the command $tutorial_runs times; prints the times in microseconds, shortest first.
times_us()
{
    local i begin
    for ((i = 0; i < tutorial_runs; i++)); do
        begin=${EPOCHREALTIME/./}
        "$@" >/dev/null
        echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n
}

# tutorial_line NAME BAR-IN-US COMMAND...   (bar 0: none)
tutorial_line()
{
    local label=$1 bar_us=$2 times verdict=
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
    printf '  %-15s %6d.%d %6d.%d  %s\n' "$label" $((times[0] / 1000)) $((times[0] / 100 % 10)) \
        $((times[tutorial_runs / 2] / 1000)) $((times[tutorial_runs / 2] / 100 % 10)) "$verdict"
}

bench_tutorial()
{
    local out
    out=$(mktemp -d)
    # shellcheck disable=SC2064 # expand $out now
    trap "rm -rf '$out'" EXIT
    echo "The tutorial, 25 epochs of 1563 steps on 4 nodes, step by step ($tutorial_runs runs, the whole process):"
    printf '  %-15s %8s %8s  %s\n' "" "best ms" "median" "bar (ms)"
    tutorial_line "without files" "$tutorial_bar_us" "$build/bin/trainyard" run "$scenario"
    tutorial_line "with files" 0 "$build/bin/trainyard" run "$scenario" -o "$out/run"
}

bench_start()
{
    echo "workloads/poisson from the start of the program to its end ($tutorial_runs runs):"
    printf '  %-15s %8s %8s  %s\n' "" "best ms" "median" "bar (ms)"
    tutorial_line "60 jobs" 5000 "$build/bin/trainyard" run scenarios/workloads/poisson/scenario.json
}

bench_contention()
{
    echo "Concurrent transfers on one share (best of 3); the cost of n transfers grows as n log n:"
    "$build/bin/bench_contention"
}

bench_layouts()
{
    echo "Layouts of transformers (one thread, best of 3):"
    "$build/bin/bench_layouts" || status=1
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
        echo "SimGrid: cannot be built on this machine (packages: libsimgrid-dev g++), see $program.log"
        return
    fi
    if ! read -r peer _ < <("$program" 2>"$program.log"); then
        echo "SimGrid: failed, see $program.log"
        return
    fi
    read -r ours _ < <("$build/bin/bench_world" workload)
    awk -v ours="$ours" -v peer="$peer" 'BEGIN {
        printf "The same workload: trainyard %.3f s, SimGrid %.3f s: %.1f times as fast, %s (50)\n", ours, peer, peer / ours,
            (peer / ours >= 50 ? "met" : "MISSED")
        exit peer / ours < 50 }' || status=1
}

bench_loops()
{
    echo "Element-wise passes of one training step of 32 images (best of 60):"
    "$build/bin/bench_trainer_loops"
}

# tools/roofline.py over steps on this machine. Times are means of all steps: other work on the machine makes them longer.
bench_roofline()
{
    local precision folder files=()
    echo "Peaks of one core, best of the runs:"
    "$build/bin/bench_peaks" || status=1
    folder=$(mktemp -d)
    for precision in fp32 bf16; do
        if "$build/bin/trainyard-bench-training" --backend onednn --precision "$precision" --steps 200 --profile --json >"$folder/$precision"; then
            files+=("$folder/$precision")
        fi
    done
    [ ${#files[@]} -eq 0 ] || tools/roofline.py "${files[@]}" || status=1
    rm -r "$folder"
}

bench_scale()
{
    "$build/bin/bench_world" scale || status=1
}

study_runs=20000

# study_time COMMAND...: sets wall_s and processor_s (user and system).
study_time()
{
    local TIMEFORMAT="%R %U %S" times
    if ! times=$({ time "$@" >/dev/null 2>"$build/bench-study.log"; } 2>&1); then
        echo "  failed: $*, see $build/bench-study.log"
        status=1
    fi
    read -r wall_s processor_s < <(awk '{ print $1, $2 + $3 }' <<<"$times")
}

# study_sweep THREADS: the same runs as `bench_study poisson $study_runs`, with journal, tables and report. A second time only what
# follows the runs.
study_sweep()
{
    study_time "$build/bin/trainyard" sweep scenarios/workloads/poisson/scenario.json --metric workloads.day.queue_s.mean \
        --metric workloads.day.queue_s.p95 --metric cost_usd.total --metric 'workloads.day.waited_within(20m)' \
        --metric utilisation --seeds "$study_runs" -j "$1" -q -o "$build/bench-study"
}

# Neighbouring measurements are compared, so that a slow minute of the machine affects both.
study_sweeps()
{
    local round wall_s processor_s one_s all_s bare_s ratio=() share=() after=()
    for ((round = 0; round < 3; round++)); do
        study_time "$build/bin/bench_study" poisson "$study_runs"
        bare_s=$processor_s
        rm -rf "$build/bench-study"
        study_sweep 1
        one_s=$wall_s
        all_s=$processor_s
        share+=("$(awk -v bare="$bare_s" -v all="$all_s" 'BEGIN { print 100 * (all / bare - 1) }')")
        study_sweep 1
        after+=("$(awk -v after="$processor_s" -v all="$all_s" 'BEGIN { print 100 * after / all }')")
        rm -rf "$build/bench-study"
        study_sweep 2
        ratio+=("$(quotient "$one_s" "$wall_s")")
    done
    rm -rf "$build/bench-study"
    check_bar "overhead of a sweep of $study_runs runs" "$(median "${share[@]}")" % 5 most
    awk -v after="$(median "${after[@]}")" 'BEGIN {
        printf "  start and end of it on one thread: %.1f %%, so two threads are at most %.2f times as fast\n", after,
            2 / (1 + after / 100) }'
    if [ "$(nproc)" -lt 2 ]; then
        echo "  two threads: skipped: one core"
        return
    fi
    check_bar "as fast on two threads as on one, times" "$(median "${ratio[@]}")" " " 1.9
}

bench_study()
{
    echo "Studies of many runs (processor seconds):"
    "$build/bin/bench_study" runs || status=1
    study_sweeps
    "$build/bin/bench_study" plan || status=1
    "$build/bin/bench_journal" || status=1
}

# counts_of NAME RUNS: the counts of a run of the scenario, on average.
counts_of()
{
    local log=$build/bench-counts.log
    if ! valgrind --tool=callgrind --toggle-collect=single_run --cache-sim=yes --branch-sim=yes --I1=32768,8,64 --D1=32768,8,64 \
        --LL=524288,8,64 --callgrind-out-file=/dev/null "$build/bin/bench_study" "$1" "$2" >"$log" 2>&1; then
        echo "  failed: bench_study $1 $2, see $log"
        status=1
        return
    fi
    tr -d , <"$log" | awk -v name="$1" -v runs="$2" '
        / events a run/ { events = $(NF - 3) }
        / I +refs:/ { instructions = $NF / runs }
        / I1 +misses:/ { code = $NF / runs }
        / D1 +misses:/ { data = $4 / runs }
        / Mispredicts:/ { branches = $3 / runs }
        END {
            printf "  %-15s %8.0f %14.0f %10.0f %10.1f %10.1f %12.1f\n", name, events, instructions, instructions / events,
                code / events, data / events, branches / events
        }'
}

bench_counts()
{
    if ! command -v valgrind >/dev/null; then
        echo "counts: valgrind is not installed (package: valgrind)"
        return
    fi
    echo "Counts of a run (first caches of 32 KiB, second of 512 KiB; valgrind's model of branches):"
    printf '  %-15s %8s %14s %10s %10s %10s %12s\n' scenario events instructions "an event" "code miss" "data miss" mispredicted
    counts_of poisson 200
    counts_of failing-month 40
}

trainer_rounds=5
trainer_steps=60

# first_number NAME JSON: the value of the first member called NAME.
first_number()
{
    grep -o "\"$1\": *[0-9.]*" <<<"$2" | sed -n '1s/.*[ :]//p'
}

# median NUMBER...
median()
{
    printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"
}

# check_bar NAME VALUE UNIT BAR [most]: prints whether the value is at least the bar, or with "most" at most the bar.
check_bar()
{
    awk -v name="$1" -v value="$2" -v unit="$3" -v bar="$4" -v most="${5:-}" 'BEGIN {
        met = most ? value <= bar : value >= bar
        printf "  %-44s %7.2f %s  %s (%s %s)\n", name, value, unit, met ? "met" : "MISSED", most ? "at most" : "at least", bar
        exit !met }' || status=1
}

# quotient A B
quotient()
{
    awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'
}

# trainer_peer PRECISION BAR: compares the trainer with PyTorch in both layouts. Both run in turn and the ratio is of neighbouring
# runs, so that a slow minute of the machine affects both.
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
    [ "$1" != fp32 ] || check_bar "share of sgemm's rate, medians of both" "$(median "${share[@]}")" % 75
    if [ ${#nchw[@]} -eq 0 ] || [ ${#nhwc[@]} -eq 0 ]; then
        echo "  PyTorch: skipped: not installed (package: python3-torch)"
        return
    fi
    printf '  %-44s %7.2f ms\n' "PyTorch, both layouts" "$(median "${theirs[@]}")"
    check_bar "as fast as PyTorch's best layout, times" \
        "$(printf '%s\n' "$(median "${nchw[@]}")" "$(median "${nhwc[@]}")" | sort -g | head -n 1)" " " "$2"
}

trainer_ranks()
{
    local one=() two=() ratio=() share=() json round
    local command=("$build/bin/trainyard-bench-training" --steps "$trainer_steps" --json)
    # Containers run as root, which Open MPI refuses without confirmation.
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
    check_bar "as fast on two ranks as on one, times" "$(median "${ratio[@]}")" " " 1.8
    check_bar "exchange of the gradients, of a step" "$(median "${share[@]}")" % 3 most
}

bench_trainer()
{
    echo "Training on one core, batches of 32, medians of $trainer_rounds interleaved rounds of $trainer_steps steps:"
    trainer_peer fp32 1.5
    trainer_peer bf16 1.75
    trainer_ranks
}

# --- The emulator ---

emu_seconds=3
emu_jobs=100000
azurite_version=3.37.0
azurite_port=10400
emu_folder=$build/bench-emu
emu_report=$build/bench-emu.json
emu_processes=()
emu_rows=()

# emu_row NAME VALUE UNIT [BAR [most]]: one row of the table and of the JSON report. An empty VALUE could not be measured; it counts as 0.
emu_row()
{
    local name=$1 value=${2:-0} unit=$3 bar=${4:-} most=${5:-} met=null
    if [ -n "$bar" ]; then
        check_bar "$name" "$value" "$unit" "$bar" "$most"
        met=$(awk -v value="$value" -v bar="$bar" -v most="$most" 'BEGIN { print (most ? value <= bar : value >= bar) ? "true" : "false" }')
    else
        printf '  %-44s %7.2f %s\n' "$name" "$value" "$unit"
    fi
    emu_rows+=("{\"what\": \"$name\", \"value\": $value, \"unit\": \"$unit\", \"bar\": ${bar:-null}, \"met\": $met}")
}

# emu_wrk ARGUMENT...: sends requests with wrk; sets rate (requests per second) and p99 (ms).
emu_wrk()
{
    read -r rate p99 < <(wrk -t1 -d"$emu_seconds" --timeout 30s --latency "$@" 2>&1 | awk '
        $1 == "99%" { ms = $2; if (ms ~ /us$/) ms /= 1000; else if (ms !~ /ms$/) ms *= 1000; ms += 0 }
        /Non-2xx|Socket errors/ { failed = 1 } # error answers are fast and must not count
        /^Requests\/sec/ { rate = $2 }
        END { print failed ? 0 : rate + 0, ms ? ms : 9999 }')
}

# emu_ask ARGUMENT...: the same with our own client (tests/bench/bench_http.c), which reports errors on stderr.
emu_ask()
{
    local json
    if json=$("$build/bin/bench_http" "$@"); then
        rate=$(first_number per_s "$json")
        p99=$(first_number p99_ms "$json")
    else
        rate=0 p99=9999
    fi
}

memory_mb()
{
    awk '/^VmRSS/ { print $2 / 1024 }' "/proc/$1/status" 2>/dev/null
}

emu_stop()
{
    local process
    for process in "${emu_processes[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    emu_processes=()
    rm -rf "$emu_folder"
}

# emu_serve NAME OPTION...: starts an emulator with the state NAME; sets process, url, ready_ms and ready_file. The loop waits
# without a pause, since a pause would be longer than the start.
emu_serve()
{
    local name=$1 begin end
    shift
    ready_file=$emu_folder/$name.json
    rm -f "$ready_file"
    begin=${EPOCHREALTIME/./}
    "$build/bin/trainyard" serve --state "$emu_folder/$name" --port 0 --plain-port 0 --clock manual --ready-file "$ready_file" \
        "$@" >"$emu_folder/$name.out" &
    process=$!
    emu_processes+=("$process")
    end=$((begin + 60000000))
    while [ ! -s "$ready_file" ]; do
        if ((${EPOCHREALTIME/./} > end)) || [ ! -d "/proc/$process" ]; then
            echo "  the emulator does not start"
            status=1
            return 1
        fi
    done
    ready_ms=$(awk -v us=$((${EPOCHREALTIME/./} - begin)) 'BEGIN { print us / 1000 }')
    url=http://$(sed -n 's/.*"plain": "\([^"]*\)".*/\1/p' "$ready_file")
}

# The first five starts have a new state, so the emulator makes keys and certificates. The other five find that state.
emu_starts()
{
    local i times=()
    for ((i = 0; i < 5; i++)); do
        emu_serve "start$i" || return
        times+=("$ready_ms")
        kill "$process"
        wait "$process" || true
    done
    emu_row "ready for the first time, median of 5" "$(median "${times[@]}")" ms 100 most
    times=()
    for ((i = 0; i < 5; i++)); do
        emu_serve "start$i" || return
        times+=("$ready_ms")
        kill "$process"
        wait "$process" || true
    done
    emu_row "ready again, median of 5" "$(median "${times[@]}")" ms 100 most
}

emu_resource_manager()
{
    local tags='{"location": "eastus", "tags": {"count": "{n}"}}'
    emu_wrk -c32 "${arm_headers[@]}" "$url$cluster_target"
    emu_row "GET of a cluster, 32 connections, wrk" "$rate" "/s" 40000
    emu_row "  its 99th percentile" "$p99" ms 5 most
    emu_ask -c 32 -d "$emu_seconds" "${arm_headers[@]}" "$url$cluster_target"
    emu_row "GET of a cluster, 32 connections, our client" "$rate" "/s" 40000
    emu_row "  its 99th percentile" "$p99" ms 5 most
    emu_ask -c 64 -d "$emu_seconds" -m PUT -b "$tags" "${arm_headers[@]}" "$url$group_target"
    emu_row "durable writes, 64 connections" "$rate" "/s" 10000
    emu_ask -c 1 -d "$emu_seconds" -m PUT -b "$tags" "${arm_headers[@]}" "$url$group_target"
    emu_row "durable writes, one by one" "$rate" "/s" 1000
}

# The same requests to either server; sets get, put and list (per second). The variables come from tests/bench/emulator_setup.py.
emu_signed()
{
    local body
    body=$(printf "%${put_bytes}s" "" | tr ' ' x)
    emu_wrk -c32 "${small_headers[@]}" "$url$small_target"
    get=$rate
    emu_ask -c 32 -d "$emu_seconds" -m PUT -b "$body" "${put_headers[@]}" "$url$put_target"
    put=$rate
    emu_wrk -c4 "${list_headers[@]}" "$url$list_target"
    list=$rate
}

emu_large()
{
    local i rates=()
    for ((i = 0; i < 3; i++)); do
        rates+=("$(curl -sf -o /dev/null -w '%{speed_download}' "${large_headers[@]}" "$url$large_target" || echo 0)")
    done
    emu_row "reading one file of 512 MiB, median of 3" "$(awk -v rate="$(median "${rates[@]}")" 'BEGIN { print rate / 1e9 }')" "GB/s" 1
}

# Memory that requests do not release shows after 200,000 requests. The first 40,000 fill the caches.
emu_memory()
{
    local before after requests=100000
    emu_ask -c 32 -n 20000 "${small_headers[@]}" "$url$small_target"
    emu_ask -c 32 -n 20000 "${arm_headers[@]}" "$url$cluster_target"
    before=$(memory_mb "$process")
    emu_ask -c 32 -n $requests "${small_headers[@]}" "$url$small_target"
    emu_ask -c 32 -n $requests "${arm_headers[@]}" "$url$cluster_target"
    after=$(memory_mb "$process")
    emu_row "memory after all that" "$after" MB 30 most
    emu_row "  more of it after 200,000 requests" "$(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')" MB 1 most
}

# Compares an emulator with 100,000 nodes and jobs with one of a small world; both are measured in turn.
emu_scale()
{
    local small_url=$url small_cluster=$cluster_target ratios=() rates=() ours i many
    emu_serve scale --scenario tests/bench/emulator_scale.json || return
    many=$(/usr/bin/python3 tests/bench/emulator_setup.py scale "$ready_file") || { status=1; return; }
    eval "$many"
    emu_ask -c 64 -n $emu_jobs -m PUT -b "$job_body" "${arm_headers[@]}" "$url$job_target"
    emu_row "100,000 jobs made, 64 connections" "$rate" "/s"
    for ((i = 0; i < 3; i++)); do
        emu_ask -c 32 -d 1 "${arm_headers[@]}" "$small_url$small_cluster"
        ours=$rate
        emu_ask -c 32 -d 1 "${arm_headers[@]}" "$url$cluster_target"
        rates+=("$rate")
        [ "$ours" = 0 ] || ratios+=("$(quotient "$rate" "$ours")")
    done
    emu_row "GET of a cluster with 100,000 jobs and nodes" "$(median "${rates[@]}")" "/s" 40000
    emu_row "  as fast as in a small world, times" "$(median "${ratios[@]:-0}")" " " 0.9
    emu_row "  memory with them" "$(memory_mb "$process")" MB
    kill "$process"
    wait "$process" || true
    emu_serve scale || return
    emu_row "  ready again with them" "$(quotient "$ready_ms" 1000)" s
    emu_row "  memory then" "$(memory_mb "$process")" MB
    kill "$process"
    wait "$process" || true
}

# emu_compare NAME OURS THEIRS
emu_compare()
{
    [ "$3" = 0 ] || emu_row "as fast as Azurite: $1, times" "$(quotient "$2" "$3")" " "
}

emu_azurite()
{
    local cache=${XDG_CACHE_HOME:-$HOME/.cache}/trainyard/azurite-$azurite_version log=$build/azurite.log
    local our_get=$get our_put=$put our_list=$list ready process i
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        echo "  Azurite: skipped: no node and npm (packages: nodejs, npm)"
        return
    fi
    if [ ! -f "$cache/node_modules/azurite/dist/src/blob/main.js" ] &&
        ! npm install --prefix "$cache" --no-audit --no-fund --ignore-scripts --fetch-retries=1 "azurite@$azurite_version" >"$log" 2>&1; then
        echo "  Azurite: skipped: npm could not fetch it (offline?), see $log"
        return
    fi
    node "$cache/node_modules/azurite/dist/src/blob/main.js" --silent --skipApiVersionCheck --location "$emu_folder/azurite" \
        --blobPort $azurite_port >"$log" 2>&1 &
    process=$!
    emu_processes+=("$process")
    url=http://127.0.0.1:$azurite_port
    for ((i = 0; i < 200; i++)); do
        ! curl -s -o /dev/null "$url" || break
        sleep 0.05
    done
    if ! ready=$(/usr/bin/python3 tests/bench/emulator_setup.py azurite "$azurite_port"); then
        echo "  Azurite: does not run on this machine, see $log"
        return
    fi
    eval "$ready"
    emu_signed
    emu_row "Azurite: signed GET of 1 KiB" "$get" "/s"
    emu_row "Azurite: signed PUT of 1 KiB" "$put" "/s"
    emu_row "Azurite: list of 1,000" "$list" "/s"
    emu_row "Azurite: memory after all that" "$(memory_mb "$process")" MB
    emu_compare GET "$our_get" "$get"
    emu_compare PUT "$our_put" "$put"
    emu_compare list "$our_list" "$list"
}

emu_all()
{
    # tests/bench/emulator_setup.py prints values for these.
    local arm_headers cluster_target group_target small_headers small_target put_headers put_target put_bytes list_headers list_target
    local large_headers large_target job_target job_body
    local process url ready_file ready_ms ready rate p99 get put list
    emu_starts
    emu_serve state || return 0
    emu_row "memory at rest" "$(memory_mb "$process")" MB 30 most
    ready=$(/usr/bin/python3 tests/bench/emulator_setup.py trainyard "$ready_file") || { status=1; return 0; }
    eval "$ready"
    emu_resource_manager
    emu_signed
    emu_row "signed GET of 1 KiB, 32 connections" "$get" "/s" 15000
    emu_row "signed PUT of 1 KiB, 32 connections" "$put" "/s"
    emu_row "signed list of 1,000 files" "$list" "/s"
    emu_large
    emu_memory
    emu_scale
    emu_azurite
}

bench_emu()
{
    local tool
    echo "The emulator, $emu_seconds s each, clients on the same machine:"
    for tool in wrk curl; do
        if ! command -v "$tool" >/dev/null; then
            echo "  skipped: no $tool (package: $tool)"
            return
        fi
    done
    if ! cmake --build --preset release --target trainyard-serve >/dev/null 2>&1; then
        echo "  skipped: the emulator is not built on this machine"
        return
    fi
    rm -rf "$emu_folder"
    mkdir -p "$emu_folder"
    trap emu_stop EXIT
    emu_all
    emu_stop
    printf '{"part": "emu", "rows": [\n%s\n]}\n' "$(IFS=$'\n'; sed '$!s/$/,/' <<<"${emu_rows[*]}")" >"$emu_report"
    echo "  The same as JSON: $emu_report"
}

bench_files()
{
    echo "A large file of Azure Files (the memory of a separate emulator grows by at most 16 MiB):"
    cmake --build --preset release --target trainyard-serve >/dev/null
    rm -rf "$emu_folder"
    mkdir -p "$emu_folder"
    trap emu_stop EXIT
    emu_serve files --files || return 0
    /usr/bin/python3 tests/cli/files/large.py "$(sed -n 's/^ *\(DefaultEndpointsProtocol=.*\)/\1/p' "$emu_folder/files.out")" \
        "$process" "$emu_folder/files" || status=1
    emu_stop
    echo "Contents of Azure Files in the page cache, as a part of the speed without checksums:"
    cmake --build --preset release --target bench_contents >/dev/null
    "$build/bin/bench_contents" || status=1
}

bench_growth()
{
    echo "The emulator after creations and deletions; bars of 1,000,000 by the same rate:"
    "$build/bin/bench_growth" 100000 || status=1
}

parts='queue|peers|tutorial|start|contention|world|layouts|loops|scale|study|counts|trainer|roofline|files|growth|emu'
[ $# -gt 0 ] || set -- ${parts//|/ }
for part in "$@"; do
    if [[ ! $part =~ ^($parts)$ ]]; then
        echo "usage: tools/bench.sh [$parts]..." >&2
        exit 2
    fi
done
cmake --preset release >/dev/null
cmake --build --preset release --target trainyard trainyard-bench-training benchmarks >/dev/null
for part in "$@"; do
    case $part in
    queue) bench_queue ;;
    peers) bench_peers ;;
    tutorial) bench_tutorial ;;
    start) bench_start ;;
    contention) bench_contention ;;
    layouts) bench_layouts ;;
    world) bench_world ;;
    loops) bench_loops ;;
    roofline) bench_roofline ;;
    scale) bench_scale ;;
    study) bench_study ;;
    counts) bench_counts ;;
    trainer) bench_trainer ;;
    files) bench_files ;;
    growth) bench_growth ;;
    emu) bench_emu ;;
    esac
done
exit $status
