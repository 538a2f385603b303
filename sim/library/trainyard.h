/* libtrainyard: runs scenarios and studies inside another program.
 *
 *     const char *const params[] = {"nodes=2"};
 *     trainyard_request request = {.size = sizeof request, .path = "scenario.json",
 *                                  .params = params, .param_count = 1};
 *     trainyard_result *run = trainyard_run(&request);
 *     double usd;
 *     if (trainyard_code(run) == TRAINYARD_OK &&
 *         trainyard_metric(run, "cost_usd.total", &usd).code == TRAINYARD_OK)
 *         printf("%.2f USD\n", usd);
 *     trainyard_free(run);
 *
 * The same scenario, parameters and seed give the same bytes as `trainyard run`. Functions may be
 * called by several threads at once, each with its own results. Nothing is printed. Memory that
 * the system does not give ends the process. Callbacks return: no exception or longjmp may leave
 * them. Strings are UTF-8.
 *
 * A program that was compiled with this header works with every later library of the same
 * TRAINYARD_ABI: `size` says which members of a request it knows, and a struct only grows at its
 * end. An earlier library refuses a request with a member, not 0, that it does not know. */
#ifndef TRAINYARD_H
#define TRAINYARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trainyard_policy_view; /* trainyard_policy.h */

#define TRAINYARD_API __attribute__((visibility("default")))

enum { TRAINYARD_ABI = 0 };                        /* of this header */
TRAINYARD_API int trainyard_abi(void);             /* of the library */
TRAINYARD_API const char *trainyard_version(void); /* "0.1.0", static */

enum {
    TRAINYARD_OK = 0,
    TRAINYARD_UNKNOWN = 1,   /* a metric that this run does not know: it has not happened */
    TRAINYARD_BAD_INPUT = 2, /* the caller can correct it */
    TRAINYARD_MACHINE = 3,   /* a file that cannot be read */
    TRAINYARD_ENDED = 4,     /* SIGINT or SIGTERM ended a study */
    TRAINYARD_DIFFERS = 5,   /* check_determinism: a second run differs, as the message says */
};

/* A record of the trace, as in trace.tsv; borrowed for the call. Names that it lacks are NULL. */
typedef struct {
    int64_t at_ns;      /* simulated time since the start */
    const char *record; /* "job_state" */
    const char *cluster, *node, *job, *share, *name;
    const char *line; /* the whole record: the line of trace.tsv, without its end */
} trainyard_record;

/* What to run. Members that are 0 have their default. Everything is borrowed for the call. */
typedef struct {
    size_t size; /* sizeof(trainyard_request) */
    /* The scenario or, for a study, the study: its text in memory, or the file `path`. `path` names
     * the text in messages, and its folder is where the files that the text names are; default:
     * "scenario.json". */
    const char *path;
    const char *text;
    size_t text_length;
    const char *const *params; /* "NAME=VALUE", as run --param */
    size_t param_count;
    const char *const *settings; /* "/POINTER=VALUE", as run --set; "/seed=7" */
    size_t setting_count;
    /* Called with each record of a run, in order of time: of jobs (level 0), also of epochs (1), or
     * of steps too (2). It must not call the library with the same result. */
    void (*trace)(void *owner, const trainyard_record *record);
    void *owner;
    int trace_level;
    /* The members for trainyard_study, as sweep --vary, --metric, --seeds, -j. */
    const char *const *vary;
    size_t vary_count;
    const char *const *metrics;
    size_t metric_count;
    int64_t seeds;   /* for trainyard_check: as test --seeds */
    int32_t threads; /* default: all processors */
    /* Runs twice, and compares both runs record by record; for trainyard_run. */
    int check_determinism;
    /* Chooses the next job of a queue instead of the scenario's policy, as run --policy; for
     * trainyard_run, and for trainyard_check of a scenario. trainyard_policy.h has its rules. The
     * calls are made by the caller's thread. */
    int32_t (*policy)(const struct trainyard_policy_view *view);
} trainyard_request;

/* An error by value. Texts live as long as the result. `line` and `column` count from 1; 0: none.
 */
typedef struct {
    int code;
    const char *source, *message, *hint; /* never NULL */
    int32_t line, column;
} trainyard_error;

typedef struct trainyard_result trainyard_result;

/* Runs a scenario; trainyard_check evaluates its expectations. Never NULL; trainyard_free frees the
 * result. */
TRAINYARD_API trainyard_result *trainyard_run(const trainyard_request *request);
/* Runs a study, or a scenario with `vary`, with many seeds. Settings and params are not for it:
 * vary one level instead. Until it ends, the first SIGINT or SIGTERM ends the study and not
 * the process. */
TRAINYARD_API trainyard_result *trainyard_study(const trainyard_request *request);
/* Runs a scenario or a study, and evaluates what it expects, as `trainyard test` does: the result
 * has cases. Its code is TRAINYARD_OK if it could run, whether or not all cases hold. Settings and
 * params are for scenarios. For a study signals are as in trainyard_study. */
TRAINYARD_API trainyard_result *trainyard_check(const trainyard_request *request);
TRAINYARD_API void trainyard_free(trainyard_result *result); /* NULL is fine */

TRAINYARD_API int trainyard_code(const trainyard_result *result);
/* Errors, or the warnings of a run that went well. */
TRAINYARD_API size_t trainyard_error_count(const trainyard_result *result);
TRAINYARD_API trainyard_error trainyard_error_at(const trainyard_result *result, size_t index);

/* An expectation: what was expected, what came out, and where the file states it. The first case
 * is the run itself, "runs". Texts live as long as the result. */
typedef struct {
    const char *name;                    /* "jobs.train.run_s between 45m and 75m" */
    int holds;                           /* 1 or 0 */
    const char *expected, *got, *source; /* never NULL */
    int32_t line, column;                /* from 1; 0: none */
} trainyard_case;

TRAINYARD_API size_t trainyard_case_count(const trainyard_result *result);
/* `index` is less than the count. */
TRAINYARD_API trainyard_case trainyard_case_at(const trainyard_result *result, size_t index);

/* A metric of a run by its name (`trainyard explain --metrics` lists them), in its unit. */
TRAINYARD_API trainyard_error trainyard_metric(trainyard_result *result, const char *name,
                                               double *value);

/* Texts of a result; "" for one that it does not have. They live as long as the result. */
enum {
    TRAINYARD_SUMMARY_JSON = 0, /* of a run: summary.json */
    TRAINYARD_RUNS_CSV = 1,     /* of a study: results.csv, a row a run */
    TRAINYARD_POINTS_CSV = 2,   /* of a study: points.csv, a row a point, with 95 % intervals */
};
TRAINYARD_API const char *trainyard_text(trainyard_result *result, int which);

#ifdef __cplusplus
}
#endif

#endif
