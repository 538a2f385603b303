#!/usr/bin/env bash
# Compares two folders that runs have written, byte for byte.
#
#   tools/same_files.sh FOLDER FOLDER
#
# Names what differs; exit code 1 if anything does. Checkpoints and data that stand for many bytes are holes without contents:
# of files above 4 MiB only the size is looked at.
set -euo pipefail

contents()
{
    (
        cd "$1"
        find . -printf '%y %P\n' | LC_ALL=C sort
        find . -type f -printf '%s %P\n' | LC_ALL=C sort -k 2
        find . -type f -size -4097k -print0 | LC_ALL=C sort -z | xargs -0r sha256sum
    )
}

[ $# -eq 2 ] || { sed -n '4p' "$0" >&2; exit 2; }
differing=$({ diff <(contents "$1") <(contents "$2") || true; } | sed -n 's/^[<>] [^ ]* *//p' | LC_ALL=C sort -u)
[ -n "$differing" ] || exit 0
echo "$1 and $2 differ in: ${differing//$'\n'/ }"
exit 1
