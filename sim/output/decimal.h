/* Scaled integers as exact decimal numbers: what was counted in integers is printed without a
 * double in between. */
#ifndef SIM_OUTPUT_DECIMAL_H
#define SIM_OUTPUT_DECIMAL_H

#include "sim/base/text.h"
#include "sim/json/json.h"

/* `value` / 10^decimals, 0 <= decimals <= 18, trailing zeros dropped: (1500000, 6) is "1.5". */
void decimal_print(Text *out, int64_t value, int32_t decimals);
/* The same as a JSON number. */
Json *decimal_json(Arena *arena, int64_t value, int32_t decimals);

#endif
