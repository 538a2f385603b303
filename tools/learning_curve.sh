#!/usr/bin/env bash
# Checks that the trainer learns: trains the tutorial's network on the synthetic set (seed 1) and checks the validation accuracy.
#
#   tools/learning_curve.sh [--epochs N] [--bin DIR] [-- OPTION...]
#                                                 one rank, N epochs (3): at least 0.50 after epoch 3, 0.62 after epoch 10
#   tools/learning_curve.sh --full [--bin DIR]    the whole job of four ranks, 25 epochs, under mpirun
# The whole job trains on 5.0 million images. If it is started again, it continues from its last checkpoint. It writes
# reports/measured/learning-4-ranks.tsv and .svg. DIR contains the programs; without --bin the preset release is built. OPTIONs are
# those of `trainyard train`, such as --backend cuda. Trainings are stored in build/learning.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

# epoch:least validation accuracy. One rank of a prototype with the same network and set reached 0.54 and 0.65. The bars are lower, to
# allow for other seeds and other arithmetic.
bars=(3:0.50 10:0.62)
epochs_least=3
full_ranks=4
full_epochs=25 # 100 epochs divided by four ranks, as in the job's script
folder=build/learning
data=$folder/cifar10
measured=reports/measured/learning-$full_ranks-ranks

build()
{
    bin=build/release/bin
    cmake --preset release >/dev/null
    cmake --build --preset release --target trainyard trainyard-make-cifar trainyard-train >/dev/null
}

# Replaces an existing set, which does no harm because the same seed gives the same bytes.
make_data()
{
    mkdir -p "$folder"
    "$bin/trainyard" make-cifar --seed 1 --force --quiet "$data"
}

# train FOLDER EPOCHS [LAUNCHER...]: continues from the last checkpoint of FOLDER, if there is one.
train()
{
    local place=$1 epochs=$2 resume=()
    shift 2
    mkdir -p "$place"
    if compgen -G "$place/logs/checkpoint-*.h5" >/dev/null; then
        resume=(--resume latest)
    fi
    "$@" "$bin/trainyard" train --dir "$place" --data-dir "$data" --epochs "$epochs" --verbose 2 "${resume[@]}" "${options[@]}" \
        >>"$place/stdout.txt"
}

# check HISTORY EPOCHS: prints a line for each bar; fails if a bar is missed.
check()
{
    local history=$1 epochs=$2 bar status=0
    for bar in "${bars[@]}"; do
        if ((${bar%:*} <= epochs)); then
            awk -F '\t' -v epoch="${bar%:*}" -v least="${bar#*:}" '
                $1 == epoch { seen = 1; met = $5 + 0 >= least + 0
                              printf "epoch %d: validation accuracy %s, at least %s: %s\n", epoch, $5, least, (met ? "met" : "MISSED") }
                END { if (!seen) printf "epoch %d: no row in the history: MISSED\n", epoch
                      exit !met }' "$history" || status=1
        fi
    done
    return $status
}

one_rank()
{
    local place=$folder/one-rank
    rm -rf "$place"
    train "$place" "$1"
    cut -f 1-5 "$place/logs/history.tsv"
    check "$place/logs/history.tsv" "$1"
}

# Draws the report's plot of training and validation accuracy with the measured data.
plot()
{
    {
        echo "width = 640; body = 260; key_height = 18; epochs = $full_epochs; x_step = 5; curves = 2; has_points = 0"
        echo "kinds = 2; y_end = 100; y_format = '%g %%'"
        echo "array kind_name[2] = ['validation', 'training, with dropout and augmentation']; array kind_rgb[2] = [0x4477AA, 0xEE6677]"
        echo "array kind_x[2] = [0, 100]; array kind_y[2] = [9, 9]"
        echo "array curve_rgb[2] = [0x4477AA, 0xEE6677]; array curve_dash[2] = [1, 1]"
        echo '$curves << END'
        awk -F '\t' '/^[0-9]/ { print $1, 100 * $5 }' "$measured.tsv"
        printf '\n\n'
        awk -F '\t' '/^[0-9]/ { print $1, 100 * $3 }' "$measured.tsv"
        echo 'END'
        cat reports/figure/plots/style.gp
        echo "set output '$measured.svg'"
        cat reports/figure/plots/learning.gp
    } | LC_ALL=C.UTF-8 gnuplot --default-settings -
}

full()
{
    local place=$folder/$full_ranks-ranks
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    if [ "$(awk '/^[0-9]/ { epoch = $1 } END { print epoch + 0 }' "$place/logs/history.tsv" 2>/dev/null)" != "$full_epochs" ]; then
        train "$place" "$full_epochs" mpirun -n "$full_ranks" --oversubscribe --bind-to none --map-by slot
    fi
    mkdir -p "$(dirname "$measured")"
    {
        echo "# tools/learning_curve.sh --full: $full_ranks ranks on $(nproc) cores, synthetic set of seed 1"
        sed 1d "$place/logs/history.tsv" | cut -f 1-5,7,8
    } >"$measured.tsv"
    plot
    cat "$measured.tsv"
}

bin=
epochs=$epochs_least
is_full=
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --full) is_full=1 ;;
    --epochs | --bin)
        [ $# -ge 2 ] || wrong_usage
        declare "${1#--}=$2"
        shift
        ;;
    --)
        options=("${@:2}")
        break
        ;;
    *) wrong_usage ;;
    esac
    shift
done
[[ $epochs =~ ^[0-9]+$ ]] && ((epochs >= epochs_least)) || wrong_usage
[ -n "$bin" ] || build
make_data
if [ -n "$is_full" ]; then
    full
else
    one_rank "$epochs"
fi
