#!/usr/bin/env bash
# Prints the kernels of a training step of the tutorial's network, from the captured graph: grid, bytes, operations, registers, code, and
# a lower bound of their time on each GPU of the catalogue (tools/kernel_table.py has the formulas). Needs no GPU. The graph comes from
# the emulation of a GPU; registers, shared memory and code from ptxas, if there is an nvcc.
#
#   tools/kernel_table.sh [--batch IMAGES] [--build DIR] [--sm CAPABILITY] [GPU...]
# --batch   images of a step (32)
# --build   a build without CUDA, for the emulation (build/release)
# --sm      compile for this capability only, such as 90; otherwise for each of the catalogue that nvcc knows, which takes minutes
# GPU       of the catalogue; without one, all of them. The table of kernels is for the last one.
# Exit codes: 0, 1 on failure, 2 for wrong options.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
source tools/usage.sh

batch=32 build=build/release sm='' gpus=()
while [ $# -gt 0 ]; do
    case $1 in
    --batch | --build | --sm)
        [ $# -ge 2 ] || wrong_usage
        declare "${1#--}=$2"
        shift
        ;;
    -*) wrong_usage ;;
    *) gpus+=("$1") ;;
    esac
    shift
done
[[ $batch =~ ^[1-9][0-9]*$ ]] || { echo "kernel_table: --batch is a number of images" >&2; exit 2; }

# resources SM: the registers, the shared memory and the bytes of code of all kernels for a compute capability. Sources that have not
# changed are not compiled again.
resources()
{
    local sm=$1 source folder=build/kernel_table report
    for source in trainer/cuda/kernels/*.cu; do
        report=$folder/parts/$sm.$(basename "$source" .cu)
        [ -n "$(find "$source" trainer/cuda/kernels/*.cuh trainer/cuda/kernels/*.h trainer/cuda/toolkit/*.h -newer "$report" 2>/dev/null || echo missing)" ] ||
            continue
        "$nvcc" -cubin -arch="sm_$sm" -std=c++17 -O3 -I. -Xptxas -v -o "$report.cubin" "$source" 2>"$report.new"
        readelf -SW "$report.cubin" | sed -nE 's/.* \.text\.(\S+) +PROGBITS +\S+ +\S+ +([0-9a-f]+) .*/code \2 \1/p' >>"$report.new"
        rm "$report.cubin"
        mv "$report.new" "$report"
    done
    cat "$folder/parts/$sm".* >"$folder/$sm.txt"
}

[ -f "$build/CMakeCache.txt" ] || cmake --preset release -B "$build" >&2
cmake --build "$build" --target kernel_table >&2
mkdir -p build/kernel_table/parts
rm -f build/kernel_table/*.txt
nvcc=$(command -v nvcc || compgen -G /usr/local/cuda/bin/nvcc) || nvcc=
if [ -n "$nvcc" ]; then
    for each in ${sm:-$(tail -n +2 tools/kernel_table_gpus.csv | cut -d , -f 2 | sort -u)}; do
        ! "$nvcc" --list-gpu-code | grep -qx "sm_$each" || resources "$each"
    done
fi
python3 tools/kernel_table.py "$build/bin/kernel_table" build/kernel_table "$batch" "${gpus[@]}"
