#!/usr/bin/env bash
# Every example of a README that shows what a command prints: its lines are in the output, in this order. "…" stands for lines
# that are left out, and at the end of a line for its rest. Blocks that start the emulator, which ends only on request, are
# followed by tests/clients/test_readme.py.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

readme=$source_folder/README.md

mkdir root bin
cp -r "$scenarios" root/
ln -s "$TRAINYARD" bin/trainyard

# Blocks that begin with "$ trainyard" in the READMEs, one file each: block.1, block.2, ...
awk 'FNR == 1 { inside = 0 }
     /^```/ { inside = !inside; is_first = 1; next }
     inside && is_first { is_first = 0; wanted = /^\$ trainyard/ && !/^\$ trainyard serve/; if (wanted) count++ }
     inside && wanted { print > ("block." count) }' "$readme" "$source_folder"/*/README.md

# The lines of FILE that are not in the output after the one before them.
missing()
{
    awk 'NR == FNR { line[++count] = $0; next }
         /^…$/ { next }
         { found = 0; begins = sub(/…$/, "")
           for (i = at + 1; i <= count && !found; i++)
               if (line[i] == $0 || (begins && index(line[i], $0) == 1)) { at = i; found = 1 }
           if (!found) print }' stdout "$1"
}

example "the README shows a whole scenario"
sed -n '/^```json$/,/^```$/{/^```/!p}' "$readme" >scenario.shown
holds cmp scenario.shown "$scenarios/studies/cifar-team/scenario.json"

example "the README has at most 1,500 words"
holds [ "$(wc -w <"$readme")" -le 1500 ]

example "the READMEs show what commands print"
holds [ -e block.1 ]
for block in block.*; do
    : >stdout
    while read -r command; do
        example "README: $command"
        (cd root && PATH=$work/bin:$PATH bash -c "$command") >>stdout 2>/dev/null || true
    done < <(sed -n 's/^\$ \(trainyard .*\)/\1/p' "$block")
    grep -v '^\$ trainyard' "$block" >"$block.lines"
    missing "$block.lines" >"$block.missing"
    cat "$block.missing"
    holds [ ! -s "$block.missing" ]
done

# The number of entries in SECTION of a catalogue.
entries()
{
    /usr/bin/python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))[sys.argv[2]]))' "$scenarios/catalog/$1.json" "$2"
}

# The number of rows in the table MACRO of a header.
rows()
{
    awk -v macro="$2(X)" '$1 == "#define" { is_inside = $2 == macro } is_inside { count += gsub(/ X\(/, "") } !/\\$/ { is_inside = 0 }
                          END { print count }' "$source_folder/$1"
}

# STATUS.md says "NUMBER WHAT"; numbers up to twelve may be words.
counts()
{
    local words=(no one two three four five six seven eight nine ten eleven twelve)
    pass_or_fail "STATUS.md does not say \"$1 $2\"" grep -qE "\b($1|${words[$1]:-$1}) $2" "$source_folder/STATUS.md"
}

example "STATUS.md counts what there is"
: >stdout
: >stderr
recipes=("$scenarios"/recipes/*/) recordings=("$scenarios"/recordings/*/)
counts "${#recipes[@]}" "published recipes"
counts "${#recordings[@]}" "recorded sessions"
counts "$(entries failures failure_models)" "models with sources"
counts "$(rows sim/cloud/spec/command.h FAULT_KINDS)" "kinds\)"
counts "$(rows sim/cloud/spec/scenario.h POLICIES)" "scheduling policies"
counts "$(entries networks networks)" "networks, all VM sizes"
counts "$(entries throughput stacks)" "stacks of software"
finish
