/* Compares a predicted job with the folders of its real runs. */
#ifndef REAL_REAL_RUNS_H
#define REAL_REAL_RUNS_H

#include "real/compare/compare.h"

/* Compares `prediction` with its real runs in `folders` (real/compare/ran.h), of which there is at
 * least one. Each attempt that has timelines counts as a run. STATUS_BAD_INPUT if a run cannot be
 * read, trained something else than was predicted, or ended early although the job is predicted to
 * succeed, and if no timeline has a complete step. `*job` borrows `prediction` and `arena`. */
MUST_CHECK bool real_runs_compare(Arena *arena, const PredictedJob *prediction,
                                  const char *const *folders, int32_t folder_count, CompareJob *job,
                                  Status *status);

#endif
