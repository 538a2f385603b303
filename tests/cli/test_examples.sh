#!/usr/bin/env bash
# Every example of --help, unchanged, in the order in which a reader meets it; and every shipped file against the JSON Schema that
# the program prints.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"

# The examples are for the project's root; scenarios/ is all they need of it.
mkdir root bin
cp -r "$scenarios" root/
# Their first word is `trainyard`, also inside $(...) and after a pipe.
ln -s "$TRAINYARD" bin/trainyard

# The lines below "Example:", without their indentation.
examples_of()
{
    "$TRAINYARD" "$@" --help | sed -n '/^Example:$/,$ { /^Example:$/d; s/^  //p; }'
}

verbs_of()
{
    "$TRAINYARD" --help | sed -n '/^Verbs:$/,/^$/ s/^  \([a-z-]*\)  .*/\1/p'
}

# 1 where the answer of an example is no: its two runs differ.
exit_code_of_example()
{
    case $1 in
    "trainyard diff "*) echo 1 ;;
    *) echo 0 ;;
    esac
}

# The trainer's are for a whole set and take minutes to hours; test_train, test_launch, test_compare and others do the same with a
# few images; those of speed are for idle machines.
is_long()
{
    [[ $1 =~ trainyard\ (train|evaluate|make-cifar|launch|bench-training|bench-allreduce|calibrate|compare)(\ |$) ]]
}

# serve_as COMMAND: runs it unchanged except for the ports, which may be in use, and /tmp, which may contain another emulator's
# state.
serve_as()
{
    rm -f ready.json
    (cd root && PATH=$work/bin:$PATH exec bash -c "exec ${1//\/tmp\//$work/} --port 0 --plain-port 0 --ready-file $work/ready.json") >served 2>log &
    server=$!
    wait_until_served
}

# Where the emulator was left out, so were its verbs.
is_there()
{
    [[ ! $1 =~ ^(serve|az-env|export)$ ]] || [ -x "$(dirname "$TRAINYARD")/trainyard-serve" ]
}

for verb in "" $(verbs_of); do
    is_there "$verb" || continue
    # shellcheck disable=SC2086 # without a verb there is no word
    mapfile -t lines < <(examples_of $verb)
    example "trainyard $verb --help has an example"
    holds [ "${#lines[@]}" -gt 0 ]
    [ "$verb" != az-env ] || serve_as "trainyard serve"
    for line in "${lines[@]}"; do
        ! is_long "$line" && [[ ! $line =~ fish ]] || continue
        example "$line"
        if [ "$verb" = serve ]; then
            holds serve_as "$line"
            end TERM
            exit_is 0
            continue
        fi
        (cd root && PATH=$work/bin:$PATH bash -o pipefail -c "$line") >stdout 2>stderr
        status=$?
        exit_is "$(exit_code_of_example "$line")"
        stderr_is_empty
    done
    [ "$verb" != az-env ] || end TERM
done

# Shipped scenarios, catalogues, cluster.json and job.json, and the summary.json of every golden run.
validate_shipped()
{
    "$1" - "$scenarios" "$source_folder/tests/golden" <<'PYTHON'
import json, pathlib, sys
import jsonschema

schemas = {kind: json.load(open(f"{kind}.schema.json")) for kind in ("scenario", "cluster", "job", "catalog", "study", "summary")}
for schema in schemas.values():
    jsonschema.validators.validator_for(schema).check_schema(schema)

def without_comments(text):
    # Scenarios may have lines of comment; strings that hold // stay.
    return "\n".join("" if line.lstrip().startswith("//") else line for line in text.splitlines())

counts = {kind: 0 for kind in schemas}
paths = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).rglob("*.json"))]
for path in paths:
    kind = "catalog" if path.parent.name == "catalog" else next((kind for kind in schemas if path.name.startswith(kind)), None)
    if kind is None:
        continue
    jsonschema.validate(json.loads(without_comments(path.read_text())), schemas[kind])
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
