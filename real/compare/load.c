#include "real/compare/load.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

bool load_parse(const char *stat, double ticks_per_s, double *busy_s)
{
    /* user nice system idle iowait irq softirq steal; guests are part of user and nice */
    unsigned long long ticks[8];
    if (ticks_per_s <= 0 || strncmp(stat, "cpu ", 4) != 0 ||
        sscanf(stat + 4, "%llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2],
               &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
        return false;
    const unsigned long long busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    *busy_s = (double)busy / ticks_per_s;
    return true;
}

static double usage_s(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

LoadReading load_read(void)
{
    char line[512] = "";
    struct timespec now;
    LoadReading reading = {.cores = (int32_t)sysconf(_SC_NPROCESSORS_ONLN),
                           .own_s = usage_s(RUSAGE_SELF) + usage_s(RUSAGE_CHILDREN)};
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL)
        return reading;
    reading.is_known = fgets(line, sizeof line, file) != NULL &&
                       load_parse(line, (double)sysconf(_SC_CLK_TCK), &reading.busy_s) &&
                       clock_gettime(CLOCK_MONOTONIC, &now) == 0;
    fclose(file);
    if (reading.is_known)
        reading.clock_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    return reading;
}

double load_others(LoadReading before, LoadReading after)
{
    const double span_s = after.clock_s - before.clock_s;
    if (!before.is_known || !after.is_known || span_s <= 0)
        return -1;
    const double others_s = (after.busy_s - before.busy_s) - (after.own_s - before.own_s);
    const double others = others_s / span_s;
    return others < 0 ? 0 : others > after.cores ? after.cores : others;
}
