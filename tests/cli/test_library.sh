#!/usr/bin/env bash
# libtrainyard and the Python module, as installed: found by pkg-config, CMake and pip; the same bytes as the program.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
build=${TRAINYARD_BUILD:-$(cd "$(dirname "$TRAINYARD")/.." && pwd)} # tools/test.sh tests an installed program
if [ ! -e "$build/sim/library/libtrainyard.so.0" ] || ! starts_programs; then
    echo "skipped: no libtrainyard (cmake --build $build --target library)"
    exit 0
fi
for component in library development python; do
    cmake --install "$build" --component $component --prefix "$work/prefix" >/dev/null || exit 3
done
library=$(dirname "$(find prefix -name libtrainyard.so.0 | head -n 1)")
export LD_LIBRARY_PATH=$work/$library PKG_CONFIG_PATH=$work/$library/pkgconfig PYTHONPATH=$work/prefix/lib/python3/dist-packages
team=$source_folder/scenarios/studies/cifar-team/scenario.json

# Programs that load a library with sanitizers need them, too.
sanitizers=()
preload=()
if readelf -d "$library/libtrainyard.so.0" | grep -q libasan; then
    sanitizers=("-fsanitize=address,undefined")
    preload=(LD_PRELOAD="$(cc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0) # for Python
fi

# runs PROGRAM ARGUMENT...: it succeeds.
runs()
{
    "$@" >stdout 2>stderr
    status=$?
    exit_is 0
}

# compiles NAME OPTION...: makes the program NAME.
compiles()
{
    runs cc -Wall -Werror "${sanitizers[@]}" -o "$@"
}

# library_of PROGRAM: the library that it loads; nothing if it contains it.
library_of()
{
    readelf -d "$1" | grep -o 'libtrainyard[^]]*'
}

# runs_source NAME: compiles standard input for the installed library, and runs it.
runs_source()
{
    cat >"$1.c"
    # shellcheck disable=SC2046 # words
    compiles "$1" "$1.c" $(pkg-config --cflags --libs trainyard)
    runs "./$1"
}

example "only the functions of the header are exported"
nm -D --defined-only "$library/libtrainyard.so.0" | awk '{ print $3 }' | grep -v '^_' | LC_ALL=C sort >exported
grep -oE '\btrainyard_[a-z_]+\(' prefix/include/trainyard.h | tr -d '(' | LC_ALL=C sort -u >declared
holds diff declared exported

example "the example in C: shared, static, and as C++ sees the header"
example_in_c=$(find prefix -name plan.c)
# shellcheck disable=SC2046 # words
compiles shared "$example_in_c" $(pkg-config --cflags --libs trainyard)
# shellcheck disable=SC2046
compiles static "$example_in_c" "$library/libtrainyard.a" -Wl,--as-needed $(pkg-config --static --cflags --libs trainyard)
for program in shared static; do
    runs ./$program "$team"
    stdout_has "2 nodes: 100.0 % wait at most 30 min"
    cp stdout of_$program
done
holds [ "$(library_of shared)" = libtrainyard.so.0 ]
holds [ -z "$(library_of static)" ]
holds cmp of_shared of_static
./shared small/none.json >stdout 2>stderr
status=$?
exit_is 2
stderr_has "small/none.json: there is no such file"
if [ -n "$(command -v c++)" ]; then
    printf '#include <%s>\n' trainyard.h trainyard_policy.h >header.cc
    holds c++ -Wall -Wextra -pedantic -Werror -I prefix/include -c header.cc
fi

example "a project of CMake finds it in a prefix that was moved, shared and static"
mkdir elsewhere && cp -r prefix elsewhere/moved
examples=$(dirname "$(find elsewhere -name plan.c)")

# configures BUILD OPTION...: the examples, which are such a project, with the library in elsewhere/moved.
configures()
{
    env -u LD_LIBRARY_PATH -u PKG_CONFIG_PATH cmake -S "$examples" -B "$1" -DCMAKE_PREFIX_PATH="$work/elsewhere/moved" \
        -DCMAKE_C_FLAGS="${sanitizers[*]}" "${@:2}" >stdout 2>stderr
    status=$?
}

for kind in trainyard trainyard_static; do
    configures "build_$kind" -DLIBRARY=trainyard::$kind
    exit_is 0
    stderr_is_empty
    runs cmake --build "build_$kind"
    runs env -u LD_LIBRARY_PATH "build_$kind/plan" "$team"
    holds cmp of_shared stdout
done
runs env -u LD_LIBRARY_PATH ldd build_trainyard/plan
stdout_has "libtrainyard.so.0 => $work/elsewhere/moved/${library#prefix/}/libtrainyard.so.0"
holds [ -z "$(library_of build_trainyard_static/plan)" ]
example "CMake says why it does not find it: another version, a component, a prefix without the library"
sed -i 's/find_package(trainyard [0-9.]* /find_package(trainyard ${WANTED} /' "$examples/CMakeLists.txt"
version=$("$TRAINYARD" --version | cut -d' ' -f2)
configures found -DWANTED="$version;EXACT"
exit_is 0
configures later -DWANTED=1000
exit_is 1
stderr_has "version: $version"
configures component -DWANTED="COMPONENTS;parts"
exit_is 1
stderr_has 'trainyard has no component "parts"'
rm "elsewhere/moved/${library#prefix/}"/libtrainyard.so.*
configures missing
exit_is 1
stderr_has "$work/elsewhere/moved/${library#prefix/}/libtrainyard.so.0 is missing"

example "a project of CMake has trainyard as a folder, and compiles it: shared and static targets, no programs, no tests"
mkdir parent
cat >parent/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(trainyard SOURCE_DIR "$source_folder")
FetchContent_MakeAvailable(trainyard)
foreach(kind trainyard trainyard_static)
  add_executable(with_\${kind} policy.cc)
  target_link_libraries(with_\${kind} PRIVATE trainyard::\${kind})
endforeach()
CMAKE
echo '#include <trainyard.h>
#include <trainyard_policy.h>
int main() { return trainyard_abi() - TRAINYARD_ABI; }' >parent/policy.cc
runs env -u LD_LIBRARY_PATH -u PKG_CONFIG_PATH cmake -S parent -B parent/build -G Ninja
runs ninja -C parent/build -t commands with_trainyard with_trainyard_static
holds awk '/ -o [^ ]*libtrainyard[.]so/ { shared = 1 } / -o trainyard[.]o/ { archive = 1 }
    / -o with_trainyard / && shared { right++ } / -o with_trainyard_static / && archive { right++ } END { exit right != 2 }' stdout
runs ninja -C parent/build -t targets all
holds [ -z "$(grep -E '(^|/)(trainyard(-[a-z]+)?|test[a-z_]*|unit_tests): ' stdout)" ]

example "a result has no text of the caller"
runs_source borrowed <<'SOURCE'
#include <stdio.h>
#include <string.h>
#include <trainyard.h>

int main(void)
{
    char path[] = "small/scenario.json", setting[] = "/seed=5";
    const char *settings[] = {setting};
    const trainyard_request request = {
        .size = sizeof request, .path = path, .settings = settings, .setting_count = 1};
    trainyard_result *result = trainyard_run(&request);
    memset(path, 'X', strlen(path));
    memset(setting, 'X', strlen(setting));
    settings[0] = NULL;
    fputs(trainyard_text(result, TRAINYARD_SUMMARY_JSON), stdout);
    trainyard_free(result);
    return 0;
}
SOURCE
stdout_has '"/seed=5"'

example "a request without its size, with members of a later library, or with a negative number"
runs_source requests <<'SOURCE'
#include <stdio.h>
#include <string.h>
#include <trainyard.h>

static void print(trainyard_result *result)
{
    printf("%d %s\n", trainyard_code(result), trainyard_error_at(result, 0).message);
    trainyard_free(result);
}

int main(void)
{
    struct {
        trainyard_request request;
        void *later;
    } grown = {.request = {.size = sizeof grown, .path = "small/scenario.json"}};
    const trainyard_request unsized = {.path = "small/scenario.json"};
    const trainyard_request negative = {
        .size = sizeof negative, .path = "small/scenario.json", .seeds = -2};
    print(trainyard_run(NULL));
    print(trainyard_run(&unsized));
    print(trainyard_study(&unsized));
    print(trainyard_check(&negative));
    print(trainyard_run(&grown.request)); // 0: it does not use the member
    grown.later = &grown;
    print(trainyard_run(&grown.request));
    return 0;
}
SOURCE
cat >requests.wanted <<'TEXT'
2 its size is not set
2 its size is not set
2 its size is not set
2 seeds is -2, expected at least 0
0 
2 it has members that this library does not know
TEXT
holds diff requests.wanted stdout

example "Python: the same summary as the program"
trainyard run small/scenario.json --set /seed=5 --json
exit_is 0
cp stdout wanted
cat >check.py <<'PYTHON'
import json, sys, threading
import trainyard

team = sys.argv[1]
run = trainyard.run("small/scenario.json", seed=5)
wanted = json.load(open("wanted"))
wanted.pop("expectations", None)  # `trainyard test` evaluates them
assert run.summary == wanted, [key for key in wanted if run.summary.get(key) != wanted[key]]
assert run.metric("cost_usd.total") == run.summary["cost_usd"]["total"]
assert trainyard.version == sys.argv[2].split()[1]

records = []
trainyard.run("small/scenario.json", seed=5, trace=records.append)
lines = [line.rstrip("\n") for line in open("run/trace.tsv") if not line.startswith("#")][1:]
assert [record["line"] for record in records] == lines, "trace"
assert [record["at_ns"] for record in records] == [int(line.split("\t")[0]) for line in lines]

scenario = {"trainyard": 1, "catalog": ["catalog/azure-2018.json"], "until": "1h", "commands": [
    {"at": "0s", "do": "cluster.create", "name": "gpu", "config": {"properties": {
        "vmSize": "STANDARD_NC6", "scaleSettings": {"manual": {"targetNodeCount": 1}}}}}]}
assert trainyard.run(scenario).summary["clusters"]["gpu"]["vm_size"] == "STANDARD_NC6"
for broken, part in (({"trainyard": 2}, "scenario.json:1:"), ("small/none.json", "small/none.json"), ({"sead": 1}, "seed")):
    try:
        trainyard.run(broken)
        raise SystemExit(f"{broken} was run")
    except trainyard.Error as error:
        assert part in str(error), error
try:
    run.metric("cost_usd.totl")
    raise SystemExit("a wrong metric")
except trainyard.Error as error:
    assert "cost_usd.total" in str(error), error
class Stop(Exception):
    pass
def stop(record):
    raise Stop
try:
    trainyard.run("small/scenario.json", trace=stop)
    raise SystemExit("no exception")
except Stop:
    pass

study = trainyard.study(team, vary={"nodes": [1, 2]}, metrics=["cost_usd.total"], seeds=3)
open("runs.csv", "w").write(study._text(1))
open("points.csv", "w").write(study._text(2))
assert [row["nodes"] for row in study.points] == [1, 2] and len(study.runs) == 6
try:
    import pandas
    assert list(study.frame()["nodes"]) == [1, 2] and len(study.frame("runs")) == 6
except ImportError:
    print("skipped: no pandas")

# A policy in Python: the same as the shared object of the example, and one that is wrong, raises or is not pure.
backfill, shortest = sys.argv[3] + "/scheduling/backfill/scenario.json", json.load(open("shortest.summary"))
def shortest_first(now_ns, free_slots, most_slots, waiting, running, used_node_us):
    first = min(range(len(waiting)), key=lambda i: (waiting[i].expected_ns, i))
    return first if waiting[first].fits else None
chosen = trainyard.run(backfill, policy=shortest_first, check_determinism=True)
assert chosen.summary["jobs"] == shortest["jobs"]
assert chosen.summary["jobs"] != trainyard.run(backfill).summary["jobs"]
def of_error(call, **arguments):
    try:
        call(backfill, **arguments)
    except trainyard.Error as error:
        return str(error)
    raise SystemExit("no error")
assert "the policy chose job 1000, but" in of_error(trainyard.run, policy=lambda *view: 1000)
assert "the policy chose job 1000, but" in of_error(trainyard.check, policy=lambda *view: 1000)
calls = []
def moody(now_ns, free_slots, most_slots, waiting, running, used_node_us):
    second_run = any(now_ns < call for call in calls)
    calls.append(now_ns)
    return None if second_run else shortest_first(now_ns, free_slots, most_slots, waiting, running, used_node_us)
assert "record" in of_error(trainyard.run, policy=moody, check_determinism=True)
def urgent_first(now_ns, free_slots, most_slots, waiting, running, used_node_us):
    if waiting and waiting[0].fits:
        return 0
    lower = [i for i, job in enumerate(running) if waiting and job.priority < waiting[0].priority]
    return trainyard.stop(lower[0]) if lower else None
preempted = trainyard.run(sys.argv[3] + "/scheduling/priority-preemptive/scenario.json", policy=urgent_first, check_determinism=True)
assert preempted.summary["jobs"]["routine"]["restarts"] == 1
assert trainyard.check(sys.argv[3] + "/scheduling/priority-preemptive/scenario.json", policy=urgent_first).failed == []
def fails(*view):
    raise Stop
for call in (trainyard.run, trainyard.check):
    try:
        call(backfill, policy=fails)
        raise SystemExit("no exception")
    except Stop:
        pass

# An answer that is not an index is an exception, and not the index that ctypes would make of it.
for answer, raised in (("0", TypeError), (0.0, TypeError), (2**32, OverflowError), (-2**40, OverflowError)):
    try:
        trainyard.run(backfill, policy=lambda *view: answer)
        raise SystemExit(f"{answer!r} was an index")
    except raised:
        pass

# Numbers and arrays of numpy are values; the type of anything else is named.
class Array:
    def __init__(self, plain):
        self.plain = plain
    def tolist(self):
        return self.plain
    def __iter__(self):
        return map(Array, self.plain)
assert trainyard.run(team, params={"nodes": Array(2)}).summary == trainyard.run(team, params={"nodes": 2}).summary
assert len(trainyard.study(team, vary={"nodes": Array([1, 2])}, metrics=["cost_usd.total"], seeds=2).points) == 2
try:
    trainyard.run({"seed": object()})
    raise SystemExit("an object was a value")
except TypeError as error:
    assert str(error) == "a value is of type object, which JSON does not have", error

# A result may be copied in its process, and does not leave it.
import copy, pickle
copied = copy.copy(run)
for leave in (pickle.dumps, copy.deepcopy):
    try:
        leave(run)
        raise SystemExit("a result left its process")
    except TypeError as error:
        assert "pass on its members" in str(error), error
kept = run.metric("cost_usd.total")
del run
assert copied.metric("cost_usd.total") == kept
run = copied
try:
    trainyard.run(backfill, level="job")
    raise SystemExit("a wrong level")
except ValueError as error:
    assert "expected one of jobs, epochs, steps" in str(error), error
assert trainyard.study(team, vary={"nodes": [1]}, metrics="cost_usd.total", seeds=2).runs[0]["cost_usd.total"] > 0
try:
    trainyard.study(team, vary={"nodes": [1]}, metrics=["cost_usd.total"], seeds=-2)
    raise SystemExit("a negative number of seeds")
except trainyard.Error as error:
    assert "seeds is -2" in str(error), error

# Expectations, as `trainyard test` evaluates them.
for path in (team, backfill, sys.argv[3] + "/studies/k80-or-v100/study.json"):
    tested = json.load(open(path.replace("/", "_") + ".tested"))["tests"]
    assert [case["holds"] for case in trainyard.check(path).cases] == [case["holds"] for case in tested], path
    assert [case["name"] for case in trainyard.check(path).cases] == [case["name"] for case in tested], path
missed = json.load(open("small/scenario.json.plain"))
missed["expect"] = [{"metric": "cost_usd.total", "at_most": 0.01}, {"job": sorted(run.summary["jobs"])[0], "state": "succeeded"},
                    {"metric": "cost_usd.total", "seeds": 5, "statistic": "mean", "at_least": 0.001}]
json.dump(missed, open("small/missed.json", "w"))
checked = trainyard.check("small/missed.json")
assert [case["holds"] for case in checked.cases] == [True, False, True, True], checked.cases
assert checked.failed[0]["expected"] == "at most 0.01" and checked.failed[0]["at"].startswith("small/missed.json:1:"), checked.failed
try:
    trainyard.check("small/none.json")
    raise SystemExit("a missing file was checked")
except trainyard.Error as error:
    assert "small/none.json" in str(error)

summaries = [None] * 4
def work(i):
    summaries[i] = trainyard.run(team, params={"nodes": 2}).summary
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
assert all(summary == summaries[0] for summary in summaries)
PYTHON
cc -std=c11 -O2 -shared -fPIC -I prefix/include -o shortest.so "$scenarios/embed/shortest.c" || exit 3
trainyard run "$scenarios/scheduling/backfill" --policy ./shortest.so --json
cp stdout shortest.summary
for file in "$team" "$scenarios/scheduling/backfill/scenario.json" "$scenarios/studies/k80-or-v100/study.json"; do
    trainyard test "$file" --json
    exit_is 0
    cp stdout "${file//\//_}.tested"
done
sed '/^ *\/\//d' small/scenario.json >small/scenario.json.plain # without comments
trainyard run small/scenario.json --set /seed=5 --trace jobs -q -o run
exit_is 0
runs env "${preload[@]}" /usr/bin/python3 check.py "$team" "$("$TRAINYARD" --version)" "$scenarios"
stderr_is_empty
TRAINYARD_LIBRARY=./none.so /usr/bin/python3 -c 'import trainyard' >stdout 2>stderr
stderr_has "ImportError: ./none.so: cannot open shared object file"
stderr_has "TRAINYARD_LIBRARY=FILE in the environment names libtrainyard.so.0"

example "Python: its types, as mypy sees them in a program"
if command -v mypy >/dev/null; then
    cat >typed.py <<'PYTHON'
from __future__ import annotations
import trainyard
from typing import Any

def first(now_ns: int, free_slots: int, most_slots: int, waiting: list[Any], running: list[Any], used_node_us: list[int]) -> int | None:
    return 0 if waiting and waiting[0].fits else None

run = trainyard.run("scenario.json", params={"nodes": 2}, policy=first, trace=lambda record: print(record["line"]))
usd: float | None = run.metric("cost_usd.total")
warnings: list[str] = run.warnings
for row in trainyard.study("study.json", vary={"nodes": [1, 2]}, seeds=3).points:
    print(row["nodes"].real)
frame = trainyard.study({"trainyard": 1}).frame("runs")
failed: list[dict[str, Any]] = trainyard.check("scenario.json").failed
problems: list[str] = trainyard.Error(["none"]).problems
print(trainyard.version.upper())
PYTHON
    runs env MYPYPATH="$PYTHONPATH" mypy --strict --cache-dir=/dev/null typed.py
    sed -i 's/: float | None/: str/; s/: list\[str\] = run/: int = run/' typed.py
    MYPYPATH=$PYTHONPATH mypy --strict --cache-dir=/dev/null typed.py >stdout 2>stderr
    stdout_has "Found 2 errors"
else
    echo "skipped: no mypy (Debian package: mypy)"
fi

example "Python: the same tables as a sweep"
trainyard sweep "$team" --vary nodes=1,2 --metric cost_usd.total --seeds 3 -q -o swept
exit_is 0
holds cmp runs.csv swept/results.csv
holds cmp points.csv swept/points.csv
example "Python: pip makes a wheel, the same bytes twice, whose module runs in a fresh virtual environment"
if /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null; then
    alone=(env -u LD_LIBRARY_PATH -u PYTHONPATH TRAINYARD_BUILD="$build")
    runs "${alone[@]}" /usr/bin/python3 -m venv fresh
    for folder in wheels again; do
        runs "${alone[@]}" fresh/bin/pip wheel --no-index --wheel-dir $folder "$source_folder"
    done
    holds cmp wheels/trainyard-*.whl again/trainyard-*.whl
    if [ ${#sanitizers[@]} -eq 0 ]; then # its name says which C library is the earliest
        [[ $(echo wheels/*.whl) =~ -manylinux_2_([0-9]+)_ ]]
        holds [ "${BASH_REMATCH[1]:-1000}" -le "$(ldd --version | sed -n '1s/.*\.//p')" ]
    fi
    # The source distribution: the same bytes twice, and the same wheel.
    for folder in sources sources_again; do
        mkdir $folder
        PYTHONPATH=$source_folder/tools/package runs /usr/bin/python3 -c 'import python_wheel, sys; python_wheel.build_sdist(sys.argv[1])' $folder
    done
    holds cmp sources/trainyard-*.tar.gz sources_again/trainyard-*.tar.gz
    runs "${alone[@]}" fresh/bin/pip wheel --no-index --wheel-dir of_sources sources/trainyard-*.tar.gz
    holds cmp wheels/trainyard-*.whl of_sources/trainyard-*.whl
    runs "${alone[@]}" fresh/bin/pip install --no-index wheels/trainyard-*.whl
    runs "${alone[@]}" "${preload[@]}" fresh/bin/python check.py "$team" "$("$TRAINYARD" --version)" "$scenarios"
    stderr_is_empty
    runs "${alone[@]}" "${preload[@]}" fresh/bin/python -c 'import importlib.metadata, trainyard
print(trainyard._library._name, importlib.metadata.version("trainyard"))'
    holds grep -qx "$work/fresh/lib/.*/site-packages/trainyard/libtrainyard.so.0 $version" stdout
    runs "${alone[@]}" fresh/bin/pip uninstall --yes trainyard
    holds [ -z "$(find fresh -name '*trainyard*')" ]
else
    echo "skipped: no virtual environments with pip (Debian package: python3-venv)"
fi

example "the notebook: its cells as a script, and executed by Jupyter"
notebook=$source_folder/scenarios/embed/plan_a_cluster.ipynb
export SCENARIO=$team MPLBACKEND=agg HOME=$work
if /usr/bin/python3 -c 'import matplotlib, pandas' 2>/dev/null; then
    runs env "${preload[@]}" /usr/bin/python3 - "$notebook" <<'PYTHON'
import json, sys
cells = [cell for cell in json.load(open(sys.argv[1]))["cells"] if cell["cell_type"] == "code"]
assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells), "the notebook is stored without results"
exec("\n".join("".join(cell["source"]) for cell in cells))
figure.savefig("plan.png")
PYTHON
    stdout_has "2 nodes: 100.0% wait at most half an hour"
    holds test -s plan.png
else
    echo "skipped: the cells need pandas and matplotlib (Debian packages python3-pandas, python3-matplotlib)"
fi
if /usr/bin/python3 -c 'import nbconvert, ipykernel, matplotlib, pandas' 2>/dev/null; then
    runs env -u MPLBACKEND "${preload[@]}" /usr/bin/python3 -m nbconvert --to notebook --execute --output-dir . --output executed "$notebook"
    holds /usr/bin/python3 -c '
import json
outputs = [output for cell in json.load(open("executed.ipynb"))["cells"] for output in cell.get("outputs", [])]
assert any("image/png" in output.get("data", {}) for output in outputs), "no plot"
assert any("2 nodes: 100.0% wait at most half an hour" in "".join(output.get("text", "")) for output in outputs), outputs'
else
    echo "skipped: no Jupyter (Debian packages jupyter-nbconvert, python3-ipykernel)"
fi

example "the header of policies is installed with its example"
compiles shortest.so -std=c11 -shared -fPIC -I prefix/include "$(find prefix -name shortest.c)"
trainyard run "$scenarios/scheduling/shortest" --policy ./shortest.so -q
stderr_is_empty

finish
