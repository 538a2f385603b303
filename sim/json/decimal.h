/* Scaled integers as exact decimal numbers: integers are printed without conversion to double. */
#ifndef SIM_JSON_DECIMAL_H
#define SIM_JSON_DECIMAL_H

#include "sim/base/text.h"
#include "sim/base/wide.h"
#include "sim/json/json.h"

/* Decimals of values that are counted in ns, micro-USD and millionths. */
enum {
    DECIMALS_S = 9,
    DECIMALS_MS = 6,
    DECIMALS_USD = 6,
    DECIMALS_RATIO = 6,
    DECIMALS_KWH = 6,
    DECIMALS_KW = 6,
    DECIMALS_KG = 6
};

/* Prints `value` / 10^decimals without trailing zeros: (1500000, 6) gives "1.5". In all
 * functions below 0 <= decimals <= 18. */
void decimal_print(Text *out, Wide value, int32_t decimals);
/* The same with `shown` <= decimals digits after the point, rounded half away from zero:
 * (123456, 6, 3) gives "0.123". */
void decimal_print_rounded(Text *out, int64_t value, int32_t decimals, int32_t shown);
/* Millionths, for people: "3.60", "45,126.00"; below a tenth two significant digits, "0.0042", so
 * that a small amount is not shown as 0. */
void decimal_print_amount(Text *out, int64_t millionths);
/* `value` / 10^decimals as a JSON number, printed as by decimal_print. */
Json *decimal_json(Arena *arena, Wide value, int32_t decimals);
/* Members in the units of summary.json and of the emulator's answers: seconds from ns, USD from
 * micro-USD. json_put_moment writes null for INT64_MAX (the moment has not come). */
void json_put_seconds(Arena *arena, Json *object, const char *key, Wide ns);
void json_put_usd(Arena *arena, Json *object, const char *key, int64_t micro_usd);
void json_put_moment(Arena *arena, Json *object, const char *key, int64_t at_ns);
/* Reads a number that decimal_json wrote, also one beyond 64 bits. False when it has more than
 * `decimals` decimals, or when it is beyond 64 bits and not a plain number ("-12.5") of at most
 * 36 digits. */
bool decimal_read(const Json *number, int32_t decimals, Wide *value);

#endif
