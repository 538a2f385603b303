/* Percentiles by nearest rank, found by selection: one percentile needs no sorted values. */
#ifndef SIM_OUTPUT_SUMMARY_PERCENTILE_H
#define SIM_OUTPUT_SUMMARY_PERCENTILE_H

#include <stdint.h>

#define PERCENT_PARTS INT64_C(10000000) /* a percentage counts 10^-7 of one per cent */

/* The value at `place`, from 0, in the sorted order of the `count` > `place` values. Reorders them:
 * afterwards no value before `place` is greater, and no value after it is smaller. */
int64_t select_nth(int64_t *values, uint32_t count, uint32_t place);

/* Sorts the values in ascending order. */
void sort_values(int64_t *values, uint32_t count);

/* The place, from 0, of the percentile by nearest rank: the smallest value that at least the given
 * percentage of the `count` >= 1 values do not exceed. `percent` is in units of 1 / PERCENT_PARTS
 * per cent, above 0, at most 100 * PERCENT_PARTS. */
uint32_t percentile_place(uint32_t count, int64_t percent);

/* The percentile of `count` >= 1 values for whole per cents, 1 to 100. Reorders the values. */
int64_t percentile_of(int64_t *values, uint32_t count, int32_t percent);

#endif
