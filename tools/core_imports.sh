#!/usr/bin/env bash
# Lists the symbols that sim/base, sim/model, sim/engine and sim/cloud import from elsewhere; fails if a symbol is not in the list below.
#
#   tools/core_imports.sh [BUILD_FOLDER]     (default: builds preset release)
#
# The simulated world must be a function of its scenario and seed alone, which the linker can prove. A symbol that is not in the list
# (a clock, a file, a socket, a locale, a thread, the environment, JSON) is a design question before it is a bug.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

# symbols | why the simulator may use them
allowed='
calloc realloc free                                 | memory, by way of sim/base
madvise                                             | large arenas in huge pages; the advice changes no contents
bcmp memchr memcmp memcpy memmove memset            | bytes; compilers also generate calls to these
strchr strcmp strcspn strlen strncmp strrchr strspn | text, by byte value: no locale
snprintf vsnprintf                                  | messages; integers and strings print alike in every locale
sqrt                                                | exact by IEEE 754, the same bits everywhere
qsort                                               | the orders in sim/cloud/policy are total: one result
abort _Exit fprintf fputs fwrite stderr             | the last message: a broken invariant, no memory
'
# Symbols that compilers add: arithmetic on 128 bits, fortified variants of the above (_FORTIFY_SOURCE), the stack protector,
# position-independent code.
generated='^(__u?(div|mod|divmod)ti[34]|__(mem(cpy|move|set)|str(cat|cpy)|v?snprintf|fprintf)_chk|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$'

build=${1:-build/release}
if [ $# -eq 0 ]; then
    cmake --preset release >/dev/null
    cmake --build --preset release --target trainyard_base trainyard_model trainyard_core
fi
libraries=()
for layer in base model core; do
    library=$(find "$build" -name "libtrainyard_$layer.a")
    [ -n "$library" ] || { echo "core_imports: no libtrainyard_$layer.a under $build" >&2; exit 3; }
    libraries+=("$library")
done

defined=$(nm --defined-only "${libraries[@]}" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort -u)
# "object.o symbol" for each import of an object file.
imports=$(nm -A --undefined-only "${libraries[@]}" | awk '$2 == "U" { split($1, path, ":"); print path[2], $3 }' | LC_ALL=C sort -u)

newcomers=$(awk -v allowed="$allowed" -v defined="$defined" -v generated="$generated" '
    BEGIN {
        rows = split(allowed, row, "\n")
        for (i = 1; i <= rows; i++) {
            sub(/\|.*/, "", row[i])
            count = split(row[i], symbol, " ")
            for (j = 1; j <= count; j++)
                known[symbol[j]] = 1
        }
        count = split(defined, symbol, "\n")
        for (i = 1; i <= count; i++)
            known[symbol[i]] = 1
    }
    !($2 in known) && $2 !~ generated { printf "%s imports %s\n", $1, $2 }' <<<"$imports")

if [ -n "$newcomers" ]; then
    echo "$newcomers"
    echo "core_imports: not in the list of tools/core_imports.sh. If the world needs it, pass it in from outside (as a value or an" \
        "interface that an upper layer implements). Only functions with the same result on every machine may be added to the list." >&2
    exit 1
fi
echo "sim/base, sim/model, sim/engine and sim/cloud import only allowed symbols:"
comm -23 <(awk '{ print $2 }' <<<"$imports" | LC_ALL=C sort -u) <(echo "$defined") | paste -sd ' ' | fold -s -w 100
