/* Prints a comparison as text and JSON, and the tables and sentences of its page. */
#ifndef REAL_COMPARE_PRINT_H
#define REAL_COMPARE_PRINT_H

#include "real/compare/cells.h"
#include "real/compare/compare.h"

/* Prints tables and a verdict for a terminal. */
void compare_print(Text *out, Arena *arena, const Comparison *comparison);
/* Returns the same contents as JSON. */
Json *compare_json(Arena *arena, const Comparison *comparison);

/* --- The parts of text and page --- */

/* A row for each quantity of the whole job. */
Cells *compare_quantities(Arena *arena, const CompareJob *job, Tolerance tolerance);
/* A row for each quantity of each rank; NULL if the job has one rank. */
Cells *compare_ranks(Arena *arena, const CompareJob *job);

/* "train: keras_cifar10_cnn, batches of 8, 2 ranks; ..." */
void compare_title(Text *out, const CompareJob *job);
void compare_blame_print(Text *out, const Blame *blame);
/* Prints nothing if there was no fault to recover from. */
void compare_recovery_print(Text *out, const CompareJob *job);
void compare_verdict_print(Text *out, const Comparison *comparison);
/* Prints how busy other programs kept the machine during the runs; nothing if it is not known. */
void compare_load_print(Text *out, const Comparison *comparison);

#endif
