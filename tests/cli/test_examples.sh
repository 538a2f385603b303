#!/usr/bin/env bash
# Every example of --help, unchanged, in the order in which a reader meets it; and every shipped file against the JSON Schema that
# the program prints.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"

# The examples are for the project's root; scenarios/ and the measurements that one names are all they need of it.
mkdir -p root/reports/measured bin share
cp -r "$scenarios" root/
cp "$source_folder/reports/measured/validation-zen4.tsv" root/reports/measured/
# Their first word is `trainyard`, also inside $(...) and after a pipe.
ln -s "$TRAINYARD" bin/trainyard
# The policy that an example names.
cc -std=c11 -O2 -shared -fPIC -I "$source_folder/sim/cloud/policy" -o root/mine.so "$scenarios/embed/shortest.c" || exit 3
# A calibration takes minutes: for it the benchmarks are stand-ins, which print the times of a machine that does not exist.
mkdir calibrated
cp "$TRAINYARD" "$(dirname "$TRAINYARD")/trainyard-calibrate" calibrated/
cp "$source_folder/tests/cli/files/bench_training.sh" calibrated/trainyard-bench-training
cp "$source_folder/tests/cli/files/bench_allreduce.sh" calibrated/mpirun
cp calibrated/mpirun calibrated/trainyard-bench-allreduce
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 4 and 5

# The lines below "Example:", without their indentation.
examples_of()
{
    "$TRAINYARD" "$@" --help | sed -n '/^Example:$/,$ { /^Example:$/d; s/^  //p; }'
}

verbs_of()
{
    "$TRAINYARD" --help | sed -n '/^Verbs:$/,/^$/ s/^  \([a-z-]*\)  .*/\1/p'
}

# The exit codes of an example: 1 where its answer is no, as its two runs differ; a comparison of stated or earlier times with those
# of this machine, on which other tests run, may have either answer.
exit_codes_of_example()
{
    case $1 in
    "trainyard diff "*) echo 1 ;;
    "trainyard compare "*" --tolerance "* | "trainyard compare "*" --data "* | "trainyard calibrate "*"--check "*) echo "0 1" ;;
    *) echo 0 ;;
    esac
}

# What an example of a real training prints on stderr: what was trained, and on how many images.
reports_progress()
{
    [[ $1 =~ trainyard\ (launch|compare)\ .*--data\  ]]
}

# Why an example cannot run here.
is_impossible()
{
    case $1 in
    *"--comm nccl"*) echo "two GPUs" ;;
    *"--precision bf16"*) grep -qw avx512f /proc/cpuinfo || echo "a processor with AVX-512" ;;
    "mpirun "* | *" launch "* | *" compare "*" --data "*) command -v mpirun >/dev/null || echo "mpirun (Debian package: openmpi-bin)" ;;
    "sacct "*) echo "a cluster of Slurm" ;;
    *fish*) echo "the shell fish" ;;
    esac
}

# line_here LINE: the example as it runs here: a data set of 100 images instead of 50,000, two timed steps instead of 20, a plan without the
# 3,960 runs about its answer, this test's folder instead of /tmp, and one folder of the scenarios, all of which ctest's test `scenarios`
# runs.
line_here()
{
    local line=${1//\/tmp\//$work/}
    [ "$line" != "trainyard make-cifar cifar10" ] || line="trainyard make-cifar --force --images 20 cifar10"
    line=${line/bench-training --steps 20/bench-training --warmup 1 --steps 2}
    line=${line/%study.json -o out\/team/study.json --sensitivity none -o out\/team}
    [ "$line" != "trainyard test scenarios/" ] || line="trainyard test scenarios/quotas/"
    echo "$line"
}

# serve_as COMMAND: runs it unchanged except for the ports, which may be in use, and /tmp, which may contain another emulator's
# state.
serve_as()
{
    rm -f ready.json
    (cd root && PATH=$work/bin:$PATH exec bash -c "exec $(line_here "$1") --port 0 --plain-port 0 --ready-file $work/ready.json") >served 2>log &
    server=$!
    wait_until_served
}

# Where the emulator was left out, so were its verbs.
is_there()
{
    [[ ! $1 =~ ^(serve|az-env|export)$ ]] || [ -x "$(dirname "$TRAINYARD")/trainyard-serve" ]
}

# What others use comes first: the data, then the model that is trained on it.
for verb in "" make-cifar train $(verbs_of | grep -vx -e make-cifar -e train); do
    is_there "$verb" || continue
    # shellcheck disable=SC2086 # without a verb there is no word
    mapfile -t lines < <(examples_of $verb)
    example "trainyard $verb --help has an example"
    holds [ "${#lines[@]}" -gt 0 ]
    [ "$verb" != az-env ] || serve_as "trainyard serve"
    path=$work/bin:$PATH
    [ "$verb" != calibrate ] || path=$work/calibrated:$PATH
    for line in "${lines[@]}"; do
        example "$line"
        lacking=$(is_impossible "$line")
        if [ -n "$lacking" ]; then
            echo "skipped: $line, which needs $lacking"
            continue
        fi
        if [ "$verb" = serve ]; then
            holds serve_as "$line"
            end TERM
            exit_is 0
            continue
        fi
        (cd root && PATH=$path bash -o pipefail -c "$(line_here "$line")") >stdout 2>stderr
        status=$?
        pass_or_fail "exit code is $status" grep -qw -e "$status" <<<"$(exit_codes_of_example "$line")"
        reports_progress "$line" || stderr_is_empty
    done
    [ "$verb" != az-env ] || end TERM
done

# Shipped scenarios, catalogues, cluster.json and job.json, and the summary.json of every golden run.
validate_shipped()
{
    "$1" - "$scenarios" "$source_folder/tests/golden" <<'PYTHON'
import json, pathlib, sys
import jsonschema

validators = {}
for kind in ("scenario", "cluster", "job", "catalog", "study", "summary"):
    schema = json.load(open(f"{kind}.schema.json"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    validators[kind] = validator(schema)

def without_comments(text):
    # Scenarios may have lines of comment; strings that hold // stay.
    return "\n".join("" if line.lstrip().startswith("//") else line for line in text.splitlines())

counts = {kind: 0 for kind in validators}
paths = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).rglob("*.json"))]
for path in paths:
    kind = "catalog" if path.parent.name == "catalog" else next((kind for kind in validators if path.name.startswith(kind)), None)
    if kind is None:
        continue
    validators[kind].validate(json.loads(without_comments(path.read_text())))
    counts[kind] += 1
assert all(counts.values()), counts
print(counts)
PYTHON
}

for kind in scenario cluster job catalog study summary; do
    "$TRAINYARD" schema $kind >$kind.schema.json
done
python=$(python_with_jsonschema)
if [ -n "$python" ]; then
    example "every shipped file is valid by the schema that the program prints"
    validate_shipped "$python" >stdout 2>stderr
    status=$?
    exit_is 0
    example "scenarios/FORMAT.md is what the tables say"
    trainyard schema --markdown
    exit_is 0
    holds cmp -s stdout "$scenarios/FORMAT.md"
    example "the schema refuses what the program refuses"
    sed -i 's/"seed"/"sead"/' small/scenario.json
    "$python" -c 'import json, jsonschema
jsonschema.validate(json.load(open("small/scenario.json")), json.load(open("scenario.schema.json")))' >stdout 2>stderr
    status=$?
    exit_is 1
    stderr_has "sead"
else
    echo "skipped: no independent JSON Schema validator (Debian package python3-jsonschema)"
fi

finish
