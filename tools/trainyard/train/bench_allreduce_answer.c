#include "tools/trainyard/train/bench_allreduce_answer.h"

#include "sim/schema/plain.h"

#define OWNER SumAnswer
static const Field sum_fields[] = {
    FIELD_ROUNDED("time_us", time_us, 3, "of one sum", .unit = "us"),
    FIELD_ROUNDED("algbw_gb_per_s", algorithm_gb_per_s, 4, "the bytes of a rank by the time"),
    FIELD_ROUNDED("busbw_gb_per_s", bus_gb_per_s, 4,
                  "the bytes that a ring of so many ranks moves over each link, by the time"),
    FIELD_COUNT("wrong", wrong, "values that are not the sum; null: not checked", NULLABLE),
    {0},
};
static const ObjectType sum_type = OBJECT_TYPE("Sum", "A timed sum.", sum_fields);
#undef OWNER

#define OWNER SumRowAnswer
static const Field row_fields[] = {
    FIELD_ROW(INTEGER, "bytes", bytes, .doc = "of each rank"),
    FIELD_ROW(INTEGER, "count", count, .doc = "how many values they are"),
    PLAIN_TEXT("type", type, "float"),
    PLAIN_TEXT("redop", operation, "sum"),
    FIELD_OBJECT("out_of_place", out_of_place, sum_type, "with a copy of the values before"),
    FIELD_OBJECT("in_place", in_place, sum_type, "without one"),
    {0},
};
static const ObjectType row_type = OBJECT_TYPE("Sums of a size", "The sums of a size.", row_fields);
#undef OWNER

#define OWNER GradientsAnswer
static const Field gradients_fields[] = {
    PLAIN_TEXT("network", network, "the network"),
    FIELD_ROW(INTEGER, "bytes", bytes, .doc = "of its gradients"),
    FIELD_ROUNDED("median_us", median_us, 3, "the median of the iterations", .unit = "us"),
    FIELD_ROUNDED("min_us", min_us, 3, "the shortest", .unit = "us"),
    FIELD_ROUNDED("p90_us", p90_us, 3, "90 % are at most so long", .unit = "us"),
    {0},
};
static const ObjectType gradients_type =
    OBJECT_TYPE("Summed gradients", "The gradients of a network, in place.", gradients_fields);
#undef OWNER

#define OWNER BenchAllreduceAnswer
static const Field answer_fields[] = {
    PLAIN_TEXT("version", version, "of trainyard"),
    PLAIN_TEXT("comm", comm, "what joins the ranks"),
    FIELD_ROW(INTEGER, "ranks", ranks, .doc = "how many"),
    FIELD_ROW(INTEGER, "local_ranks", local_ranks, .doc = "those on the machine of rank 0"),
    FIELD_ROW(INTEGER, "local_cores", local_cores, .doc = "cores that they may use"),
    FIELD_ROW(INTEGER, "warmup", warmup, .doc = "sums before those that are timed"),
    FIELD_ROW(INTEGER, "iterations", iterations, .doc = "timed sums of each size"),
    FIELD_ROW(INTEGER, "between_bytes", between_bytes, .doc = "other data, used before each sum"),
    FIELD_LIST(OBJECTS, "rows", rows, row_count, &row_type, "by size"),
    FIELD_ROUNDED("mean_busbw_gb_per_s", mean_bus_gb_per_s, 4, "of all rows, both ways"),
    FIELD_OBJECT("gradients", gradients, gradients_type, "the gradients of a network"),
    {0},
};
const ObjectType bench_allreduce_answer_type = OBJECT_TYPE(
    "Bench-allreduce answer", "The output of `trainyard bench-allreduce --json`.", answer_fields);
#undef OWNER
