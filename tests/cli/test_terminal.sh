#!/usr/bin/env bash
# Every verb on a terminal and without one: colour, NO_COLOR, --color, a locale without UTF-8, and a help whose example exists.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
if ! command -v script >/dev/null || ! starts_programs; then
    echo "skipped: no script (Debian package: bsdutils), or programs for another machine"
    exit 77
fi

# verb | arguments that fail, with a message on stderr
cat >table <<'TABLE'
run|nowhere.json
sweep|nowhere.json --metric cost_usd.total
plan|nowhere.json
advise|nowhere.json
merge|nowhere -o x
show|nowhere
launch|nowhere.json
validate|nowhere.json
test|nowhere.json
explain|nowhere.json
diff|nowhere elsewhere
report|nowhere
predict|--model nothing
import|philly nowhere
waits|nowhere list.csv
compare|nowhere.json
schema|nothing
completion|nothing
calibrate|--from nowhere -o x.json
train|--data nowhere
evaluate|nowhere.h5
make-cifar|--images 0 folder
bench-training|--batch-size 0
bench-allreduce|--min-size 0
serve|--listen nowhere
az-env|--state nowhere --check
sqlite|nowhere
export|--state nowhere
TABLE

example "the table has every verb"
"$TRAINYARD" help >help
sed -n '/^Verbs:/,/^$/s/^  \([a-z-]*\)  .*/\1/p' help | grep -v '^help$' | sort >verbs
holds cmp -s verbs <(cut -d'|' -f1 table | sort)

# on_terminal VARIABLE=VALUE... -- COMMAND...: its output on a terminal, in stdout.
on_terminal()
{
    local variables=()
    while [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    shift
    env -u NO_COLOR -u CLICOLOR_FORCE "${variables[@]}" script -qec "$*" /dev/null </dev/null >stdout
    true >stderr
}
has_colour()
{
    grep -q $'\033\\[' "$1"
}
has_none()
{
    ! has_colour "$1"
}
is_ascii()
{
    ! LC_ALL=C grep -q '[^ -~[:space:]]' "$1"
}

while IFS='|' read -r verb arguments; do
    example "$verb"
    read -ra words <<<"$arguments"
    trainyard "$verb" "${words[@]}"
    pass_or_fail "it fails" [ "$status" -ne 0 ]
    holds has_none stderr
    trainyard "$verb" --color=always "${words[@]}"
    holds has_colour stderr
    trainyard "$verb" "--color" never "${words[@]}"
    holds has_none stderr
    NO_COLOR=1 CLICOLOR_FORCE=1 trainyard "$verb" "${words[@]}"
    holds has_none stderr
    on_terminal TERM=xterm -- "$TRAINYARD" "$verb" "$arguments"
    holds has_colour stdout
    on_terminal NO_COLOR=1 -- "$TRAINYARD" "$verb" "$arguments"
    holds has_none stdout
    trainyard "$verb" --color=sometimes "${words[@]}"
    exit_is 2
    on_terminal LC_ALL=C -- "$TRAINYARD" "$verb" --help
    holds is_ascii stdout
    # Lines of text have at most 80 characters; those of lists and examples are not filled.
    holds awk '/^ |^Usage/ { next } length > 81 { exit 1 }' stdout
    holds grep -q '^Example:' stdout
    grep -A99 '^Example:' stdout | tr -d '\r' >example_lines
    holds grep -qE "trainyard(-| )?[a-z ]*\\b$verb\\b" example_lines
done <table

example "files and pipes have the same bytes in every locale, a terminal without UTF-8 has ASCII"
cp -r "$source_folder/tests/cli/compare" . && cp "$scenarios"/catalog/*.json compare/
LC_ALL=C.UTF-8 trainyard compare compare/scenario.json --measured compare/measured
mv stdout utf8
LC_ALL=C trainyard compare compare/scenario.json --measured compare/measured
holds cmp -s stdout utf8
holds grep -q '^· input' stdout
on_terminal LC_ALL=C -- "$TRAINYARD" compare compare/scenario.json --measured compare/measured
holds is_ascii stdout
holds grep -q '^- input' stdout
on_terminal LC_ALL=C.UTF-8 -- "$TRAINYARD" compare compare/scenario.json --measured compare/measured
holds grep -q '^· input' stdout

finish
