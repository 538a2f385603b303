#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy); exit code 1 if there are findings.
#
#   tools/lint.sh [FILE...]     (default: all C, C++ and CUDA files)
#
# Kernels are checked as the tests compile them for the processor: as C++, with the headers of tests/trainer/cuda/emulation.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

clang_tidy=$(command -v clang-tidy-14 || command -v clang-tidy) ||
    { echo "lint: clang-tidy is missing (package clang-tidy)" >&2; exit 3; }
cmake --preset clang >/dev/null
files=("$@")
[ $# -gt 0 ] || mapfile -t files < <(find sim reports real trainer emu tools tests -regex '.*\.\(c\|cc\|cu\)' | LC_ALL=C sort)

# One process per file: the analyzer of clang-tidy 14 carries state from file to file and then reports uninitialised va_lists.
# "N warnings generated" counts suppressed warnings of system headers, so these lines are removed.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" "$clang_tidy" --quiet -p build/clang 2> >(grep -v 'warnings\? generated\|warnings\? treated' >&2)
