#!/usr/bin/env bash
# The scripts in tools: each says what it does with --help, and tools/README.md leads to it.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

for script in "$source_folder"/tools/*.sh "$source_folder"/tools/*.py; do
    [ -x "$script" ] || continue
    name=tools/${script##*/}
    example "$name --help prints the beginning of its manual"
    holds grep -qF "\`$name\`" "$source_folder/tools/README.md"
    if [[ $name = *.sh && $name != tools/test.sh ]] && ! grep -q "^source .*usage\.sh" "$script"; then
        holds false # it would do its work
        continue
    fi
    (cd "$source_folder/tools" && timeout 60 "./${script##*/}" --help) </dev/null >stdout 2>stderr
    status=$?
    exit_is 0
    holds [ ! -s stderr ]
    [ "$name" = tools/test.sh ] && continue
    begin=$(sed -En '2 { s/^(# |""")//; s/^([^ ]+ [^ ]+ [^ ]+).*/\1/p }' "$script")
    holds [ -n "$begin" ]
    stdout_has "$begin"
done

example "wrong options print the manual too"
for name in format.sh learning_curve.sh swarm.sh validate.sh kernel_table.sh gpu_check.sh same_files.sh; do
    "$source_folder/tools/$name" --no-such-option </dev/null >stdout 2>stderr
    status=$?
    exit_is 2
    stderr_has "tools/$name"
done
finish
