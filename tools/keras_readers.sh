#!/usr/bin/env bash
# Checks that other programs can read the files that the trainer writes:
#
#   tools/keras_readers.sh [--offline] [BUILD_FOLDER]     (default: builds preset release)
# h5py reads a checkpoint in the way of Keras' load_model (tests/readers/check_model.py). TensorFlow.js loads the checkpoint and a
# model that `trainyard train` has trained, and must predict the same as `trainyard evaluate` (tests/readers/predict.mjs). npm
# downloads TensorFlow.js into build/readers once; --offline leaves it out. Ends with "N passed, N failed" and exit code 1 if any
# check failed, or 77 if a reader is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

is_offline=false
[ "${1:-}" != --offline ] || { is_offline=true; shift; }
build=${1:-build/release}
if [ $# -eq 0 ]; then
    cmake --preset release >/dev/null
    cmake --build --preset release --target write_model trainyard-make-cifar trainyard-evaluate trainyard-train
fi
bin=$(cd "$build" && pwd)/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check()
{
    echo "$1"
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

skip()
{
    [ "$failed" -eq 0 ] || exit 1
    echo "keras_readers: skipped: $*"
    exit 77
}

# npm installs packages next to package.json, so a copy of package.json is used outside the sources.
fetch_tensorflow()
{
    local cache=build/readers
    mkdir -p "$cache"
    cp tests/readers/package.json tests/readers/package-lock.json tests/readers/predict.mjs "$cache"
    if ! cmp -s "$cache/package-lock.json" "$cache/fetched"; then
        rm -f "$cache/fetched"
        (cd "$cache" && npm ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 >npm.log 2>&1) || return 1
        cp "$cache/package-lock.json" "$cache/fetched"
    fi
}

# predict_with_tensorflow MODEL BACKEND
predict_with_tensorflow()
{
    "$bin/trainyard-evaluate" "$1" --data-dir "$work/data" --backend "$2" \
        --predictions "$work/predictions.tsv" --batch-size 5 || return 1
    node build/readers/predict.mjs "$1" "$work/data/test_batch.bin" "$work/predictions.tsv"
}

# Uses 20 times the script's learning rate, so that predictions are distinct after a few steps.
train_and_predict_with_tensorflow()
{
    "$bin/trainyard-train" --data-dir "$work/data" --dir "$work/trained" --limit 10 --batch-size 5 --steps 2 --epochs 10 \
        --learning-rate 0.002 --verbose 0 >/dev/null || return 1
    predict_with_tensorflow "$work/trained/saved_models/keras_cifar10_trained_model.h5" ref
}

"$bin/write_model" "$work/model.h5" 7
if $is_offline; then
    /usr/bin/python3 -c 'import h5py' 2>/dev/null || skip "no h5py for /usr/bin/python3 (Debian package python3-h5py)"
    check "h5py reads a checkpoint as Keras does" /usr/bin/python3 tests/readers/check_model.py "$work/model.h5"
else
    command -v node >/dev/null && command -v npm >/dev/null || skip "no node and npm (Debian packages nodejs, npm)"
    fetch_tensorflow || skip "npm could not fetch TensorFlow.js (offline?): $(grep -m 1 -E 'npm (ERR!|error) code' build/readers/npm.log)"
    "$bin/trainyard-make-cifar" --images 12 "$work/data" >/dev/null
    check "TensorFlow.js predicts the same as plain C" predict_with_tensorflow "$work/model.h5" ref
    check "TensorFlow.js predicts the same as the fastest backend" predict_with_tensorflow "$work/model.h5" auto
    check "TensorFlow.js predicts the same as plain C with a trained model" train_and_predict_with_tensorflow
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
