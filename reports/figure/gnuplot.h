/* gnuplot as a program that turns a script into SVG drawings.
 *
 * It runs without a shell, without the user's settings and with a fixed environment, so that the
 * same script and the same gnuplot give the same bytes. */
#ifndef REPORTS_GNUPLOT_H
#define REPORTS_GNUPLOT_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

/* Draws `script`, whose terminal is `svg`, and fills `drawings` with its `count` drawings in order,
 * made in `arena`. STATUS_MACHINE when gnuplot is missing (with the
 * package's name as hint), fails, or draws another number of them. */
MUST_CHECK bool gnuplot_draw(Arena *arena, const char *script, int32_t count, char **drawings,
                             Status *status);

#endif
