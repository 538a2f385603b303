#!/usr/bin/env bash
# Installs the packages that are missing and runs tests, in legs. Prints one line per leg: tests and seconds.
#
#   tools/test.sh           the short run, 15 to 25 minutes on two cores: each behaviour is tested once
#   tools/test.sh all       every leg: more compilers and machines, repetition, real clients, a browser
#   tools/test.sh LEG...    single legs, for example: tools/test.sh unit layout
#   tools/test.sh --help    lists the legs
#
# Ends with "N passed, N failed" (all tests of all legs) and exit code 1 if a test failed. build/log/ keeps the output of each
# leg; the end of a failed leg's output is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup.sh

# leg | the runs that contain it | what it tests
legs_table='
layout     | short all | words and the layout of sources
shell      | short all | shell scripts, by shellcheck
unit       | short     | clang: unit tests and fuzz seeds with AddressSanitizer and UndefinedBehaviorSanitizer, except the slowest; goldens; every source
program    | short     | gcc: everything else with the optimised, installed program; tests of chance take a tenth of their runs
dev        | all       | every test, with gcc and the sanitizers
release    | all       | every test, optimised
clang      | all       | every test, with clang
gpu        | all       | the trainer built with the CUDA toolkit (nvcc) of this machine; tests on a GPU if there is one
optional   | all       | the trainer without oneDNN and MPI
arm64      | all       | every test for arm64, under an emulator
same_bytes | all       | every compiler, optimisation, machine and environment writes the same bytes
swarm      | all       | random scenarios with every build
siege      | all       | 200 kills of the emulator while clients write
faults     | all       | the emulator on failing disks and connections, with new seeds: an hour, or $TRAINYARD_FAULT_SECONDS
history    | all       | a sequential explanation of what clients saw, under kills: 10 minutes, or $TRAINYARD_HISTORY_SECONDS
load       | all       | memory, descriptors and latencies under load: an hour, or $TRAINYARD_LOAD_SECONDS
study      | all       | 260 kills of sweeps, and sweeps on two machines
keras      | all       | TensorFlow.js, from npm, loads a checkpoint and predicts the same
dashboard  | all       | the dashboard and the pages of reports in Chromium
clients    | all       | the Azure CLI and SDKs, unmodified, and Prometheus against a running emulator
container  | all       | the image in podman, and the Debian packages under systemd in a container; needs root
debian     | all       | set-up, tutorial and short run on Debian 13; needs root
install    | all       | the tests of the command line with an installed program; pip compiles the module for Python from its sources alone
valgrind   | all       | the tutorial and three files of unit tests under valgrind: no invalid reads, no leaks in the tutorial
fresh      | all       | statistics and theory with new seeds; a failure prints the seed
fuzz       | all       | each reader of outside bytes with generated input: 10 seconds each, or $fuzz_seconds
kepler     |           | the trainer with CUDA 11.8 for older GPUs; fetches 1.2 GB
'

# Names of the legs whose row contains a run, or of all legs.
legs_of()
{
    awk -F ' *[|] *' -v run="${1-}" 'NF == 3 && (run == "" || " " $2 " " ~ " " run " ") { print $1 }' <<<"$legs_table"
}

help()
{
    echo "Usage: tools/test.sh [all | LEG...]"
    echo "Installs the packages that are missing and runs tests. Without an argument: the short run, 15 to 25 minutes on two cores."
    echo
    echo "leg          run         tests"
    sed -n 's/ | /   /gp' <<<"$legs_table"
}

fuzz_seconds=${fuzz_seconds:-10}
tutorial=scenarios/cifar10-horovod/scenario.json
jobs=$(nproc)

# --- Legs. Each runs in its own shell with errexit on. A leg of several tests reports their numbers with `counted`; a leg that
# --- cannot run here gives the reason with `skip`.

# counted PASSED FAILED
counted()
{
    echo "counted: $1 $2"
}

skip()
{
    echo "skipped: $*"
    exit "$skipped_status"
}

# Builds targets of a preset.
build()
{
    cmake --preset "$1" -DTRAINYARD_WERROR="$werror"
    cmake --build --preset "$1" --target "${@:2}"
}

