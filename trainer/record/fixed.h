/* Measured numbers with a fixed number of decimals and a decimal point in every locale. The value
 * is finite, not negative, and below 10^15 in units of its last decimal: larger doubles do not have
 * that many decimals. */
#ifndef TRAINER_FIXED_H
#define TRAINER_FIXED_H

#include "sim/base/text.h"
#include "sim/json/json.h"

void fixed_print(Text *text, double value, int32_t decimals);
Json *fixed_json(Arena *arena, double value, int32_t decimals);

/* 10^decimals. */
int64_t fixed_units(int32_t decimals);

#endif
