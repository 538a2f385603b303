/* Whether a run did what was expected of it: single questions to its summary. The scenario's
 * expectations (sim/scenario/expectation.h) are put as such questions by `trainyard test`. */
#ifndef SIM_OUTPUT_EXPECT_CHECK_H
#define SIM_OUTPUT_EXPECT_CHECK_H

#include "sim/json/json.h"

/* The answer, with what was wanted and found, in words: "at least 45", "2711.5". In an arena. */
typedef struct {
    bool holds;
    const char *expected;
    const char *got;
} ExpectAnswer;

/* The value at "jobs.train.run_s": keys joined by dots. A key may itself hold dots: the longest
 * that fits is taken at each level. NULL when there is none. */
const Json *summary_find(const Json *summary, const char *metric);

/* The string at `metric` is `wanted`. */
ExpectAnswer expect_equals(Arena *arena, const Json *summary, const char *metric,
                           const char *wanted);
/* The number at `metric` lies in [low, high]; -INFINITY and INFINITY for no bound. */
ExpectAnswer expect_between(Arena *arena, const Json *summary, const char *metric, double low,
                            double high);
/* The same of a number counted elsewhere. */
ExpectAnswer expect_count(Arena *arena, int64_t count, double low, double high);

#endif