# Counts the tests in a log of ctest; fails if a test failed.
count_ctest()
{
    local total failed skipped
    # "98% tests passed, 1 tests failed out of 52", of which some may have been skipped
    read -r failed total < <(awk '/tests passed, .* tests failed out of/ { print $4, $NF }' "$1")
    skipped=$(grep -c '^ *[0-9]*/[0-9]* Test .*\*\*\*Skipped' "$1") || true
    counted $((total - failed - skipped)) "$failed"
    [ "$failed" -eq 0 ]
}

# Runs the tests of a test preset.
run_tests()
{
    ctest --preset "$1" -j $((jobs + 1)) | tee build/log/ctest."$1".txt || true # some tests wait
    count_ctest build/log/ctest."$1".txt
}

# Builds all that a preset has to test (the test architecture reads the library, too) and runs its tests.
preset()
{
    build "$1" all unit_tests program_tests library
    run_tests "$1"
}

leg_layout()
{
    local clang_format
    tools/prose.sh &
    clang_format=$(command -v clang-format-14 || command -v clang-format)
    [[ $("$clang_format" --version) =~ version\ 14\. ]] || skip "the layout is the one of clang-format 14; this machine has another version"
    tools/format.sh --check
    wait $!
}

leg_shell()
{
    printf '%s\n' tools/*.sh tools/packed/*.sh .ci/run tests/cli/*.sh tests/container/*.sh tests/study/*.sh |
        xargs -P "$jobs" -n 24 shellcheck -x -S warning
    diff <(legs_of | sort) <(declare -F | sed -n 's/^declare -f leg_//p' | sort) # the table has every leg
}

# --- The short run: unit tests with sanitizers by one compiler, the whole program, optimised and installed, by the other.

# The one that is clang also checks every other source without a warning. (The leg `clang` links them and runs their tests.)
leg_unit()
{
    build clang-dev short_unit_tests trainyard
    check_sources build/clang-dev
    run_tests unit
}

# All tests except unit tests, plus the unit tests that take too long with sanitizers. The command line tests run the installed
# program. Tests of chance take a tenth of their runs, and tests of random cases a quarter; the leg `release` takes all.
leg_program()
{
    local prefix status=0
    build release all program_tests library
    prefix=$(mktemp -d)
    cmake --install build/release --prefix "$prefix"
    TRAINYARD_EFFORT=0.1 TRAINYARD=$prefix/bin/trainyard TRAINYARD_BUILD=$PWD/build/release run_tests program || status=1
    rm -r "$prefix"
    return $status
}

# Runs the compiler without its code generation on the sources of a build that are not compiled yet. A source that the build generates,
# and has not, is data.
check_sources()
{
    python3 - "$1/compile_commands.json" <<'END' | (cd "$1" && xargs -d '\n' -P "$jobs" -n 1 sh -c)
import json, os, re, sys
for entry in json.load(open(sys.argv[1])):
    command = entry["command"]
    compiled = os.path.join(entry["directory"], re.search(r" -o (\S+)", command).group(1))
    if os.path.exists(entry["file"]) and not os.path.exists(compiled):
        print(re.sub(r" -o \S+", " -fsyntax-only", command))
END
}

# --- All tests with each compiler.

leg_dev()
{
    preset dev
}

leg_clang()
{
    preset clang
}

leg_release()
{
    TRAINYARD_FULL_SET=1 preset release
}

# --- Single subjects.

# The trainer without its optional libraries: plain C and one process.
leg_optional()
{
    local folder=build/optional
    cmake --preset release -B "$folder" -DTRAINYARD_WERROR="$werror" \
        -DTRAINYARD_ONEDNN=OFF -DTRAINYARD_MPI=OFF
    cmake --build "$folder" --target trainyard-train trainer_tests
    ctest --test-dir "$folder" -L '^trainer$' -j "$jobs" --output-on-failure | tee build/log/ctest.optional.txt || true
    count_ctest build/log/ctest.optional.txt
}

# The trainer with the CUDA toolkit of this machine, for every GPU that it makes code for. Without a GPU, the tests for a GPU are
# skipped; the other builds test the kernels by emulation.
leg_gpu()
{
    local nvcc folder=build/gpu good bad
    nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) || skip "no CUDA toolkit (nvcc) was found"
    CUDACXX=$nvcc build gpu trainyard trainyard-train trainyard-bench-training trainyard-bench-allreduce trainyard-evaluate \
        trainyard-make-cifar gpu_tests
    ctest --test-dir "$folder" -L '^(cuda|gpu)$' --output-on-failure | tee build/log/ctest.gpu.txt || true
    count_ctest build/log/ctest.gpu.txt
    if readelf -d "$folder/bin/trainyard-train" | grep 'libcuda\.so'; then
        echo "libcuda.so is linked: the program would not start on a machine without the driver"
        counted 0 1
    fi
    local script
    for script in "test_gpu.sh" "test_gpu_packed.sh --build"; do
        # shellcheck disable=SC2086 # a script and its option
        TRAINYARD=$PWD/$folder/bin/trainyard tests/cli/$script | tee build/log/cli.gpu.txt
        read -r good _ bad _ <<<"$(tail -n 1 build/log/cli.gpu.txt)"
        counted "$good" "$bad"
    done
}

# The same with CUDA 11.8, for GPUs that newer toolkits no longer support. Fetches 1.2 GB, so it only runs if it is named.
leg_kepler()
{
    local status=0
    tools/kepler.sh || status=$?
    [ $status -ne 77 ] || skip "CUDA 11.8 could not be fetched"
    return $status
}

# Counts the tests of a script whose last line is like "12 passed, 0 failed".
count_last_line()
{
    local good bad
    read -r good _ bad _ <<<"$(tail -n 1 "$1")"
    counted "$good" "${bad:-0}"
}

# Builds for arm64 and runs all tests under an emulator.
leg_arm64()
{
    local status=0
    (setup "$arm64_needs") || skip "the cross compiler and the emulator for arm64 could not be installed"
    build release trainyard
    ctest --test-dir build/release -L '^arm64$' --verbose | tee build/log/ctest.arm64.txt || status=$?
    if grep -q 'Test .*: arm64 .*Skipped' build/log/ctest.arm64.txt; then # not a test within it
        skip "$(sed -n 's/^[0-9]*: //p' build/log/ctest.arm64.txt | tail -n 1)"
    fi
    sed -n 's/^[0-9]*: //p' build/log/ctest.arm64.txt >build/log/ctest.arm64_tests.txt # of the tests within the test arm64
    count_ctest build/log/ctest.arm64_tests.txt
    return $status
}

# Every compiler, optimisation, machine and environment must produce the same bytes in every file of a run.
leg_same_bytes()
{
    local status=0
    tools/same_bytes.sh | tee build/log/same_bytes.result.txt || status=$?
    count_last_line build/log/same_bytes.result.txt
    return $status
}

# Runs random scenarios with every build.
leg_swarm()
{
    local status=0
    build release trainyard
    ctest --test-dir build/release -L '^swarm$' --verbose | tee build/log/ctest.swarm.txt || status=$?
    sed -n 's/^[0-9]*: \([0-9]* passed, [0-9]* failed\):.*/\1/p' build/log/ctest.swarm.txt >build/log/swarm.result.txt
    count_last_line build/log/swarm.result.txt
    return $status
}

