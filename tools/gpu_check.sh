#!/usr/bin/env bash
# Checks trainyard on a machine with a GPU that one has for minutes: builds it with CUDA, tests it on the GPU, compares its speed with
# PyTorch, trains, and compares predictions with measurements. Needs no network and no installation of trainyard.
#
#   tools/gpu_check.sh [--quick] [--continue] [--packed DIR | --bin DIR] [--output DIR] [STEP...]
#   tools/gpu_check.sh pack [DIR]     on a machine with Debian's packages: collects libraries and programs for other machines
#   tools/gpu_check.sh libraries [DIR]            the same without programs
#   tools/gpu_check.sh configure FOLDER OPTION... configures a build with the packed libraries, with options of CMake
#   tools/gpu_check.sh table FILE     prints the table of an existing gpu_check.json
# --quick     do less in each step, and finish in under ten minutes
# --continue  keep the results in --output, and run only the steps that have not passed there
# --packed    use the folder that `pack` has filled (build/gpu_check/packed): libraries, and programs if none can be built
# --bin       check the programs in DIR instead of building them
# --tiny      do only the minimum that tests this script, with any backend
# --output    write the results to DIR (build/gpu_check/result): gpu_check.json and summary.txt, which have the results so far after each
#             step, the output of each step, and all of them as gpu_check.tar.gz
# Steps, the most valuable first; without STEP all of them run. Each ends within nine minutes. If one fails, the others still run:
#
#   build      with CUDA, and with NCCL, cuDNN and MPI if they are found (in the toolkit's folders or python3's packages)
#   tests      of kernels and backend, on the GPU (ctest -L gpu)
#   twins      the same training with plain C and on the GPU
#   twice      the same training again gives the same bits, in each precision
#   resume     continues from a checkpoint with the same bits
#   speed      steps alternating with PyTorch's best form and with our kernels alone, in each precision; engines of each layer
#   profile    time, occupancy, traffic and stalls of each kernel of a step, by NVIDIA's profiler
#   pauses     how long evaluations and checkpoints hold up steps
#   calibrate  calibrates the GPU, and compares predicted steps of other batch sizes with measured ones
#   compare    predicts a whole training, and compares it with a real one
#   learning   accuracy on the synthetic set, with the bars of tools/learning_curve.sh
#   initcheck, memcheck, racecheck    compute-sanitizer on the kernels' tests and a short training, with our own kernels
#   limits     products of matrices, copies and kernels, through PyTorch
#   ranks      two ranks on one GPU by MPI, and on two GPUs by NCCL: the same bits (several ranks need Open MPI)
#   allreduce  sums over all ranks by size, checked
# Exit codes: 0, 1 if a step failed, 2 for wrong options, 3 if there is no GPU.
set -euo pipefail
self=$(realpath "$0")
from=$PWD
cd "$(dirname "$self")/.."
source tools/usage.sh

# step | seconds, at most | with --quick
steps='
build     540 240
tests     300 120
twins     120  60
twice     120  60
resume     60  40
speed     540 180
profile   300 100
pauses     60  40
calibrate 540 150
compare   300 120
learning  540 100
initcheck 300  80
memcheck  300  80
racecheck 300  80
limits    120  40
ranks     180  60
allreduce 120  40
'
quick_s=${quick_s:-570} # all steps together
programs=(trainyard trainyard-train trainyard-evaluate trainyard-bench-training trainyard-bench-allreduce trainyard-make-cifar trainyard-calibrate)
base=build/gpu_check

# Makes a path absolute, relative to the caller's folder.
path_of()
{
    (cd "$from" && realpath -m "$1")
}

say()
{
    echo "gpu_check: $*" >&2
}

# --- Packing

