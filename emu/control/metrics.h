/* The emulator in numbers, for Prometheus: what it answered, how far the world is, what it has.
 * The table in metrics.c has all names; emu/monitoring shows them in Grafana. */
#ifndef EMU_METRICS_H
#define EMU_METRICS_H

#include "emu/control/control.h"

/* Appends all families. Costs microseconds, and as many more as there are clusters. */
void metrics_print(const Control *control, Text *out);

#endif
