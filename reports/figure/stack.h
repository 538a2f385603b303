/* Counts over time, stacked: nodes by state, jobs that run and wait. Drawn by plots/nodes.gp. */
#ifndef REPORTS_FIGURE_STACK_H
#define REPORTS_FIGURE_STACK_H

#include "reports/figure/figure.h"

enum { STACK_BANDS_MAX = 8 };

/* `change` items enter (or leave, if negative) a band. */
typedef struct {
    int64_t at_ns;
    int32_t band;
    int32_t change;
} StackChange;

typedef struct {
    const Shade *bands; /* [band_count], from the bottom */
    int32_t band_count;
    StackChange *changes; /* in order of time: stack_sort */
    uint32_t change_count;
    uint32_t used; /* bit of each band that has an item at any time */
    int64_t end_ns;
} Stack;

/* Sorts the changes and finds the bands in use. */
void stack_sort(Stack *stack);
/* Adds `figure`, whose section, file, title and note are set: the stack over time. Its numbers are
 * the mean counts in equal parts of the run, with the largest sum. */
void stack_draw(Figures *figures, Figure figure, const Stack *stack);

#endif
