#!/usr/bin/env bash
# Lays out all C, C++ and CUDA files by .clang-format; with --check only says which files differ, exit 1.
# The layout is that of clang-format 14 (Debian 12): other versions differ in details.
set -euo pipefail
cd "$(dirname "$0")/.."

clang_format=$(command -v clang-format-14 || command -v clang-format) ||
    { echo "format: clang-format is missing (package clang-format-14)" >&2; exit 3; }
mapfile -t files < <(find sim reports real trainer emu tools tests -regex '.*\.\(c\|h\|cc\|cu\|cuh\)' | LC_ALL=C sort)

case ${1:-} in
"") "$clang_format" -i "${files[@]}" ;;
--check) "$clang_format" --dry-run --Werror "${files[@]}" ;;
*) echo "usage: tools/format.sh [--check]" >&2; exit 2 ;;
esac