# The dashboard in a browser.
leg_dashboard()
{
    local status=0
    (setup "$dashboard_needs") || skip "Chromium and Node.js could not be installed"
    build release trainyard trainyard-serve
    ctest --test-dir build/release -L '^dashboard$' --verbose | tee build/log/ctest.dashboard.txt || status=$?
    awk '/^[0-9]*: [0-9]* passed, [0-9]* failed$/ { passed += $2; failed += $4 }
        END { print passed " passed, " failed " failed" }' build/log/ctest.dashboard.txt >build/log/dashboard.result.txt
    count_last_line build/log/dashboard.result.txt
    return $status
}

# Kills the emulator 200 times while clients write: acknowledged writes must survive.
leg_siege()
{
    build release all
    [ -x build/release/bin/trainyard-serve ] || skip "the emulator is not built on this machine"
    ctest --test-dir build/release -L '^siege$' --verbose | tee build/log/ctest.siege.txt || true
    grep -o '[0-9]* kills, .*' build/log/ctest.siege.txt || true
    count_ctest build/log/ctest.siege.txt
}

# The emulator on a disk that fails, with seeds that no commit was tuned to. A failure prints its seed.
leg_faults()
{
    local status=0 first part options
    build release emu_faults
    first=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    for part in disk network; do # half of the time each
        options=(--first "$first" --seeds 1000000000 --seconds $((${TRAINYARD_FAULT_SECONDS:-3600} / 2)) --jobs "$jobs")
        [ "$part" = disk ] || options+=(--network)
        build/release/bin/emu_faults "${options[@]}" | tee "build/log/faults_$part.result.txt" || status=$?
        count_last_line "build/log/faults_$part.result.txt"
    done
    return $status
}

