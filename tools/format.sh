#!/usr/bin/env bash
# Lays out all C, C++ and CUDA files by .clang-format.
#
#   tools/format.sh            changes the files
#   tools/format.sh --check    only prints which files differ; exit code 1 if there are any
#
# The layout is that of clang-format 14 (Debian 12): other versions differ in details.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

clang_format=$(command -v clang-format-14 || command -v clang-format) ||
    { echo "format: clang-format is missing (package clang-format-14)" >&2; exit 3; }
mapfile -t files < <(find sim reports real trainer emu tools tests -regex '.*\.\(c\|h\|cc\|cu\|cuh\)' | LC_ALL=C sort)

case ${1:-} in
"") "$clang_format" -i "${files[@]}" ;;
--check) "$clang_format" --dry-run --Werror "${files[@]}" ;;
*) wrong_usage ;;
esac
