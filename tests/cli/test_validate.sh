#!/usr/bin/env bash
# trainyard validate: each way to break a good scenario, and the first line that it gives.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "the good scenario is valid, and so are its parts"
trainyard validate small/scenario.json small/cluster.json small/job.json
exit_is 0
stderr_is_empty

# which file | sed that breaks it | first line on stderr
broken='
scenario.json | s/"seed": 7/"sead": 7/                | small/scenario.json:4:3: unknown key "sead"
'
while IFS='|' read -r file edit expected; do
    [ -n "$file" ] || continue
    file=${file// /}
    example "$file with $edit"
    cp -r small good
    sed -i -e "$edit" "small/$file"
    trainyard validate small/scenario.json
    exit_is 2
    stdout_is_empty
    stderr_begins "${expected# }"
    trainyard run small/scenario.json -o never
    exit_is 2
    holds [ ! -e never ]
    rm -r small
    mv good small
done <<<"$broken"

finish
