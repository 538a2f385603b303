#!/usr/bin/env bash
# From nothing to the tutorial's report: installs what is missing, builds, runs the CIFAR-10 tutorial.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup.sh

output=out/cifar10-horovod

setup "$build_needs"
# A warning of a newer compiler is no reason not to try.
cmake --preset release -DBUILD_TESTING=OFF -DTRAINYARD_WERROR=OFF
cmake --build --preset release --target all

echo
build/release/bin/trainyard run scenarios/cifar10-horovod/scenario.json -o "$output"
echo
echo "The report of this run: file://$PWD/$output/report.html"
echo "Its timeline, for https://ui.perfetto.dev: $output/timeline.json"
echo "What the job left on the file share: $output/share/"
