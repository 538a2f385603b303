#!/usr/bin/env bash
# bench-allreduce: nccl-tests' columns, alone and on several ranks.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/trainer/comm/mpi/support.sh
source "$source_folder/tests/trainer/comm/mpi/support.sh"

# Sizes and elements of the rows.
rows()
{
    awk '!/^#/ && NF { print $1, $2 }' stdout | paste -sd ' '
}

# 13 columns, and numbers where numbers belong.
is_a_table()
{
    awk '!/^#/ { rows++
                 if (NF != 13 || $3 != "float" || $4 != "sum" || $5 != -1 || $6 < 0 || $10 < 0 || $9 != wrong || $13 != wrong) exit 1 }
         END { exit rows ? 0 : 1 }' wrong="$1" stdout
}

quick=(--min-size 8 --max-size 4096 --factor 8 --iterations 3 --warmup 1)

example "one process alone"
trainyard bench-allreduce "${quick[@]}" --check
exit_is 0
stderr_is_empty
has_no_escapes
stdout_has "# 1 rank by local, 1 on the machine of rank 0"
holds [ "$(rows)" = "8 2 64 16 512 128 4096 1024" ]
holds is_a_table 0
stdout_has "# Out of bounds values : 0 OK"
stdout_has "# Avg bus bandwidth    : 0"
stdout_has "# Gradients of keras_cifar10_cnn (5003432 B) in place: median"

example "without --check nothing is said about wrong values"
trainyard bench-allreduce "${quick[@]}"
exit_is 0
holds is_a_table N/A
holds test -z "$(grep 'Out of bounds' stdout)"

example "sizes are cut to whole floats"
trainyard bench-allreduce -b 7 -e 30 -n 1 -w 0
exit_is 0
holds [ "$(rows)" = "4 1 12 3 28 7" ]

example "JSON"
trainyard bench-allreduce "${quick[@]}" --check --json
exit_is 0
stderr_is_empty
holds is_answer bench-allreduce-answer
holds has_json 'run["comm"] == "local" and run["ranks"] == 1 and run["iterations"] == 3'
holds has_json '[row["bytes"] for row in run["rows"]] == [8, 64, 512, 4096]'
holds has_json 'all(row[way]["wrong"] == 0 and row[way]["time_us"] >= 0 for row in run["rows"] for way in ("in_place", "out_of_place"))'
holds has_json 'run["gradients"]["bytes"] == 5003432 and run["gradients"]["min_us"] <= run["gradients"]["median_us"] <= run["gradients"]["p90_us"]'
trainyard bench-allreduce "${quick[@]}" --json
holds is_answer bench-allreduce-answer
holds has_json 'run["rows"][0]["in_place"]["wrong"] is None'

example "sums that differ"
trainyard bench-allreduce "${quick[@]}" --between 64KiB --check --json
exit_is 0
holds has_json 'run["between_bytes"] == 65536 and all(row["in_place"]["wrong"] == 0 for row in run["rows"])'

example "wrong sizes"
trainyard bench-allreduce --min-size 3
exit_is 2
stdout_is_empty
stderr_begins "trainyard: bench-allreduce: --min-size: is 3 B, expected at least the 4 B of a float"
trainyard bench-allreduce --min-size 2MiB --max-size 1MiB
exit_is 2
stderr_begins "trainyard: bench-allreduce: --min-size: is 2097152 B, more than the 1048576 B of --max-size"
trainyard bench-allreduce --max-size 5GiB
exit_is 2
stderr_begins "trainyard: bench-allreduce: --max-size: is 5368709120 B, expected at most 4GiB"
trainyard bench-allreduce --factor 1
exit_is 2
trainyard bench-allreduce --iterations 0
exit_is 2
trainyard bench-allreduce --comm pigeons
exit_is 2
stderr_has "pigeons"

trainyard bench-allreduce "${quick[@]}" --comm mpi
if [ "$status" -eq 3 ]; then
    example "a build without MPI says so, and does not let each of several ranks do all the work"
    stderr_begins 'trainyard: this build has no communication "mpi"'
    stderr_has "libopenmpi-dev"
    OMPI_COMM_WORLD_SIZE=4 trainyard bench-allreduce
    exit_is 3
    stderr_begins "trainyard: several ranks were started, but this build has no communication between ranks"
    finish
fi

example "MPI without mpirun is one rank"
exit_is 0
stderr_is_empty
stdout_has "# 1 rank by mpi"

command -v mpirun >/dev/null || finish

on_ranks()
{
    timeout 600 mpirun -n "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

example "two ranks"
on_ranks 2 "$TRAINYARD" bench-allreduce "${quick[@]}" --check
exit_is 0
stdout_has "# 2 ranks by mpi, 2 on the machine of rank 0"
holds [ "$(rows)" = "8 2 64 16 512 128 4096 1024" ]
holds is_a_table 0
stdout_has "# Out of bounds values : 0 OK"

example "more ranks than cores are warned of, once"
ranks=$(($(nproc) + 1))
on_ranks "$ranks" "$TRAINYARD" bench-allreduce "${quick[@]}" --check --json
exit_is 0
holds has_json "run['ranks'] == $ranks and all(row['in_place']['wrong'] == 0 for row in run['rows'])"
holds [ "$(grep -c "$ranks ranks on $(nproc) core" stderr)" -eq 1 ]

example "a wrong option is said once, by one rank"
on_ranks 2 "$TRAINYARD" bench-allreduce --min-size 3
exit_is 2
holds [ "$(grep -c -e '--min-size: is 3 B' stderr)" -eq 1 ]

finish
