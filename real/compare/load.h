/* The processors' time that other programs used while something was measured. Measured durations
 * are too long if others compute at the same time. */
#ifndef REAL_LOAD_H
#define REAL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* One reading, in seconds since fixed but unknown times. */
typedef struct {
    bool is_known;
    double clock_s;
    double busy_s; /* all processors, of all programs and of the host (steal) */
    double own_s;  /* this process and its children that have ended */
    int32_t cores;
} LoadReading;

/* Reads now. It is not known without /proc/stat. */
LoadReading load_read(void);

/* Parses the first line of /proc/stat, in ticks of 1 / `ticks_per_s`: all but idle and waiting.
 * False if the line is not of that form. */
bool load_parse(const char *stat, double ticks_per_s, double *busy_s);

/* The mean number of processors that others kept busy between two readings, 0 to the number of
 * cores; -1: not known, or no time passed. */
double load_others(LoadReading before, LoadReading after);

#endif
