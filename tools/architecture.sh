#!/usr/bin/env bash
# Holds ARCHITECTURE.md against the code and fails where the two part:
#
#   - a file includes what the row of its layer does not name ("Layers");
#   - a file stands in no table of files, or a table names what is not there.
#
# A row of "Layers" names what its files may include beside their own layer: layers (those of sim/ by their last part) and single
# headers. A table of files has its folder in the head; `net` is net.c and net.h, in folders below too, `shell_*` are all that begin
# so, `verbs/` is a whole folder.
set -euo pipefail
cd "$(dirname "$0")/.."

page=ARCHITECTURE.md
folders=(sim reports real trainer emu)
sources=(-name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh')
failures=0

# --- Who includes whom ---

wrong=$(grep -rnE '^#include "' --include='*.[ch]' --include='*.cu' --include='*.cuh' "${folders[@]}" | LC_ALL=C sort |
    awk -v page="$page" '
    # The layer of a path: the longest that it lies in; "" for what is none of ours.
    function layer_of(path) {
        while (sub(/\/[^\/]*$/, "", path))
            if (path in rows)
                return path
        return ""
    }
    function trimmed(text) {
        gsub(/^[ `]+|[ `]+$/, "", text)
        return text
    }
    BEGIN {
        while ((getline line <page) > 0) {
            if (line ~ /^## /)
                is_inside = line == "## Layers"
            if (!is_inside || line !~ /^\| `/)
                continue
            split(line, cell, "|")
            count = split(cell[2], names, ",")
            for (i = 1; i <= count; i++)
                rows[trimmed(names[i])] = cell[4]
        }
        for (layer in rows) {
            count = split(rows[layer], names, /[,;]/)
            for (i = 1; i <= count; i++) {
                name = trimmed(names[i])
                if (name == "nothing of ours")
                    continue
                if (!(name in rows) && ("sim/" name) in rows)
                    name = "sim/" name
                if (!(name in rows) && (name !~ /\.h$/ || layer_of(name) == "" || (getline line <name) <= 0))
                    printf "%s: row %s names %s, which is no layer or header\n", page, layer, name
                may[layer, name] = 1
            }
        }
    }
    {
        split($0, place, ":")
        split($0, quoted, "\"")
        from = layer_of(place[1])
        to = layer_of(quoted[2])
        if (from == "")
            printf "%s: %s is in no layer\n", page, place[1]
        else if (to != "" && to != from && !((from, to) in may) && !((from, quoted[2]) in may))
            printf "%s:%s: includes %s, but the row of %s in %s has no %s\n", place[1], place[2], quoted[2], from, page, to
    }')
if [ -n "$wrong" ]; then
    echo "$wrong"
    failures=1
fi

# --- Where every file stands ---

# "folder pattern" for each name in the first column of a table of files.
mapfile -t names < <(awk '
    /^\| ---/ { split(head, cell, "|"); folder = ""; if (match(cell[2], /`[^`]+`/)) folder = substr(cell[2], RSTART + 1, RLENGTH - 2) }
    !/^\|/ { folder = "" }
    folder != "" && !/^\| ---/ {
        split($0, cell, "|")
        while (match(cell[2], /`[^`]+`/)) {
            print folder, substr(cell[2], RSTART + 1, RLENGTH - 2)
            cell[2] = substr(cell[2], RSTART + RLENGTH)
        }
    }
    { head = $0 }' "$page")

declare -A is_named=()
while read -r path; do
    is_named[$path]=
done < <(find "${folders[@]}" \( "${sources[@]}" \))
for name in "${names[@]}"; do
    folder=${name%% *} pattern=${name#* }
    [[ $pattern == */ ]] && pattern+='*'
    stem=${pattern%.*}
    is_there=
    for path in "${!is_named[@]}"; do
        [[ $path == "$folder"/* ]] || continue
        within=${path#"$folder"/}
        within=${within%.*}
        # shellcheck disable=SC2053 # the right side is a pattern
        if [[ $within == $stem || ( $stem != */* && ${within##*/} == $stem ) ]]; then
            is_named[$path]=yes
            is_there=yes
        fi
    done
    if [ -z "$is_there" ] && [ ! -d "$folder/${pattern%/\*}" ]; then
        echo "$page: the table of $folder names $pattern, which is not there"
        failures=1
    fi
done
unnamed=$(for path in "${!is_named[@]}"; do [ -n "${is_named[$path]}" ] || echo "$path: stands in no table of $page"; done | LC_ALL=C sort)
if [ -n "$unnamed" ]; then
    echo "$unnamed"
    failures=1
fi
[ "$failures" -eq 0 ] || exit 1
echo "$page: ${#is_named[@]} files stand in its tables and include what their layers may"
