#!/bin/sh
# Stands in for mpirun with trainyard-bench-allreduce: `-n RANKS ...` prints sums over so many ranks.
while [ "$1" != -n ]; do
    shift
done
cat <<JSON
{"ranks": $2, "comm": "mpi", "rows": [
 {"bytes": 1024, "in_place": {"time_us": 20.5}}, {"bytes": 1048576, "in_place": {"time_us": 900.5}},
 {"bytes": 16777216, "in_place": {"time_us": 14000.5}}]}
JSON
