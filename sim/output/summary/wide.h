/* Sums of node time: 292 years of ns are little for a fleet (100,000 nodes hold that in a day), so
 * sums over nodes have 128 bits. No number of records of 64-bit times overflows them. */
#ifndef SIM_OUTPUT_WIDE_H
#define SIM_OUTPUT_WIDE_H

#include <stdint.h>

__extension__ typedef __int128 Wide;

static inline int64_t wide_capped(Wide value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* part * scale / whole rounded down, whole > 0; 0 where part or scale is not above 0. `part` has to
 * leave room for `scale`: 2^107 ns, five million million node-years, do for millionths. */
static inline int64_t wide_proportion(Wide part, int64_t scale, Wide whole)
{
    return part <= 0 || scale <= 0 ? 0 : wide_capped(part * scale / whole);
}

#endif
