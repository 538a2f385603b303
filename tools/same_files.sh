#!/usr/bin/env bash
# Compares the output folders of two runs byte for byte.
#
#   tools/same_files.sh FOLDER FOLDER
#
# Prints the names of files that differ; exit code 1 if there are any. For files above 4 MiB only the size is compared: checkpoints and
# data sets are sparse files without contents.
set -euo pipefail
source "$(dirname "$0")/usage.sh"

contents()
{
    (
        cd "$1"
        find . -printf '%y %P\n' | LC_ALL=C sort
        find . -type f -printf '%s %P\n' | LC_ALL=C sort -k 2
        find . -type f -size -4097k -print0 | LC_ALL=C sort -z | xargs -0r sha256sum
    )
}

[ $# -eq 2 ] || wrong_usage
differing=$({ diff <(contents "$1") <(contents "$2") || true; } | sed -n 's/^[<>] [^ ]* *//p' | LC_ALL=C sort -u)
[ -n "$differing" ] || exit 0
echo "$1 and $2 differ in: ${differing//$'\n'/ }"
exit 1