# A test of siege, for the number of seconds in the environment variable that it reads.
siege_for()
{
    local script=$1 variable=$2 seconds=$3 log=build/log/$1.result.txt status=0
    build release trainyard trainyard-serve
    env "$variable=$seconds" TRAINYARD="$PWD/build/release/bin/trainyard" tests/siege/"$script".py | tee "$log" || status=$?
    count_last_line "$log"
    return $status
}

# What concurrent clients saw has a sequential explanation, while the emulator is killed every three seconds.
leg_history()
{
    siege_for test_history TRAINYARD_HISTORY_SECONDS "${TRAINYARD_HISTORY_SECONDS:-600}"
}

# An hour of mixed load: memory, descriptors and latencies stay where they are.
leg_load()
{
    siege_for test_load TRAINYARD_LOAD_SECONDS "${TRAINYARD_LOAD_SECONDS:-3600}"
}

# Sweeps that are killed hundreds of times, and sweeps on two machines (network namespaces, where this machine allows them).
leg_study()
{
    build release all
    ctest --test-dir build/release -L '^study$' --verbose | tee build/log/ctest.study.txt || true
    count_ctest build/log/ctest.study.txt
}

# TensorFlow.js, from npm, loads a checkpoint and must predict the same as the trainer.
leg_keras()
{
    local status=0
    build release write_model trainyard-make-cifar trainyard-evaluate trainyard-train
    ctest --test-dir build/release -L '^keras$' --verbose | tee build/log/ctest.keras.txt || status=$?
    if grep -q 'Skipped' build/log/ctest.keras.txt; then
        skip "$(sed -n 's/^[0-9]*: keras_readers: skipped: //p' build/log/ctest.keras.txt)"
    fi
    sed -n 's/^[0-9]*: \([0-9]* passed, [0-9]* failed\)$/\1/p' build/log/ctest.keras.txt >build/log/keras.result.txt
    count_last_line build/log/keras.result.txt
    return $status
}

# The Azure CLI and SDKs, unmodified, against a running emulator.
leg_clients()
{
    local status=0
    (setup "$clients_needs") || skip "the Azure CLI and SDK could not be installed"
    build release trainyard trainyard-serve trainyard-az-env trainyard-export
    ctest --test-dir build/release -L '^clients$' -j "$jobs" --verbose | tee build/log/ctest.clients.txt || status=$?
    sed -n 's/^[0-9]*: \([0-9]*\) passed, \([0-9]*\) failed$/counted: \1 \2/p' build/log/ctest.clients.txt
    return $status
}

# The image in a container engine, and the Debian packages under systemd in a container.
leg_container()
{
    local status=0
    (setup "$container_needs") || skip "podman and debootstrap could not be installed"
    build release trainyard-serve
    ctest --test-dir build/release -L '^container$' --verbose | tee build/log/ctest.container.txt || status=$?
    if grep -q 'Skipped' build/log/ctest.container.txt; then
        skip "$(sed -n 's/^[0-9]*: skipped: //p' build/log/ctest.container.txt | head -n 1)"
    fi
    sed -n 's/^[0-9]*: \([0-9]*\) passed, \([0-9]*\) failed$/counted: \1 \2/p' build/log/ctest.container.txt
    return $status
}

# The set-up, the tutorial and the short run on the next version of Debian, which has other compilers and libraries.
leg_debian()
{
    local status=0
    (setup "$debian_needs") || skip "debootstrap could not be installed"
    tools/debian.sh trixie | tee build/log/debian.result.txt || status=$?
    [ $status -ne "$skipped_status" ] || skip "$(tail -n 1 build/log/debian.result.txt)"
    count_last_line build/log/debian.result.txt
    return $status
}

