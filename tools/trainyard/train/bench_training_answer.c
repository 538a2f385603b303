#include "tools/trainyard/train/bench_training_answer.h"

#include "sim/schema/plain.h"
#include "trainer/compute/engines_report.h"
#include "trainer/compute/profile.h"

/* `ms` is the path to the Spread, ended by a point, or nothing. */
#define SPREAD_ROWS(ms)                                                                            \
    FIELD_ROUNDED("min", ms min, 4, "the shortest"),                                               \
        FIELD_ROUNDED("median", ms median, 4, "the median"),                                       \
        FIELD_ROUNDED("mean", ms mean, 4, "the mean"),                                             \
        FIELD_ROUNDED("p90", ms p90, 4, "90 % are at most so long")

#define OWNER Spread
static const Field spread_fields[] = {SPREAD_ROWS(), {0}};
static const ObjectType spread_type = OBJECT_TYPE("Times", "Times in ms.", spread_fields);
#undef OWNER

#define OWNER PhaseAnswer
static const Field phase_fields[] = {FIELD_KEY(name, "as in timelines"), SPREAD_ROWS(ms.), {0}};
static const ObjectType phase_type =
    OBJECT_TYPE("Phase", "Times of a phase of the step in ms.", phase_fields);
#undef OWNER

#define OWNER PairAnswer
static const Field pair_fields[] = {
    FIELD_ROUNDED("median", median, 2, "of the median"),
    FIELD_ROUNDED("best", best, 2, "of the best"),
    {0},
};
static const ObjectType pair_type =
    OBJECT_TYPE("Median and best", "A rate or a share.", pair_fields);
#undef OWNER

#define OWNER BenchTrainingAnswer
static const Field answer_fields[] = {
    PLAIN_TEXT("network", network, "the network"),
    PLAIN_TEXT("precision", precision, "of the products"),
    PLAIN_TEXT("backend", backend, "what computes"),
    PLAIN_TEXT("device", device, "the GPU; without key: a processor"),
    FIELD_JSON("engines", engines, ENGINES_SCHEMA,
               "of the products of each layer, on a backend that chooses between libraries: the "
               "chosen ones and the times of those that were tried"),
    FIELD_ROW(INTEGER, "ranks", ranks, .doc = "how many"),
    FIELD_ROW(INTEGER, "threads", threads, .doc = "of each rank"),
    FIELD_ROW(INTEGER, "batch_size", batch_size, .doc = "images of a step of a rank"),
    FIELD_ROW(INTEGER, "steps", steps, .doc = "timed steps"),
    FIELD_ROUNDED("images_per_s", images_per_s, 1, "of all ranks"),
    FIELD_ROUNDED("gflop_per_step", gflop_per_step, 4, "of a rank"),
    FIELD_ROUNDED("gflops", gflop_per_s, 2, "GFLOP a second of a rank"),
    FIELD_COUNT("kernels_per_step", kernels, "that a GPU starts"),
    FIELD_OBJECT("step_ms", step_ms, spread_type, "times of a step"),
    FIELD_LIST(NAMED, "phases_ms", phases, phase_count, &phase_type, "those that took time"),
    FIELD_JSON("profile", profile, PROFILE_SCHEMA, "with --profile: the stages of a step"),
    FIELD_OBJECT("sgemm_gflops", sgemm_gflop_per_s, pair_type,
                 "with --sgemm: GFLOP a second of a product of matrices"),
    FIELD_OBJECT("sgemm_share_percent", sgemm_share_percent, pair_type,
                 "the part of it that a step reaches"),
    {0},
};
const ObjectType bench_training_answer_type = OBJECT_TYPE(
    "Bench-training answer", "The output of `trainyard bench-training --json`.", answer_fields);
#undef OWNER
