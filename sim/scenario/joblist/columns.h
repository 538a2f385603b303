/* The columns of workload files as rows for reader and writer. Private to sim/scenario/joblist. */
#ifndef SIM_SCENARIO_JOBLIST_COLUMNS_H
#define SIM_SCENARIO_JOBLIST_COLUMNS_H

#include <stddef.h>
#include <string.h>

#include "sim/scenario/joblist/job_list_file.h"

typedef enum {
    COLUMN_NAME,
    COLUMN_TIME,
    COLUMN_COUNT,
    COLUMN_BYTES,
    COLUMN_WORD,
    COLUMN_JOB
} ColumnKind;

typedef enum {
#define X(key, member, kind, words, least, most, doc) JOB_COLUMN_##member,
    JOB_COLUMNS(X)
#undef X
        JOB_COLUMN_COUNT
} JobColumnId;

typedef struct {
    const char *name;
    ColumnKind kind;
    size_t offset; /* of the column's pointer in JobList */
    size_t words;  /* COLUMN_WORD: offset of its JobListWords */
    int64_t least, most;
} JobColumn;

/* [JOB_COLUMN_COUNT] */
extern const JobColumn job_columns[];
enum { JOB_COLUMNS_NEEDED = 4, TIME_DECIMALS = 9 };

/* The column's array in `list`, NULL when the list does not have it. */
static inline const void *job_column_of(const JobList *list, const JobColumn *column)
{
    const void *items;
    memcpy(&items, (const char *)list + column->offset, sizeof items);
    return items;
}

static inline void job_column_set(JobList *list, const JobColumn *column, const void *items)
{
    memcpy((char *)list + column->offset, &items, sizeof items);
}

#endif
