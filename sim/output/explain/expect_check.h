/* Checks of a run: questions to its summary, and to the conditions and moments that were
 * watched. `trainyard test` turns the scenario's expectations
 * (sim/scenario/expect/expectation.h) into such questions. */
#ifndef SIM_OUTPUT_EXPECT_CHECK_H
#define SIM_OUTPUT_EXPECT_CHECK_H

#include "sim/json/json.h"
#include "sim/output/explain/run_watch.h"

/* The answer, with the expected and the actual value in words: "at least 45", "2711.5". In an
 * arena. */
typedef struct {
    bool holds;
    const char *expected;
    const char *got;
    bool has_instant; /* whether it failed ... */
    int64_t at_ns;    /* ... at this instant */
} ExpectAnswer;

/* The value at "jobs.train.run_s": keys joined by dots. A key may contain dots: the longest key
 * that fits is taken at each level. NULL when there is no such value. */
const Json *summary_find(const Json *summary, const char *metric);

/* Whether the string at `metric` is `wanted`. */
ExpectAnswer expect_equals(Arena *arena, const Json *summary, const char *metric,
                           const char *wanted);
/* Whether the number at `metric` is in [low, high]; -INFINITY and INFINITY for no bound. */
ExpectAnswer expect_between(Arena *arena, const Json *summary, const char *metric, double low,
                            double high);
/* The same for a number that was counted elsewhere. */
ExpectAnswer expect_count(Arena *arena, int64_t count, double low, double high);

/* "at most 20", "45 to 75" */
const char *expect_range_words(Arena *arena, double low, double high);

/* --- Conditions and moments, by their numbers in the watch --- */

/* "cluster gpu nodes <= 4" */
const char *condition_words(Arena *arena, const Condition *condition);

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
