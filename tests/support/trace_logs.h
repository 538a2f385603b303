/* Logs of clusters in the exact layouts of public traces, made up: `jobs` jobs in which each
 * peculiarity of the layout occurs a known number of times. For logs that cannot be shipped. */
#ifndef TESTS_SUPPORT_TRACE_LOGS_H
#define TESTS_SUPPORT_TRACE_LOGS_H

#include "sim/base/text.h"
#include "sim/study/import/rules.h"

typedef struct {
    int64_t jobs;               /* in the workload file, with the default options */
    int64_t counts[RULE_COUNT]; /* of all rules */
} TraceLogFacts;

/* Each adds a log to `out`; `facts` says what an import must find. */
void trace_log_philly(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_philly_csv(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_helios(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_acme_seren(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_acme_kalos(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_pai2020(Text *job_table, Text *task_table, Text *instance_table, int32_t jobs,
                       TraceLogFacts *facts);
void trace_log_pai2023(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_swf(Text *out, int32_t jobs, TraceLogFacts *facts);
void trace_log_slurm(Text *out, int32_t jobs, TraceLogFacts *facts);

#endif
