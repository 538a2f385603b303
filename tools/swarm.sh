#!/usr/bin/env bash
# Runs random scenarios with every build: each must keep all invariants and produce the same bytes everywhere.
#
#   tools/swarm.sh --seeds N [--first S] [--with FEATURE]...    N scenarios (default 200), beginning with seed S (default 1)
#   tools/swarm.sh --one SEED [--with FEATURE]...               one scenario, with the full output of a failure
#
# A scenario is drawn from its seed alone (tests/support/swarm_scenario.h) and must
#   - be accepted by `trainyard validate`;
#   - run twice with the same result, with every invariant checked after every event (--check --check-determinism);
#   - give the same summary, with its fingerprint of all records, with gcc and sanitizers, with clang, and for arm64 if
#     tools/arm64.sh works; for every fourth seed, all files must have the same bytes;
#   - run with events of equal times in another order (--shuffle-ties), with every invariant checked.
# A scenario that fails is shrunk. build/swarm/failed/SEED/ has the small scenario, the whole scenario and the output of the failure.
# FEATURE: a part of the format that is not built yet ("build/release/bin/swarm features").
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

folder=build/swarm
swarm=build/release/bin/swarm
builds=(dev clang)
if [ -x build/arm64/bin/trainyard-emulated ]; then
    builds+=(arm64)
fi

program_of()
{
    case $1 in
    arm64) echo build/arm64/bin/trainyard-emulated ;;
    *) echo "build/$1/bin/trainyard" ;;
    esac
}

build_all()
{
    local preset
    for preset in release dev clang; do
        cmake --preset "$preset" >/dev/null
        cmake --build --preset "$preset" --target trainyard
    done
    cmake --build --preset release --target swarm
    if [[ " ${builds[*]} " == *" arm64 "* ]]; then
        cmake --build --preset arm64 --target trainyard
    fi
}

# Runs a program. Exit code 1 is accepted (a job failed). Other exit codes, and text on stderr except warnings, are failures, which are
# printed.
#   expect_run STDERR_FILE PROGRAM ARGUMENT...
expect_run()
{
    local status=0
    "${@:2}" >"${summary:-/dev/null}" 2>"$1" || status=$?
    sed -i '/: warning: /d; /^  hint: /d' "$1"
    if [ $status -gt 1 ] || [ -s "$1" ]; then
        echo "exit code $status of: ${*:2}"
        head -n 20 "$1"
        return 1
    fi
}

# Runs one stage of a scenario's trial; prints the failure, if any.
#   stage NAME SCENARIO SEED
stage()
{
    local name=$1 scenario=$2 seed=$3 work summary=
    work=$(dirname "$scenario")
    local run=("$(program_of release)" run "$scenario")
    case $name in
    valid)
        expect_run "$work/stderr" "$(program_of release)" validate "$scenario"
        ;;
    check)
        expect_run "$work/stderr" "${run[@]}" --quiet --check --check-determinism -o "$work/release"
        ;;
    shuffle)
        expect_run "$work/stderr" "${run[@]}" --quiet --check --shuffle-ties $((seed + 1))
        ;;
    *)
        if [ ! -e "$work/release" ]; then # a shrunk scenario
            expect_run "$work/stderr" "${run[@]}" --quiet -o "$work/release" || return 0
        fi
        if [ $((seed % 4)) -eq 0 ]; then
            expect_run "$work/stderr" "$(program_of "$name")" run "$scenario" --quiet --check -o "$work/$name" &&
                tools/same_files.sh "$work/release" "$work/$name"
        else
            # The summary has the fingerprint of all records, single steps included.
            summary=$work/$name.json
            expect_run "$work/stderr" "$(program_of "$name")" run "$scenario" --json --check &&
                diff "$work/release/summary.json" "$summary"
        fi
        ;;
    esac
}

# Prints the name of the first stage that fails, then its output; nothing if all stages succeed.
trial()
{
    local scenario=$1 seed=$2 name words
    for name in valid check "${builds[@]}" shuffle; do
        if ! words=$(stage "$name" "$scenario" "$seed"); then
            printf '%s\n%s\n' "$name" "$words"
            return
        fi
    done
}

# Shrinks a failed scenario, stores it, and prints the command that reproduces the failure.
keep_failure()
{
    local seed=$1 work=$2 name=$3 words=$4 kept=$folder/failed/$1
    rm -rf "$kept"
    mkdir -p "$kept"
    cp "$work/scenario.json" "$kept/whole.json"
    "$swarm" shrink "$work/scenario.json" tools/swarm.sh --still "$name" "$seed" >"$kept/small.json" || cp "$work/scenario.json" "$kept/small.json"
    printf 'stage: %s\n%s\n' "$name" "$words" >"$kept/why.txt"
    echo "seed $seed fails in stage \"$name\": $(head -n 1 <<<"$words")"
    echo "  reproduce: tools/swarm.sh --one $seed${with[*]:+ ${with[*]}}"
    echo "  shrunk: $kept/small.json ($(wc -l <"$kept/small.json") of $(wc -l <"$kept/whole.json") lines); output: $kept/why.txt"
}

one()
{
    local seed=$1 work=$folder/seed-$1 outcome
    rm -rf "$work"
    mkdir -p "$work"
    "$swarm" make "$seed" "${with[@]}" >"$work/scenario.json"
    outcome=$(trial "$work/scenario.json" "$seed")
    if [ -n "$outcome" ]; then
        keep_failure "$seed" "$work" "$(head -n 1 <<<"$outcome")" "$(tail -n +2 <<<"$outcome")"
    fi
    rm -rf "$work"
    [ -z "$outcome" ]
}

# Whether a shrunk scenario fails in the same stage as the whole one; it must be valid, unless that stage is "valid".
still_fails()
{
    local name=$1 seed=$2 scenario=$3
    rm -rf "$(dirname "$scenario")/release"
    if [ "$name" = valid ]; then
        ! stage valid "$scenario" "$seed"
    else
        stage valid "$scenario" "$seed" && ! stage "$name" "$scenario" "$seed"
    fi
}

seeds=200
first=1
only=
with=()
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || wrong_usage
    case $1 in
    --seeds) seeds=$2 ;;
    --first) first=$2 ;;
    --with) with+=(--with "$2") ;;
    --one) only=$2 ;;
    --judge) # called by this script, below; everything is built
        only=
        judged=$2
        ;;
    --still)
        still_fails "$2" "$3" "$4" >/dev/null
        exit
        ;;
    *) wrong_usage ;;
    esac
    shift 2
done
if [ -n "${judged:-}" ]; then
    one "$judged" || exit 1
    exit 0
fi
mkdir -p "$folder"
build_all >"$folder/build.txt" 2>&1 || { tail -n 40 "$folder/build.txt" >&2; exit 3; }
if [ -n "$only" ]; then
    if one "$only"; then
        echo "seed $only holds in: release ${builds[*]}"
        exit 0
    fi
    cat "$folder/failed/$only/why.txt"
    exit 1
fi
rm -rf "$folder/failed"
began=$SECONDS
status=0
seq "$first" $((first + seeds - 1)) | xargs -P "$(nproc)" -I{} tools/swarm.sh "${with[@]}" --judge {} >"$folder/failures.txt" || status=$?
cat "$folder/failures.txt"
failed=$(grep -c '^seed .* fails' "$folder/failures.txt" || true)
if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
    echo "swarm: a trial failed without output" >&2
    exit 3
fi
echo "$((seeds - failed)) passed, $failed failed: random scenarios in release ${builds[*]}, $((SECONDS - began)) s"
[ "$failed" -eq 0 ]
