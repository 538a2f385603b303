/* Timelines for tests: rows of phases, one file for each rank. */
#ifndef TESTS_REAL_COMPARE_TIMELINES_H
#define TESTS_REAL_COMPARE_TIMELINES_H

#include <string.h>

#include "trainer/record/timeline.h"

enum { ROWS_MAX = 4096 };

typedef struct {
    TimelineFile file;
    TimelineSpan spans[ROWS_MAX];
} Rows;

static inline void rows_begin(Rows *rows, int32_t rank, int32_t ranks)
{
    memset(rows, 0, sizeof *rows);
    rows->file = (TimelineFile){.rank = rank, .ranks = ranks, .spans = rows->spans};
}

static inline void rows_add(Rows *rows, int64_t step, Phase phase, int64_t begin_ns, int64_t end_ns)
{
    rows->spans[rows->file.count++] = (TimelineSpan){.phase = phase,
                                                     .rank = rows->file.rank,
                                                     .step = step,
                                                     .begin_ns = begin_ns,
                                                     .end_ns = end_ns};
}

#endif