# Debian package | its files for include/ and lib/. HDF5's serial build is in a separate
# folder. librandom123-dev has only headers. HDF5 and check need zlib, libaec and subunit.
packed_needs='
libhdf5-dev      | include/hdf5/serial/. libhdf5_serial.a
zlib1g-dev       | libz.a
libaec-dev       | libaec.a libsz.a
libgsl-dev       | include/gsl libgsl.a libgslcblas.a
librandom123-dev | include/Random123
check            | include/check.h include/check_stdint.h libcheck.a
libsubunit-dev   | libsubunit.a
'

# Open MPI's components that need libraries of special networks, or serve OpenSHMEM and files.
mpi_left_out='ucx|ofi|psm|openib|netlink|monitoring|coll_sm\.|atomic|memheap|scoll|spml|sshmem|fbtl|fcoll|_fs_|_io_|sharedfp'

# pack_mpi FOLDER: mpirun, its components and the libraries that they need, for any place (tools/packed/mpi_environment.sh).
pack_mpi()
{
    local folder=$1 from item
    from=/usr/lib/$(gcc -dumpmachine)
    mkdir -p "$folder"/{bin,lib/openmpi3,include,share,etc}
    cp -rL "$from/openmpi/include/." "$folder/include/"
    cp -L /usr/bin/orterun "$folder/bin/mpirun"
    cp -L /usr/bin/orted "$folder/bin/orted"
    cp -r /usr/share/openmpi "$folder/share/"
    : >"$folder/etc/openmpi-mca-params.conf"
    for item in "$from"/openmpi/lib/openmpi3/mca_*.so; do
        [[ $item =~ /mca_.*($mpi_left_out) ]] || cp -L "$item" "$folder/lib/openmpi3/"
    done
    cp -L "$from"/libmpi.so.40 "$folder/lib/"
    # glibc is every machine's own.
    ldd "$folder"/bin/* "$folder"/lib/libmpi.so.40 "$folder"/lib/openmpi3/*.so 2>/dev/null | awk '$2 == "=>" { print $3 }' | sort -u |
        grep -vE '/(ld-linux.*|libc|libm|libdl|libpthread|librt|libutil|libresolv)\.so' | while read -r item; do
        cp -L "$item" "$folder/lib/"
    done
}

# configure FOLDER OPTION...: for GPUs, with the packed libraries if there are any. The backend on
# the processor is plain C.
configure()
{
    local options=(-B "$1" -DTRAINYARD_WERROR=OFF -DTRAINYARD_ONEDNN=OFF -DTRAINYARD_EMULATOR=OFF "${@:2}")
    [ -z "$packed" ] || options+=(-DCMAKE_MODULE_PATH="$PWD/tools/packed" -DTRAINYARD_PACKED="$packed")
    command -v ninja >/dev/null || options+=(-G "Unix Makefiles")
    cmake --preset gpu "${options[@]}"
}

pack_libraries()
{
    local folder=$1 package items item libraries
    libraries=/usr/lib/$(gcc -dumpmachine)
    rm -rf "${folder:?}"/{include,lib,bin,mpi,licences}
    mkdir -p "$folder"/{include,lib,bin,licences}
    while IFS='|' read -r package items; do
        package=${package// /}
        [ -n "$package" ] || continue
        for item in $items; do
            case $item in
            include/*) cp -rL "/usr/$item" "$folder/include/" ;;
            *) cp -L "$libraries/$item" "$folder/lib/" ;;
            esac || { say "install the package $package first"; exit 3; }
        done
        cp -L "/usr/share/doc/$package/copyright" "$folder/licences/$package"
    done <<<"$packed_needs"
    if [ -e "$libraries/libmpi.so.40" ]; then
        pack_mpi "$folder/mpi"
        cp -L /usr/share/doc/openmpi-bin/copyright "$folder/licences/openmpi-bin"
    fi
}

pack()
{
    local folder=$1 item
    pack_libraries "$folder"
    # Builds programs, which proves that the packed libraries suffice. The programs are used on machines that cannot build. They need
    # no libraries that may be missing there. They are small, with code for sm_80 and sm_90, which drivers compile for later GPUs.
    packed=$(realpath "$folder")
    configure "$base/pack" -DCMAKE_CUDA_ARCHITECTURES="80-real;90" -DCMAKE_CUDA_FLAGS="-Xfatbin -compress-all" \
        -DTRAINYARD_{NCCL,CUBLAS,CUDNN}=OFF
    cmake --build "$base/pack" --parallel "$(nproc)" --target "${programs[@]}" gpu_tests
    for item in "${programs[@]}" $(cd "$base/pack/bin" && echo test_*cuda*); do
        strip -o "$folder/bin/$item" "$base/pack/bin/$item"
    done
    ldd --version | sed -n '1s/.* //p' >"$folder/bin/glibc"
    du -sh "$folder"
}

# --- Steps. Each runs in a separate shell, with a time limit. `note` adds a note to the table, `figure NAME` stores a file of
# --- figures for the JSON, and `skip` ends a step that cannot run on this machine.

note()
{
    echo "note: $*"
}

skip()
{
    note "$*"
    exit 77
}

figure()
{
    cat >"$out/figures/$1"
}

trainyard()
{
    "$bin/trainyard" "$@"
}

# Prints the precisions that this GPU supports. The first step that needs them finds them.
precisions()
{
    local precision
    [ -s "$scratch/precisions" ] || for precision in fp32 tf32 bf16; do
        [ -n "$tiny" ] && [ $precision != fp32 ] ||
            ! trainyard bench-training --backend cuda --engine own --precision $precision --steps 1 --warmup 0 --batch-size 1 >/dev/null ||
            echo $precision
    done >"$scratch/precisions.new"
    [ ! -e "$scratch/precisions.new" ] || mv "$scratch/precisions.new" "$scratch/precisions"
    cat "$scratch/precisions"
}

# A small set for the trainings below, and its size.
images=2000 batch=32
make_data()
{
    data=$scratch/data
    [ -z "$tiny" ] || { images=2 batch=1; }
    trainyard make-cifar --images "$images" --force --quiet "$data"
}

# train FOLDER EPOCHS OPTION...: starts a training.
train()
{
    rm -rf "${scratch:?}/$1"
    continue_training "$@"
}

continue_training()
{
    "${launcher[@]}" "$bin/trainyard" train --dir "$scratch/$1" --data-dir "$data" --limit "$images" --batch-size "$batch" \
        --epochs "$2" --verbose 2 "${@:3}"
}
launcher=()

# same A B EPOCH: compares the checkpoints of two trainings.
same()
{
    cmp "$scratch/$1/logs/checkpoint-$3.h5" "$scratch/$2/logs/checkpoint-$3.h5"
}

step_build()
{
    local options=() gpus
    gpus=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u | tr -d '. ' | paste -sd ';') || true
    [[ ! $gpus =~ ^[0-9\;]+$ ]] || options=(-DCMAKE_CUDA_ARCHITECTURES="$gpus")
    configure "$base/build" "${options[@]}"
    cmake --build "$base/build" --parallel "$(nproc)" --target "${programs[@]}" gpu_tests
    note "$(gcc --version | head -n 1)${packed:+, with the packed libraries}"
}

step_tests()
{
    local program suite status=0 passed=0
    compgen -G "$bin/test_*cuda*" >/dev/null || skip "there are no tests next to the programs"
    for program in "$bin"/test_*cuda*; do
        for suite in $("$program" --list); do
            echo "--- $program $suite"
            # Barriers that some threads do not reach may hang a GPU.
            if timeout --kill-after 5 60 "$program" "$suite"; then # a skipped suite has not passed either
                passed=$((passed + 1))
            else
                status=1
                note "$(basename "$program") $suite failed"
            fi
        done
    done
    note "$passed suites passed"
    return $status
}

# Compares the loss of an epoch of few steps, after which fp32 on the GPU is still close to double
# precision.
step_twins()
{
    make_data
    [ -n "$tiny" ] || { images=64 batch=8; }
    train ref 1 --backend ref
    train gpu 1 --backend cuda
    paste "$scratch"/{ref,gpu}/logs/history.tsv | awk -F '\t' '/^1\t/ {
        half = NF / 2
        printf "note: loss %s with plain C, %s on the GPU\n", $2, $(half + 2)
        difference = $(half + 2) / $2 - 1
        seen = 1; bad = difference > 0.005 || difference < -0.005
    } END { exit !seen || bad }'
}

step_resume()
{
    make_data
    train whole 2 --backend cuda --deterministic
    train parts 1 --backend cuda --deterministic
    continue_training parts 2 --backend cuda --deterministic --resume latest
    same whole parts 2
    note "the same bits"
}

step_twice()
{
    local precision all status=0
    make_data
    all=$(precisions)
    for precision in $all; do
        if train first 2 --backend cuda --deterministic --precision "$precision" &&
            train second 2 --backend cuda --deterministic --precision "$precision" && same first second 2; then
            note "the same bits in $precision"
        else
            status=1
            note "$precision failed"
        fi
    done
    return $status
}

# need_mpi RANKS: sets `launcher` to start RANKS ranks, also as root in a container and on few
# cores.
need_mpi()
{
    command -v mpirun >/dev/null || skip "several ranks need Open MPI: there is no mpirun on PATH (Debian package: openmpi-bin)"
    "$bin/trainyard" bench-allreduce --comm mpi -e 8 >/dev/null 2>&1 || skip "several ranks need Open MPI: these programs were built without it"
    # shellcheck source=tests/trainer/comm/mpi/support.sh
    source tests/trainer/comm/mpi/support.sh
    launcher=(mpirun -n "$1")
}

gpu_count()
{
    local listed
    listed=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || true
    [ -z "${CUDA_VISIBLE_DEVICES:-}" ] || listed=$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | wc -l)
    echo $((listed > 0 ? listed : 1))
}

# A sum of two values does not depend on their order. Two ranks therefore get the same bits with MPI
# and NCCL, if the engines are fixed.
step_ranks()
{
    local gpu=${CUDA_VISIBLE_DEVICES:-0}
    need_mpi 2
    make_data
    CUDA_VISIBLE_DEVICES=${gpu%%,*} train mpi 2 --backend cuda --deterministic --comm mpi
    CUDA_VISIBLE_DEVICES=${gpu%%,*} train again 2 --backend cuda --deterministic --comm mpi
    same mpi again 2
    note "MPI: 2 ranks on one GPU, the same bits twice"
    if [ "$(gpu_count)" -lt 2 ]; then
        note "NCCL: one GPU"
        return
    fi
    train nccl 2 --backend cuda --deterministic --comm nccl
    same mpi nccl 2
    note "NCCL: the same bits on 2 GPUs"
}

# allreduce NAME
allreduce()
{
    local sizes=(-b 1KiB -e 64MiB -f 4)
    [ -z "$tiny" ] || sizes=(-b 1KiB -e 4KiB -n 2 -w 1)
    "${launcher[@]}" "$bin/trainyard" bench-allreduce --comm "$1" "${sizes[@]}" --check --json | figure "allreduce.$1.json"
    note "$1"
}

step_allreduce()
{
    local gpus
    gpus=$(gpu_count)
    need_mpi 2
    allreduce mpi
    if [ "$gpus" -gt 1 ]; then
        need_mpi "$gpus"
        allreduce nccl
    fi
}

step_learning()
{
    local precision all epochs=10 status=0
    [ -z "$tiny" ] || skip "a training cannot learn from so few images"
    [ -z "$quick" ] || epochs=3
    all=$(precisions)
    for precision in $all; do
        echo "--- $precision"
        tools/learning_curve.sh --epochs $epochs --bin "$bin" -- --backend cuda --precision "$precision" || status=1
        figure "learning.$precision.tsv" <build/learning/one-rank/logs/history.tsv
        note "$precision" "$(awk -F '\t' '/^[0-9]/ { accuracy = $5 } END { print accuracy }' build/learning/one-rank/logs/history.tsv)"
    done
    return $status
}

# Skips the step unless python3 has a PyTorch that sees a GPU.
need_torch()
{
    python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
        skip "python3 has no PyTorch with a GPU"
}

step_limits()
{
    need_torch
    python3 tests/bench/peers/torch_limits.py | figure limits.json
}

# bench OPTION...: a line of JSON with the time of steps on the GPU.
bench()
{
    trainyard bench-training --backend cuda --json "$@" | tr -d '\n' | sed 's/$/\n/'
}

# speed_row PRECISION BATCH: measures trainyard, its own kernels alone and each form of PyTorch alternately, with a line of JSON
# for each.
speed_row()
{
    local precision=$1 batch=$2 steps round form answer flags=() ours
    steps=$((images / batch > steps_least ? images / batch : steps_least))
    ours=(--precision "$precision" --batch-size "$batch" --steps "$steps" --warmup "$steps_least")
    case $precision in
    tf32) flags=(--tf32) ;;
    bf16) flags=(--amp) ;;
    esac
    for ((round = 0; round < rounds; round++)); do
        bench "${ours[@]}"
        bench "${ours[@]}" --engine own | sed 's/^{/{"peer": "own",/'
        for form in "${forms[@]}"; do
            echo "--device cuda --batch $batch --bench $steps --warmup $steps_least ${flags[*]} $form" >&"$to_peer"
            read -r answer <&"$from_peer"
            echo "$answer"
        done
    done | tee "$out/figures/speed.$precision.$batch.jsonl"
    [ -n "$quick$tiny" ] ||
        bench --precision "$precision" --batch-size "$batch" --steps "$steps_least" --profile | figure "stages.$precision.$batch.json"
}

step_speed()
{
    local all precision batch batches=(32 128 1024) images=262144 steps_least=64 rounds=5 status=0
    forms=("--graph --layout nhwc" "--graph --layout nchw" "--layout nhwc")
    [ -z "$quick" ] || { images=65536 rounds=1 forms=("--graph --layout nhwc" "--graph --layout nchw"); }
    [ -z "$tiny" ] || { batches=(1) images=1 steps_least=1 rounds=1; }
    all=$(precisions)
    if (need_torch) >/dev/null; then
        # One process for all measurements, because PyTorch takes seconds to start.
        coproc PEER { exec python3 tests/bench/peers/torch_cifar.py --serve; }
        # Copies, because bash closes a coprocess' own descriptors in subshells.
        exec {to_peer}>&"${PEER[1]}" {from_peer}<&"${PEER[0]}"
    else
        note "without PyTorch"
        forms=()
    fi
    for batch in "${batches[@]}"; do
        for precision in $all; do
            speed_row "$precision" "$batch" || { status=1; note "$precision, $batch images failed"; }
        done
    done
    return $status
}

# The profiled steps of an epoch run while the checkpoint before it is written. Each is a separate graph, and has a time.
step_pauses()
{
    make_data
    train pauses 3 --backend cuda --deterministic --timeline --profile
    figure timeline.tsv <"$scratch/pauses/logs/timeline.rank0.tsv"
}

# --- Predictions

# judged STATUS: an error above its tolerance (exit code 1 of compare) is a result, not a failure.
judged()
{
    [ "$1" -le 1 ] || return "$1"
    [ "$1" -eq 0 ] || note "an error is above its tolerance"
}

# The calibration and the measurements that judge it, as tools/validate.sh makes them.
step_calibrate()
{
    local options=(--bin "$bin" --backend cuda --ranks 1 --name gpu -o "$out/figures/validation") status=0
    [ -z "$tiny" ] || skip "this takes longer than a test"
    [ -z "$quick" ] || options+=(--quick)
    tools/validate.sh "${options[@]}"
    add_catalog
    options=(--matrix "$out/figures/validation/validation-gpu.tsv" --catalog "$scratch/catalog/local-gpu.json")
    trainyard compare "${options[@]}" || status=$?
    trainyard compare "${options[@]}" --json | figure calibration.json || true # its verdict is that of the line before
    judged $status
}

# The catalogue of this GPU among those that it builds on.
add_catalog()
{
    rm -rf "$scratch/catalog"
    cp -r scenarios/catalog "$scratch/"
    if [ -n "$tiny" ]; then
        # The tests have no calibration of an emulated GPU: the times of a processor predict there, under the name of a GPU.
        sed -i 's/local-core/local-gpu/g' "$scratch/catalog/local-example.json"
    else
        cp "$out/figures/validation/local-gpu.json" "$scratch/catalog/"
    fi
}

step_compare()
{
    local epochs=5 of=gpu images=() status=0 options
    [ -z "$tiny" ] || { epochs=1 of=example images=(--images 1); }
    [ -n "$tiny" ] || [ -s "$out/figures/validation/local-gpu.json" ] || skip "the GPU has no calibration"
    trainyard make-cifar "${images[@]}" --force --quiet "$scratch/cifar10"
    rm -rf "$scratch/compare" "$scratch/scenario"
    cp -r scenarios/local/tutorial "$scratch/scenario"
    sed -i "s/local-example/local-$of/" "$scratch/scenario/scenario.json"
    add_catalog
    options=("$scratch/scenario/scenario.json" --set "/programs/0/epochs=$epochs"
        --set /commands/1/config/properties/customMpiSettings/processCount=1)
    [ -z "$tiny" ] || options+=(--set /programs/0/batch_per_rank=1)
    trainyard compare "${options[@]}" --real cuda --data "$scratch/cifar10" -o "$scratch/compare" || status=$?
    judged $status
    figure compare.json <"$scratch/compare/compare.json"
}

# sanitize TOOL
sanitize()
{
    local sanitizer all checked suite suites status=0 short=(--steps 2 --warmup 1 --batch-size 8)
    sanitizer=$(command -v compute-sanitizer || compgen -G "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer") ||
        skip "compute-sanitizer is missing"
    all=$(precisions)
    # The third step runs as a graph, so graphs are checked, too.
    for precision in $all; do
        checked=("$sanitizer" --tool "$1" --error-exitcode 9 --print-limit 10
            "$bin/trainyard-bench-training" --backend cuda --engine own --precision "$precision" "${short[@]}")
        echo "--- ${checked[*]}"
        "${checked[@]}" 2>&1 | tee "$scratch/sanitizer.txt" || status=1
        ! grep -q "Device not supported" "$scratch/sanitizer.txt" || skip "compute-sanitizer does not support this GPU here"
    done
    if [ "$1" != initcheck ]; then # tests leave memory uninitialised on purpose
        suites=(between head image_product input loss update)
        [ -n "$quick" ] || suites+=(fused product)
        for suite in "${suites[@]}"; do
            [ ! -x "$bin/test_trainer_cuda" ] ||
                "$sanitizer" --tool "$1" --error-exitcode 9 --print-limit 10 "$bin/test_trainer_cuda" "$suite" || status=1
        done
    fi
    return $status
}

step_memcheck()
{
    sanitize memcheck
}

step_racecheck()
{
    sanitize racecheck
}

step_initcheck()
{
    sanitize initcheck
}

# One step, the first, which runs kernel by kernel: as a graph, steps are one piece for the profiler. The shuffle before it has as many
# kernels, which no step has.
step_profile()
{
    local profiler precision all metrics batch=32 status=0
    [ -z "$tiny" ] || batch=1
    profiler=$(command -v ncu || compgen -G "${CUDA_HOME:-/usr/local/cuda}/bin/ncu") || skip "NVIDIA's profiler ncu is missing"
    metrics=$(python3 tools/gpu_report.py --metrics)
    all=$(precisions)
    for precision in $all; do
        "$profiler" --clock-control none --csv --page raw --metrics "$metrics" --kernel-name "regex:$profiled" \
            --launch-count "$profiled_count" "$bin/trainyard-bench-training" --backend cuda --engine own --precision "$precision" \
            --batch-size "$batch" --steps 1 --warmup 0 | figure "kernels.$precision.csv" || status=1
        grep -q '^"[0-9].*update_kernel' "$out/figures/kernels.$precision.csv" || { status=1; note "the profiler saw no whole step in $precision"; }
    done
    return $status
}
profiled='input_kernel|image_|multiply|head_kernel|loss_kernel|sieve|add_parts|update_kernel|transpose|bias|mask|sum_rows|narrow'
profiled_count=48 # a step and a bit

# --- The runner

# Fails with one line if there is no GPU. With --bin the programs are asked, because their cuda
# backend may be an emulation.
find_gpu()
{
    local answer
    [ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -eq 0 ] || return 0
    if [ -z "$bin" ]; then
        say "there is no NVIDIA GPU: nvidia-smi lists none"
        return 1
    fi
    answer=$(trainyard bench-training --backend cuda --engine own --steps 1 --warmup 0 --batch-size 1 --json 2>&1 >/dev/null) ||
        { say "there is no GPU: $(head -n 1 <<<"$answer")"; return 1; }
}

# run_step NAME SECONDS: runs a step and writes its state, seconds and notes to steps.tsv.
run_step()
{
    local name=$1 limit=$2 status=0 begin=$SECONDS state notes
    # timeout runs in a separate process group, which includes all processes of the step.
    timeout --kill-after 10 "$limit" bash "$self" --step "$name" </dev/null >"$out/log/$name.txt" 2>&1 &
    running=$!
    wait $running || status=$?
    running=
    notes=$(sed -n 's/^note: //p' "$out/log/$name.txt" | paste -sd ';' | sed "s/;/; /g; s|$PWD/||g")
    case $status in
    0) state=passed ;;
    77) state=skipped ;;
    124 | 137) state=failed notes="took longer than $limit s${notes:+; $notes}" ;;
    *) state=failed notes=${notes:-$(tail -n 1 "$out/log/$name.txt" | sed "s|$PWD/||g")} ;;
    esac
    [ $state != failed ] || failures=$((failures + 1))
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$state" $((SECONDS - begin)) "$limit" "$notes" >>"$out/steps.tsv"
    printf '%-10s %-8s %4d s  %s\n' "$name" "$state" $((SECONDS - begin)) "$notes"
    begin_report
}

# Writes gpu_check.json and prints the table.
report()
{
    python3 tools/gpu_report.py "$out" "${origin:-nothing was built}" "$bin/.." "${bin:+$bin/trainyard}"
}

# Starts to write the results so far, while the next step runs: the machine may be gone at any time. The programs name the machine's
# libraries, so that there is no report before they are chosen.
begin_report()
{
    [ -n "$origin" ] || return 0
    end_report
    report >"$out/summary.txt" &
    reporting=$!
}

end_report()
{
    [ -z "$reporting" ] || wait "$reporting" || say "the results so far were not written"
    reporting=
}

# True if programs were built, now or in an earlier run if this run has no build step.
is_built()
{
    [ -x "$base/build/bin/trainyard-train" ] && ! grep -q $'^build\tfailed' "$out/steps.tsv"
}

# Chooses the programs that the other steps check: built programs, else packed ones.
choose_programs()
{
    if [ -n "$bin" ]; then
        origin=given
    elif is_built; then
        bin=$PWD/$base/build/bin origin="built here${packed:+ with the packed libraries}"
    elif [ -n "$packed" ] && [ -x "$packed/bin/trainyard-train" ]; then
        bin=$packed/bin origin="packed, of glibc $(cat "$packed/bin/glibc")"
    fi
    if [ -d "$packed/mpi" ]; then
        packed_mpi=$packed/mpi
        # shellcheck source=tools/packed/mpi_environment.sh
        source tools/packed/mpi_environment.sh
    fi
}

check()
{
    local name limit quick_limit left
    export bin out quick tiny packed scratch
    scratch=$out/scratch
    find_gpu || exit 3
    command -v python3 >/dev/null || { say "python3 is needed for the figures"; exit 3; }
    [ -n "$continue" ] || rm -rf "$out"/{log,figures,scratch,steps.tsv,gpu_check.json,gpu_check.tar.gz,summary.txt}
    mkdir -p "$out"/{log,figures,scratch}
    rm -f "$out/figures/machine.json" "$scratch/precisions" # of this machine
    touch "$out/steps.tsv"
    sed -i '/^[^\t]*\tpassed\t/!d' "$out/steps.tsv"
    while read -r name limit quick_limit; do
        [ -n "$name" ] && [[ " ${wanted[*]} " == *" $name "* ]] || continue
        if [ -n "$quick" ]; then
            left=$((quick_s - SECONDS))
            limit=$((quick_limit < left ? quick_limit : left))
        fi
        if grep -q "^$name"$'\tpassed' "$out/steps.tsv"; then
            continue # --continue
        elif [ "$name" = build ]; then
            [ -n "$bin" ] || run_step build "$limit"
            continue
        fi
        [ -n "$origin" ] || choose_programs
        if [ -z "$bin" ]; then
            say "nothing was built, and no programs were packed: see $out/log/build.txt"
            failures=$((failures + 1))
            break
        elif [ "$limit" -le 0 ]; then
            printf '%s\tskipped\t0\t0\tno time was left\n' "$name" >>"$out/steps.tsv"
        else
            run_step "$name" "$limit"
        fi
    done <<<"$steps"
    rm -rf "$scratch"
    end_report
    echo
    report | tee "$out/summary.txt"
    tar -C "$out" -czf "$out/gpu_check.tar.gz" gpu_check.json summary.txt steps.tsv log figures
}

if [ "${1:-}" = --step ]; then # by run_step
    "step_$2"
    exit
fi

bin='' out=$PWD/$base/result quick='' continue='' tiny='' packed='' scratch='' origin='' running='' reporting='' failures=0
[ ! -d $base/packed ] || packed=$PWD/$base/packed
case ${1:-} in
pack | libraries)
    [ $# -le 2 ] || wrong_usage
    [ "$1" = pack ] || { pack_libraries "$(path_of "${2:-$PWD/$base/packed}")"; exit; }
    pack "$(path_of "${2:-$PWD/$base/packed}")"
    exit
    ;;
configure)
    [ $# -ge 2 ] || wrong_usage
    packed=${TRAINYARD_PACKED:-$packed}
    configure "$(path_of "$2")" "${@:3}"
    exit
    ;;
table)
    [ $# -eq 2 ] || wrong_usage
    exec python3 tools/gpu_report.py --table "$(path_of "$2")"
    ;;
esac
wanted=()
while [ $# -gt 0 ]; do
    case $1 in
    --quick | --continue | --tiny) declare "${1#--}=1" ;;
    --packed | --bin | --output)
        [ $# -ge 2 ] || wrong_usage
        path=$(path_of "$2")
        case $1 in
        --output) out=$path ;;
        *)
            [ -d "$path" ] || { say "$1: there is no folder $2"; exit 2; }
            declare "${1#--}=$path"
            ;;
        esac
        shift
        ;;
    -*) wrong_usage ;;
    *)
        grep -q "^$1 " <<<"$steps" || { say "there is no step \"$1\""; exit 2; }
        wanted+=("$1")
        ;;
    esac
    shift
done
[ ${#wanted[@]} -gt 0 ] || mapfile -t wanted < <(awk 'NF { print $1 }' <<<"$steps")
trap '[ -z "$running" ] || kill "$running"; exit 130' INT TERM
check
[ $failures -eq 0 ] || exit 1
