#!/usr/bin/env bash
# Runs the same scenario in many ways and checks that every file of a run has the same bytes.
#
#   tools/same_bytes.sh [SCENARIO...]     (default: all under scenarios/, and 20 random ones)
#
# Ways: gcc with -O2, a second time; gcc with sanitizers, with -O0, with -O3 -march=native; clang, also with -O3 -march=native; arm64 if
# tools/arm64.sh works; another time zone, locale, environment, address layout and working directory. Scenarios that take more
# than 20 s are left out. The last line "N passed, N failed" counts comparisons.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

folder=$PWD/build/same_bytes
presets=(dev O0 O3 clang clang-O3)
swarm_seeds=20
seconds_max=20

prepare()
{
    local preset seed
    for preset in release "${presets[@]}"; do
        cmake --preset "$preset"
        cmake --build --preset "$preset" --target trainyard
    done
    cmake --build --preset release --target swarm
    if [ -x build/arm64/bin/trainyard-emulated ]; then
        cmake --build --preset arm64 --target trainyard
    fi
    for ((seed = 1; seed <= swarm_seeds; seed++)); do
        mkdir -p "$folder/random/$seed"
        build/release/bin/swarm make "$seed" >"$folder/random/$seed/scenario.json"
    done
    # A locale that writes 1,5. It is made here because few machines have one installed.
    mkdir -p "$folder/locales"
    localedef -i de_DE -f UTF-8 "$folder/locales/de_DE.UTF-8" || echo "same_bytes: no locale could be made; the default of the C library is used"
}

# Runs scenario $2 in the way $1, with output to $3. Exit code 1 is allowed.
run_in_way()
{
    local way=$1 scenario=$2 output=$3 program=build/release/bin/trainyard status=0
    local arguments=(run "$scenario" --quiet -o "$output")
    case $way in
    release | again) "$program" "${arguments[@]}" || status=$? ;;
    arm64) build/arm64/bin/trainyard-emulated "${arguments[@]}" || status=$? ;;
    zone) TZ=Asia/Kathmandu "$program" "${arguments[@]}" || status=$? ;;
    locale) LOCPATH=$folder/locales LC_ALL=de_DE.UTF-8 LANGUAGE=de "$program" "${arguments[@]}" || status=$? ;;
    large-environment) FILLER=$(printf '%*s' 100000 '') "$program" "${arguments[@]}" || status=$? ;;
    empty-environment) env -i PATH="$PATH" "$program" "${arguments[@]}" || status=$? ;;
    layout) setarch -R "$program" "${arguments[@]}" || status=$? ;;
    folder) (cd / && "$OLDPWD/$program" run "$OLDPWD/$scenario" --quiet -o "$output") || status=$? ;;
    *) "build/$way/bin/trainyard" "${arguments[@]}" || status=$? ;;
    esac
    [ $status -le 1 ]
}

# One scenario in all ways.
compare()
{
    local scenario=$1 work way status=0
    local ways=(again "${presets[@]}" zone locale large-environment empty-environment folder)
    if setarch -R true 2>/dev/null; then
        ways+=(layout)
    fi
    if [ -x build/arm64/bin/trainyard-emulated ]; then
        ways+=(arm64)
    fi
    work=$folder/$(dirname "${scenario#build/}")
    mkdir -p "$work"
    timeout "$seconds_max" build/release/bin/trainyard run "$scenario" --quiet >/dev/null || status=$?
    [ $status -ne 124 ] || { echo "left out: $scenario takes more than $seconds_max s"; return; }
    run_in_way release "$scenario" "$work/release" || { echo "not ok: $scenario does not run"; return; }
    for way in "${ways[@]}"; do
        if run_in_way "$way" "$scenario" "$work/$way" && tools/same_files.sh "$work/release" "$work/$way"; then
            echo "ok: $scenario $way"
        else
            echo "not ok: $scenario $way"
        fi
        rm -rf "${work:?}/$way"
    done
    rm -rf "$work/release"
}

if [ "${1:-}" = --compare ]; then
    compare "$2"
    exit
fi
rm -rf "$folder"
mkdir -p "$folder"
prepare >"$folder/prepare.txt" 2>&1 || { tail -n 40 "$folder/prepare.txt" >&2; exit 3; }
if [ $# -gt 0 ]; then
    printf '%s\n' "$@" >"$folder/scenarios.txt"
else
    find scenarios build/same_bytes/random -name scenario.json | LC_ALL=C sort >"$folder/scenarios.txt"
fi
xargs -P "$(nproc)" -I{} tools/same_bytes.sh --compare {} <"$folder/scenarios.txt" >"$folder/results.txt" 2>&1
grep -v '^ok: ' "$folder/results.txt" || true
[ -x build/arm64/bin/trainyard-emulated ] || echo "without arm64: tools/arm64.sh has not built it here"
passed=$(grep -c '^ok: ' "$folder/results.txt" || true)
failed=$(grep -c '^not ok: ' "$folder/results.txt" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