# pip_installs FOLDER: outside of the repository, pip compiles the library from the source distribution, and installs the module in a
# virtual environment, where it runs. That uses every file of the distribution, but for those that describe it, and a header of programs.
pip_installs()
{
    local scenario=$PWD/$tutorial source=$1/source unused
    /usr/bin/python3 -m build --sdist --no-isolation --outdir "$1" . && mkdir "$source" &&
        tar -xzf "$1"/trainyard-*.tar.gz -C "$source" --strip-components 1 || return
    find "$source" -type f -printf '%P\n' | grep -vxF -e LICENSE -e PKG-INFO -e pyproject.toml -e sim/cli/program.h >"$1/files"
    /usr/bin/python3 -m venv "$1/venv" && "$1/venv/bin/pip" install --no-index "$source" &&
        (cd "$1" && venv/bin/python -c 'import sys, trainyard; trainyard.run(sys.argv[1])' "$scenario") || return
    { ninja -C "$source/build/wheel" -t deps; cat "$source/build/wheel/build.ninja"; } >"$1/read"
    unused=$(grep -v -e '^sim/library/python/trainyard/' -e '^tools/package/python_wheel.py$' "$1/files" | while read -r file; do
        grep -qF "$source/$file" "$1/read" || echo "$file"; done)
    [ -z "$unused" ] || { echo "not used: $unused"; return 1; }
}

# The tests of the command line against an installed program, and the module that pip compiles.
leg_install()
{
    local prefix status=0
    (setup "$install_needs") || skip "the front end of Python's build backends could not be installed"
    build release all library
    prefix=$(mktemp -d)
    cmake --install build/release --prefix "$prefix"
    TRAINYARD=$prefix/bin/trainyard TRAINYARD_BUILD=$PWD/build/release ctest --preset release -L '^cli$' -j "$jobs" | tee build/log/ctest.install.txt || true
    count_ctest build/log/ctest.install.txt || status=1
    mkdir "$prefix/pip"
    if pip_installs "$prefix/pip"; then counted 1 0; else counted 0 1; status=1; fi
    rm -r "$prefix"
    return $status
}

# Statistics and theory with seeds that no commit was tuned to. A failure prints the seed: TRAINYARD_SEED=N repeats it.
leg_fresh()
{
    local seed status=0
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    echo "TRAINYARD_SEED=$seed"
    build release test_sim_study_coverage test_sim_study_plan test_theory
    TRAINYARD_SEED=$seed ctest --test-dir build/release -R '^(sim/study/coverage|sim/study/plan|theory)/' -j "$jobs" --output-on-failure |
        tee build/log/ctest.fresh.txt || true
    count_ctest build/log/ctest.fresh.txt || status=1
    [ $status -eq 0 ] || echo "failed with TRAINYARD_SEED=$seed"
    return $status
}

