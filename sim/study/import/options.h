/* The options of an import that change its result. They are recorded in the sidecar. */
#ifndef SIM_STUDY_IMPORT_OPTIONS_H
#define SIM_STUDY_IMPORT_OPTIONS_H

#include "sim/base/status.h"
#include "sim/study/import/zone.h"

/* X(ENUM, name) */
#define ATTEMPT_RULES(X) X(SUM, "sum") X(EACH, "each") X(LAST, "last")
#define STATE_RULES(X) X(ALL, "all") X(COMPLETED, "completed")
#define CPU_JOB_RULES(X) X(DROP, "drop") X(KEEP, "keep")

typedef enum {
#define X(name, text) ATTEMPTS_##name,
    ATTEMPT_RULES(X)
#undef X
} AttemptRule;
typedef enum {
#define X(name, text) STATES_##name,
    STATE_RULES(X)
#undef X
} StateRule;
typedef enum {
#define X(name, text) CPU_JOBS_##name,
    CPU_JOB_RULES(X)
#undef X
} CpuJobRule;

extern const char *const attempt_rule_names[], *const state_rule_names[],
                                                   *const cpu_job_rule_names[]; /* ended by NULL */

/* A list of texts as the command line gives them. */
typedef struct {
    const char *const *items;
    int32_t count;
} ImportTexts;

/* The options as texts, as the user wrote them. A NULL or 0 is an option that was not given. */
typedef struct {
    int attempts, states, cpu_jobs; /* AttemptRule, StateRule, CpuJobRule */
    const char *window;             /* "2017-10-01..2017-11-01", or "7d..14d" since the begin */
    ImportTexts queues;             /* only these; none: all */
    const char *timezone;           /* of times without an offset */
    const char *scale_load;         /* "1.5": the gaps between submissions are divided by it */
    const char *thin;               /* "0.1": the share of jobs that stays */
    int64_t thin_seed;
    ImportTexts map_gpu_types; /* "V100M16=V100" */
    const char *requested;     /* "column", or "run*2", or "run*1.2..5" */
    const char *clamp_run;     /* "1s..7d", "1s..", "..7d" */
    int64_t processors_per_node;
    int64_t gpus_per_node_max;
    const char *columns;   /* of the format "csv" */
    const char *separator; /* of the format "csv" */
    ImportTexts run_times; /* of the format "sia": "cifar10=30m" */
    const char *gpu_type;  /* of the format "gavel": the kind of GPU whose throughput counts */
    bool skips_malformed;
    bool only_counts; /* --check: an import without jobs is allowed */
} ImportChoices;

/* A range of instants or times; INT64_MIN and INT64_MAX: no limit. */
typedef struct {
    int64_t from_ns, to_ns; /* from_ns <= t < to_ns */
} ImportRange;

typedef struct {
    const char *from, *to;
} ImportMapping;

/* The options, checked. */
typedef struct {
    AttemptRule attempts;
    StateRule states;
    CpuJobRule cpu_jobs;
    bool has_window, window_is_calendar;
    ImportRange window;
    ImportTexts queues;
    bool has_zone;
    Zone zone;
    int64_t scale_load_ppm, thin_ppm; /* 1,000,000: unchanged */
    int64_t thin_seed;
    ImportMapping *gpu_types;
    int32_t gpu_type_count;
    bool requests_from_run; /* requested = run time times a factor between ... */
    int64_t request_least_ppm, request_most_ppm;
    ImportRange clamp;                              /* of run times, both ends included */
    int32_t processors_per_node, gpus_per_node_max; /* 0: not given */
    const char *columns;
    char separator;
    ImportMapping *run_times; /* application and duration */
    int64_t *run_time_ns;
    int32_t run_time_count;
    const char *gpu_type;
    bool skips_malformed;
} ImportOptions;

/* Checks `choices` and makes them values. `default_zone` is the format's. STATUS_BAD_INPUT names
 * the option. */
MUST_CHECK bool import_options_read(Arena *arena, const ImportChoices *choices,
                                    const char *default_zone, ImportOptions *options,
                                    Status *status);

#endif
