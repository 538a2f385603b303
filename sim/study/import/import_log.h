/* The jobs of a log while they are imported, and the counts of dropped and mended rows. Parsers
 * (format_NAME.c) add jobs; sim/study/import/select.h filters them. */
#ifndef SIM_STUDY_IMPORT_IMPORT_LOG_H
#define SIM_STUDY_IMPORT_IMPORT_LOG_H

#include "sim/base/text.h"
#include "sim/cloud/spec/job_list.h"
#include "sim/scenario/joblist/cells.h"
#include "sim/scenario/joblist/word_table.h"
#include "sim/study/import/job_stage.h"
#include "sim/study/import/options.h"
#include "sim/study/import/rules.h"
#include "sim/study/import/zone.h"

/* A job of the log. Numbers that the log does not state are JOB_LIST_UNKNOWN. */
typedef struct {
    const char *name;  /* NULL: the log has no names */
    int64_t submit_ns; /* since 1970 in UTC if the log has a calendar, else since its begin */
    int64_t run_ns, wait_ns, requested_ns, think_ns, memory_bytes;
    int64_t open_ns; /* start of an attempt that had not ended, whose time run_ns lacks until
                        import_select adds it; else JOB_LIST_UNKNOWN */
    int64_t after;   /* index of an earlier job in the log */
    int32_t gpus, gpus_per_node_max, nodes, cpus, priority;
    int32_t queue, user, gpu_type, speeds, state; /* in the words of the log */
    bool is_completed;
    bool is_open; /* it had not ended when the log was taken */
    bool is_dropped;
    int32_t line;       /* of its file, from 1; 0: unknown */
    uint32_t same_name; /* 1 + the index of the job before with this name in the log; 0: none */
} ImportJob;

typedef struct {
    int64_t count;
    Place first; /* of the first case */
} RuleCount;

typedef struct {
    Arena *arena;
    const ImportOptions *options;
    Problems *problems;
    RuleCount counts[RULE_COUNT];
    Zone zone;         /* of times without an offset */
    bool has_calendar; /* submit_ns are instants, not only times since the begin */
    bool has_dates;    /* and their dates are true */
    LineCursor lines;  /* where the parser is */
    ImportJob *jobs;
    uint32_t count, capacity;
    int64_t rows;       /* jobs and other rows read */
    int64_t end_ns;     /* the latest time that the log states: when it was taken */
    Place end_at;       /* the first row with that time */
    bool names_are_ids; /* ImportFormat.names_are_ids */
    bool limits_bind;   /* the log's scheduler ends jobs at the times that they asked for */
    WordTable names, queues, users, gpu_types, speed_words, states;
    uint32_t *uses; /* of each name */
    uint32_t uses_capacity;
    uint32_t
        *latest; /* of each name: 1 + the index of the last job that the log calls so; 0: none */
    uint32_t latest_capacity;
    Text notes; /* sentences about the whole log, each ended by a LF */
} ImportLog;

ImportLog import_log_create(Arena *arena, const ImportOptions *options, Problems *problems);
void import_log_free(ImportLog *log);

/* A job of which nothing is known. */
ImportJob import_job(const ImportLog *log);
/* Adds a job. `name` is NULL if the log has no names; an empty one becomes "unnamed". If names are
 * ids, a job that is there already is not added: its row that has an end counts. */
void import_add(ImportLog *log, const Cell *name, ImportJob job);
/* Counts a row at the current line. */
void import_count(ImportLog *log, ImportRule rule);
void import_count_at(ImportLog *log, ImportRule rule, Place at);
/* A sentence about the whole log, once. */
void import_note(ImportLog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports that a cell of the current line is not `expected`: a problem, or a dropped row with
 * --skip-malformed. Returns false. */
bool import_bad(ImportLog *log, Cell cell, const char *column, const char *expected);
/* The same for a line with a wrong number of cells: "the line has 3 cells, expected 18 numbers". */
bool import_bad_line(ImportLog *log, int32_t count, const char *expected);

/* --- Cells. Each returns false after import_bad. --- */

/* A number from 0 to `most`, times 10^decimals; JOB_LIST_UNKNOWN for a cell without a value
 * (stamp_is_none). Finer digits are rounded up. */
bool import_number(ImportLog *log, Cell cell, const char *column, int32_t decimals, int64_t most,
                   int64_t *value);
bool import_count_of(ImportLog *log, Cell cell, const char *column, int32_t *value);
/* Seconds as ns. */
bool import_seconds(ImportLog *log, Cell cell, const char *column, int64_t *ns);
/* A date, as an instant; JOB_LIST_UNKNOWN for a cell without a date. */
bool import_stamp(ImportLog *log, Cell cell, const char *column, int64_t not_before_ns,
                  int64_t *ns);
/* The number of a text in `words`; JOB_LIST_UNKNOWN for an empty cell. */
int32_t import_word(ImportLog *log, WordTable *words, Cell cell);
/* The same for a queue. Clusters have the names of queues, so that characters that their names
 * cannot have become '_'. */
int32_t import_queue(ImportLog *log, Cell cell);

/* --- Jobs --- */

/* Times of a job in one time line, JOB_LIST_UNKNOWN where the log has none. */
typedef struct {
    int64_t submit_ns, start_ns, end_ns;
} ImportTimes;

/* Notes a time that the log states about a job, JOB_LIST_UNKNOWN for none. */
void import_see(ImportLog *log, int64_t ns);
/* Sets submission, run time and wait of a job in `stage`. A job that has started and not ended is
 * open (ends.h). False when the job must be dropped, which has been counted. */
bool import_times(ImportLog *log, ImportJob *job, ImportTimes times, ImportStage stage);
/* Compares the log's own duration and wait, if known, with the recomputed ones, to a second. */
void import_check_stated(ImportLog *log, const ImportJob *job, int64_t run_ns, int64_t wait_ns);

#endif