leg_valgrind()
{
    local folder=build/log/valgrind
    local programs=("test_sim_engine event_queue" "test_sim_cloud_storage share" "test_sim_output_trace tsv")
    local memcheck=(valgrind --quiet --error-exitcode=9)
    build release trainyard "${programs[@]% *}"
    rm -rf "$folder"
    "${memcheck[@]}" --leak-check=full --errors-for-leak-kinds=definite \
        build/release/bin/trainyard run "$tutorial" --fidelity epoch --quiet -o "$folder" &
    local run=$!
    printf 'build/release/bin/%s\n' "${programs[@]}" | xargs -P "$jobs" -L 1 "${memcheck[@]}"
    wait $run
    rm -r "$folder"
    counted $((1 + ${#programs[@]})) 0
}

# Runs one fuzz target for $fuzz_seconds. New inputs go into an empty corpus, so the seeds stay unchanged. The random seed is fixed, so
# that a finding is caused by the change under test; use other seeds and more time to look for more.
fuzz()
{
    local topic=$1 log=build/log/fuzz_$1.txt status=0 corpus words=()
    corpus=$(mktemp -d)
    [ ! -e "tests/fuzz/dictionaries/$topic.dict" ] || words=("-dict=tests/fuzz/dictionaries/$topic.dict")
    # HDF5 asks for as much memory as a damaged file says, and gets none, as without the sanitizer.
    ASAN_OPTIONS=allocator_may_return_null=1 "build/fuzz/bin/fuzz_$topic" -seed=20180718 -max_total_time="$fuzz_seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
        -verbosity=0 -print_final_stats=1 "${words[@]}" -artifact_prefix="build/log/fuzz_$topic." "$corpus" "tests/fuzz/seeds/$topic" \
        >"$log" 2>&1 || status=$?
    rm -r "$corpus"
    echo "fuzz_$topic: $(awk '/number_of_executed_units/ { runs = $2 } END { print runs }' "$log") runs, exit code $status"
    return $status
}

leg_fuzz()
{
    local topics topic bad=0
    mapfile -t topics < <(basename -s .c tests/fuzz/fuzz_*.c | sed 's/^fuzz_//')
    build fuzz "${topics[@]/#/fuzz_}"
    export -f fuzz
    export fuzz_seconds
    printf '%s\n' "${topics[@]}" | xargs -P "$jobs" -I{} bash -uc 'fuzz {}' >build/log/fuzz_all.txt || true
    cat build/log/fuzz_all.txt
    for topic in $(sed -n 's/^fuzz_\(.*\): .* exit code [1-9].*/\1/p' build/log/fuzz_all.txt); do
        bad=$((bad + 1))
        echo "fuzz_$topic:"
        grep -v '# Uses: ' "build/log/fuzz_$topic.txt" | tail -n 40
    done
    counted $((${#topics[@]} - bad)) $bad
    [ $bad -eq 0 ] && [ "$(wc -l <build/log/fuzz_all.txt)" -eq ${#topics[@]} ]
}

# --- The runner.

skipped_status=77
passed=0
failed=0

count()
{
    local leg=$1 status=$2 counts
    counts=$(awk '/^counted: / { passed += $2; failed += $3; seen = 1 } END { if (seen) print passed, failed }' "build/log/$leg.txt")
    if [ -z "$counts" ]; then
        counts="$((status == 0)) $((status != 0))"
    elif [ "$status" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
        counts="${counts% *} 1" # the leg failed outside its tests
    fi
    echo "$counts"
}

# One line with the names of the skipped tests in a log of ctest, if there are any.
skipped_tests()
{
    awk '/^ *[0-9]+\/[0-9]+ Test .*\*\*\*Skipped/ { sub(/.*Test +#[0-9]+: /, ""); names = names " " $1; count++ }
        END { if (count) print count " of them skipped:" names }' "$1"
}

# The output of each failed test in a log of ctest; the end of the log has only their names.
failed_tests()
{
    awk '/^ *[0-9]+\/[0-9]+ Test .*(Failed|Timeout|Exception|Not Run)/ { left = 40; print; next }
        /^ +Start +[0-9]+: / || /^ *[0-9]+\/[0-9]+ Test / { next }
        left > 0 && printed < 400 { print; left--; printed++ }
        /^[0-9]+% tests passed/ { left = 0 }' "$1"
}

run_leg()
{
    local leg=$1 status=0 begin=$SECONDS counts
    # In the background, because `set -e` has no effect within a condition.
    (set -e; "leg_$leg") >"build/log/$leg.txt" 2>&1 &
    wait $! || status=$?
    if [ $status -eq $skipped_status ]; then
        printf '%-11s %s\n' "$leg" "$(tail -n 1 "build/log/$leg.txt")"
        return
    fi
    counts=$(count "$leg" $status)
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
    printf '%-11s %4d passed, %d failed, %d s\n' "$leg" "${counts% *}" "${counts#* }" $((SECONDS - begin))
    grep 'tests passed, .* tests failed out of' "build/log/$leg.txt" || true
    skipped_tests "build/log/$leg.txt"
    if [ $status -ne 0 ]; then
        failed_tests "build/log/$leg.txt"
        echo "--- the end of build/log/$leg.txt:"
        tail -n 40 "build/log/$leg.txt"
        echo "---"
    fi
}

case $* in
--help | -h)
    help
    exit
    ;;
"") mapfile -t legs < <(legs_of short) ;;
all) mapfile -t legs < <(legs_of all) ;;
*) legs=("$@") ;;
esac
for leg in "${legs[@]}"; do
    grep -qxF -e "$leg" <<<"$(legs_of)" || { echo "test: unknown leg \"$leg\"; tools/test.sh --help lists the legs" >&2; exit 2; }
done

setup "$build_needs$test_needs"
# Warnings are errors with the compilers of Debian 12. Other versions may have other warnings.
werror=OFF
if [[ $(gcc -dumpversion) == 12 && $(clang -dumpversion) == 14.* ]]; then
    werror=ON
fi
mkdir -p build/log
[ $SECONDS -lt 5 ] || echo "packages    $SECONDS s"
for leg in "${legs[@]}"; do
    run_leg "$leg"
done
echo "$SECONDS s in all"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
