/* Checks of a run: questions to the metrics of its summary, and to the conditions and moments that
 * were watched. `trainyard test` turns the scenario's expectations
 * (sim/scenario/expect/expectation.h) into such questions. */
#ifndef SIM_OUTPUT_EXPECT_CHECK_H
#define SIM_OUTPUT_EXPECT_CHECK_H

#include "sim/output/explain/run_watch.h"
#include "sim/output/summary/metric.h"

/* The answer, with the expected and the actual value in words: "at least 45", "2711.5". In an
 * arena. */
typedef struct {
    bool holds;
    const char *expected;
    const char *got;
    bool has_instant; /* whether it failed ... */
    int64_t at_ns;    /* ... at this instant */
} ExpectAnswer;

/* Whether the text of `metric` is `wanted`. `metric` NULL: the run has no such text. */
ExpectAnswer expect_equals(Arena *arena, const Metric *metric, const Summary *summary,
                           const char *wanted);
/* What to do if a value is only a lower bound. */
extern const char expect_later_end[];
/* Whether the number of `metric` is in [low, high]; -INFINITY and INFINITY for no bound. A lower
 * bound is not known to be at most `high`. `metric` NULL: the run has no such number. */
ExpectAnswer expect_between(Arena *arena, const Metric *metric, const Summary *summary, double low,
                            double high);
/* The same for a number that was counted elsewhere. */
ExpectAnswer expect_count(Arena *arena, int64_t count, double low, double high);

/* "at most 20", "45 to 75" */
const char *expect_range_words(Arena *arena, double low, double high);

/* --- Conditions and moments, by their numbers in the watch --- */

/* Whether `condition` holds at the end of every instant. `contrary` is the number of its
 * negation. */
ExpectAnswer expect_always(Arena *arena, const RunWatch *watch, const Condition *condition,
                           int32_t contrary);
/* Whether it never holds, or never for its time. */
ExpectAnswer expect_never(Arena *arena, const RunWatch *watch, const Condition *condition,
                          int32_t number);
/* A condition that holds, for its time, within [`begin_ns`, `begin_ns + within_ns`] of a moment. */
typedef struct {
    const Condition *condition;
    int32_t number;
    int32_t moment;          /* number; -1: the start of the run */
    const char *moment_text; /* "job train submitted" */
    int64_t within_ns;       /* INT64_MAX: until the run ends */
} EventualWish;

ExpectAnswer expect_eventually(Arena *arena, const RunWatch *watch, const EventualWish *wish);

typedef struct {
    int32_t count;
    const int32_t *moments; /* [count] */
    const char *const *texts;
    bool last_may_be_absent;
} OrderWish;

/* Whether each moment came, and none came before its predecessor in the list. The first occurrence
 * of each moment counts. */
ExpectAnswer expect_order(Arena *arena, const RunWatch *watch, const OrderWish *wish);

#endif
