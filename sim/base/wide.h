/* Numbers of 128 bits. An int64_t holds 292 years of ns, which 100,000 nodes use up in a day, so
 * sums over nodes have 128 bits. No number of records with 64-bit times overflows them. */
#ifndef SIM_BASE_WIDE_H
#define SIM_BASE_WIDE_H

#include <stdint.h>

__extension__ typedef __int128 Wide;
/* Products of two 64-bit numbers that are not negative, and keys. */
__extension__ typedef unsigned __int128 WideUnsigned;

/* a / b, rounded down. Most products fit into 64 bits, whose division takes half as long. */
static inline WideUnsigned wide_quotient(WideUnsigned a, uint64_t b)
{
    return a >> 64 == 0 ? (uint64_t)a / b : a / b;
}

static inline int64_t wide_capped(Wide value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* The nearest whole number of `value` >= 0, which may be INFINITY; INT64_MAX if that is larger. */
static inline int64_t rounded_capped(double value)
{
    return value >= 0x1p63 - 1024 ? INT64_MAX : (int64_t)(value + 0.5);
}

/* part * scale / whole, rounded down; whole > 0. 0 when part or scale is not positive. The product
 * part * scale must fit: for millionths, `part` may be up to 2^107 ns, 5 * 10^15 node-years. */
static inline int64_t wide_proportion(Wide part, int64_t scale, Wide whole)
{
    return part <= 0 || scale <= 0 ? 0 : wide_capped(part * scale / whole);
}

#endif
