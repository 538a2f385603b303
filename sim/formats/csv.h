/* Tables as comma-separated values: one line a row, the first has the names of the columns. Numbers
 * have the fewest digits that a reader turns into the same double; unknown values are empty. */
#ifndef SIM_FORMATS_CSV_H
#define SIM_FORMATS_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

/* Each adds one field to the row; csv_end ends it. Texts with commas, quotes or line ends are
 * quoted. */
void csv_text(Text *row, const char *value);
void csv_integer(Text *row, int64_t value);
void csv_real(Text *row, double value); /* NaN and infinities: unknown */
void csv_unknown(Text *row);
void csv_end(Text *row);

/* Reads the field at `*rest`, which is not the end of the text, into `field`, and moves `*rest` to
 * the next field. `*ends_row`: it was the last of its row. A quoted field may have line ends. */
void csv_cut(const char **rest, Text *field, bool *ends_row);

#endif
