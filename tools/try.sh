#!/usr/bin/env bash
# Installs missing packages, builds, and runs the CIFAR-10 tutorial with its report.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
source tools/setup.sh

output=out/cifar10-horovod

setup "$build_needs"
# Newer compilers may warn; that must not stop a first try.
cmake --preset release -DBUILD_TESTING=OFF -DTRAINYARD_WERROR=OFF
cmake --build --preset release --target all

echo
build/release/bin/trainyard run scenarios/cifar10-horovod/scenario.json -o "$output"
echo
echo "The report of this run: file://$PWD/$output/report.html"
echo "Its timeline, for https://ui.perfetto.dev: $output/timeline.json"
echo "The files of the job on the file share: $output/share/"
