/* The documents that validate, test, diff and explain print with --json, one each. `trainyard
 * schema VERB-answer` describes it.
 *
 * Each document has the problems that the verb found. A document of problems alone is what a verb
 * with --json prints when it has no answer. The exit code is that of the verb without --json, and
 * stderr has only wrong command lines. */
#ifndef TOOLS_TRAINYARD_ANSWER_H
#define TOOLS_TRAINYARD_ANSWER_H

#include "sim/output/explain/run_diff.h"
#include "sim/output/explain/test_report.h"
#include "sim/schema/explanation.h"
#include "sim/schema/field.h"

/* A problem or a warning. Unknown: a place that is not in a file, a hint that there is not. */
typedef struct {
    const char *source;
    int64_t line, column;
    const char *message, *hint;
} AnswerProblem;

typedef struct {
    AnswerProblem *items;
    uint32_t count;
    int64_t total; /* with those that were counted, but not kept */
} AnswerProblems;

/* In `arena`; borrows the problems. */
AnswerProblems answer_problems(Arena *arena, const Problems *problems);

typedef struct {
    AnswerProblems problems;
} ProblemsAnswer;

typedef struct {
    const char *path;
    const char *kind; /* as validate_file, or "study"; NULL: unknown */
    bool is_valid;
} AnswerFile;

typedef struct {
    AnswerFile *files;
    uint32_t file_count;
    AnswerProblems problems, warnings;
} ValidateAnswer;

/* A value of the scenario, or a metric of its runs. */
typedef struct {
    const char *name, *value, *origin;
    bool is_assumed;
} AnswerValue;

typedef struct {
    const char *name, *unit, *doc;
} AnswerMetric;

typedef struct {
    AnswerValue *values; /* without --metrics */
    uint32_t value_count;
    AnswerMetric *metrics; /* with --metrics */
    uint32_t metric_count;
    AnswerProblems problems;
} ExplainAnswer;

typedef struct {
    RunDiff diff;
    bool has_difference;          /* a record differs */
    const char *const *different; /* of diff.fingerprints */
    AnswerProblems problems;
} DiffAnswer;

/* `cases` are borrowed. */
typedef struct {
    const char *scenario, *name;
    bool holds;
    int64_t time_ns;
    const char *expected, *got; /* this and the next ones are NULL, unknown or empty if it holds */
    const char *source;
    int64_t line, column;
    const char *reproduce; /* a command line */
    const char *const *records;
    uint32_t record_count;
} AnswerTest;

typedef struct {
    AnswerTest *tests;
    uint32_t test_count;
    int64_t failure_count;
    AnswerProblems problems;
} TestAnswer;

AnswerTest answer_test(Arena *arena, const TestCase *test);

extern const ObjectType problems_answer_type;
extern const ObjectType validate_answer_type;
extern const ObjectType explain_answer_type;
extern const ObjectType diff_answer_type;
extern const ObjectType test_answer_type;

/* Prints `answer`, a struct of `type`, on stdout. */
void answer_show(Arena *arena, const ObjectType *type, const void *answer);
/* Prints the problems alone, and returns their exit code. */
int answer_show_problems(Arena *arena, const Problems *problems);

#endif
