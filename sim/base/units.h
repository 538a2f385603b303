/* Quantities with units, as people write them in scenarios and read them in summaries.
 *
 * Simulated time is int64 nanoseconds, data int64 bytes, rates int64 bytes per second. Readers
 * are exact: decimal digits are never turned into a double, and a remainder below one nanosecond
 * or byte rounds up. They accept no sign, no exponent and no text around the quantity. Each
 * returns false and fills `status` (place: `at`) with the expected form. */
#ifndef SIM_BASE_UNITS_H
#define SIM_BASE_UNITS_H

#include "sim/base/status.h"
#include "sim/base/text.h"

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MIN (60 * NS_PER_S)
#define NS_PER_HOUR (3600 * NS_PER_S)
#define NS_PER_DAY (24 * NS_PER_HOUR)
#define NS_PER_YEAR (365 * NS_PER_DAY)
/* The last instant of simulated time, 292 years after its start; INT64_MAX means never. */
#define LAST_INSTANT_NS (INT64_MAX - 1)

#define GIB (INT64_C(1) << 30) /* bytes */
#define PPM INT64_C(1000000)   /* the whole, in parts per million */

/* "90s", "1h30m", "2.5ms", "0s"; units d h m (or min) s ms us ns, each at most once, largest first.
 * Up to 292 years. */
MUST_CHECK bool duration_parse(const char *text, Place at, int64_t *ns, Status *status);
/* "5003432", "5003432B", "16GiB", "1.5MB"; units B, kB KB MB GB TB (powers of 1000), KiB MiB GiB
 * TiB (of 1024). */
MUST_CHECK bool bytes_parse(const char *text, Place at, int64_t *bytes, Status *status);
/* "25Gbit/s", "60MiB/s", "125000000B/s"; bits: bit kbit Mbit Gbit Tbit (powers of 1000), bytes as
 * above. */
MUST_CHECK bool rate_parse(const char *text, Place at, int64_t *bytes_per_s, Status *status);
/* ISO-8601 duration as the service writes it ("P7D", "PT1H30M", "P1DT2H"); years and months are
 * refused. */
MUST_CHECK bool iso_duration_parse(const char *text, Place at, int64_t *ns, Status *status);

/* The distance from one checkpoint of a training to the next, as scenarios and the trainer state
 * it. One member is above 0. */
typedef struct {
    int64_t count; /* without a unit: of a network epochs, of a transformer steps */
    int64_t epochs;
    int64_t steps; /* counted over all epochs */
    int64_t ns;    /* of training; a scenario rounds it to whole steps */
} CheckpointEvery;

#define CHECKPOINT_EVERY_MOST (INT64_C(1) << 32) /* epochs or steps */

/* Reads "2", "2 epochs", "500 steps" or "30m"; the space may be missing, and after 1
 * the "s". False for any other text, and for 0. */
MUST_CHECK bool checkpoint_every_parse(const char *text, CheckpointEvery *every);

/* For people: "1 h 2 min 3 s", "92.1 ms", "0 s"; three significant figures below a minute.
 * Locale-free. */
void duration_print(Text *text, int64_t ns);
/* For people: "5.0 MB", "170.5 MB", "16 B". Powers of 1000. */
void bytes_print(Text *text, int64_t bytes);
/* 3200 as "3,200"; not negative. */
void thousands_print(Text *text, int64_t count);
/* Exact decimal seconds, trailing zeros trimmed: 1500000000 -> "1.5". For JSON and tables. */
void seconds_print(Text *text, int64_t ns);

/* a * b / c, rounded up, without overflow in between. a, b >= 0, c > 0; the result must fit. */
int64_t mul_div_up(int64_t a, int64_t b, int64_t c);
/* The same rounded down. */
int64_t mul_div(int64_t a, int64_t b, int64_t c);

#endif
