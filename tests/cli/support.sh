# Sourced by tests/cli/test_*.sh: runs the program in $TRAINYARD as a user would and checks what it prints and returns.
# shellcheck shell=bash
#
#     example "a good scenario is valid"
#     trainyard validate good.json
#     exit_is 0
#     stdout_has "1 file is fine"
#     finish
#
# Each script works in an empty temporary folder, and programs have another one for their temporary files. Both are removed at the end.
# Prints one line per failed check and, at the end, "N passed, N failed".
set -uo pipefail

: "${TRAINYARD:?the program to test}"
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scenarios=$source_folder/scenarios
work=$(mktemp -d) || exit 3
# Programs that are killed leave temporary files: ranks of Open MPI, for example.
export TMPDIR=$work.tmp
mkdir "$TMPDIR" || exit 3
remove_folders()
{
    chmod -R u+w "$work" 2>/dev/null
    rm -rf "$work" "$work.tmp"
}
trap remove_folders EXIT
cd "$work" || exit 3
# tests/cli/small is a scenario of one job that sleeps; each script may change its copy.
cp -r "$source_folder/tests/cli/small" "$scenarios/catalog" . && mv catalog small/ || exit 3

passed=0
failed=0
title=

example()
{
    title=$1
}

trainyard()
{
    "$TRAINYARD" "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

pass_or_fail()
{
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'not ok: %s: %s\n' "$title" "$what"
        sed 's/^/    stdout: /' "$work/stdout" | head -n 5
        sed 's/^/    stderr: /' "$work/stderr" | head -n 40 # a sanitizer takes so many to say where
    fi
}

# Any command as a check.
holds()
{
    pass_or_fail "$*" "$@"
}

# holds_soon COMMAND...: the check holds within ten seconds.
holds_soon()
{
    local i
    for ((i = 0; i < 200; i++)); do
        ! "$@" 2>/dev/null || break
        sleep 0.05
    done
    holds "$@"
}

exit_is()
{
    pass_or_fail "exit code is $status, expected $1" [ "$status" -eq "$1" ]
}

stdout_has()
{
    pass_or_fail "stdout lacks \"$1\"" grep -qF -e "$1" "$work/stdout"
}

stderr_has()
{
    pass_or_fail "stderr lacks \"$1\"" grep -qF -e "$1" "$work/stderr"
}

# Prints a Python that has the module jsonschema, if there is one: Debian's own knows Debian's packages, another on PATH may know more.
python_with_jsonschema()
{
    local candidate
    for candidate in /usr/bin/python3 python3; do
        if "$candidate" -c 'import jsonschema' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# is_answer NAME: whether stdout is a document as `trainyard schema NAME` describes it; yes without an independent validator.
is_answer()
{
    local python
    python=$(python_with_jsonschema)
    [ -n "$python" ] || return 0
    "$TRAINYARD" schema "$1" >schema.json
    "$python" -c 'import json, jsonschema
schema = json.load(open("schema.json"))
jsonschema.validators.validator_for(schema).check_schema(schema)
jsonschema.validate(json.load(open("stdout")), schema)'
}

# holds has_json EXPRESSION-OF-PYTHON about `run`, the JSON on stdout.
has_json()
{
    /usr/bin/python3 -c "import json, sys; run = json.load(open('stdout')); sys.exit(not ($1))"
}

stderr_is_empty()
{
    pass_or_fail "stderr is not empty" [ ! -s "$work/stderr" ]
}

stdout_is_empty()
{
    pass_or_fail "stdout is not empty" [ ! -s "$work/stdout" ]
}

stderr_begins()
{
    local first
    first=$(head -n 1 "$work/stderr")
    pass_or_fail "stderr begins with
      $first
    expected
      $1" [ "$first" = "$1" ]
}

has_no_escapes()
{
    pass_or_fail "stdout or stderr has terminal escapes" awk '/\033/ { exit 1 }' "$work/stdout" "$work/stderr"
}

# is_documented TABLE NAME...: scenarios/FORMAT.md has the columns of TABLE, a file of a study with these factors and metrics.
is_documented()
{
    /usr/bin/python3 - "$scenarios/FORMAT.md" "$@" <<'EOF'
import csv, sys
reference = open(sys.argv[1]).read()
names = sys.argv[3:]
columns = next(csv.reader(open(sys.argv[2])))
for name in names:
    columns = ["M" + c[len(name):] if c == name or c.startswith(name + ".") else c for c in columns]
missing = {c for c in columns if c != "M" and f"`{c}`" not in reference}
sys.exit(f"{sys.argv[2]}: {missing} of {columns}" if missing else 0)
EOF
}

# Whether this machine can start the programs next to trainyard directly: not if they are for another machine and an emulator runs
# the tests.
starts_programs()
{
    "$(dirname "$TRAINYARD")/trainyard-make-cifar" --images 1 "$work/probe" >/dev/null 2>&1
}

finish()
{
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
