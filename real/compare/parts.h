/* What the text and the page of a comparison have in common: its tables and its sentences. Private
 * to real/compare*.c. */
#ifndef REAL_COMPARE_PARTS_H
#define REAL_COMPARE_PARTS_H

#include "real/compare/cells.h"
#include "real/compare/compare.h"

/* A row for each quantity of the whole job. */
Cells *compare_quantities(Arena *arena, const CompareJob *job, Tolerance tolerance);
/* A row for each quantity of each rank; NULL where there is one rank. */
Cells *compare_ranks(Arena *arena, const CompareJob *job);

/* "train: keras_cifar10_cnn, batches of 8, 2 ranks; ..." */
void compare_title(Text *out, const CompareJob *job);
void compare_blame_print(Text *out, const Blame *blame);
/* Nothing where nothing was to recover from. */
void compare_recovery_print(Text *out, const CompareJob *job);
void compare_verdict_print(Text *out, const Comparison *comparison);

#endif
