/* The processors that this process may use. */
#ifndef SIM_CLI_PROCESSORS_H
#define SIM_CLI_PROCESSORS_H

#include <stdint.h>

/* How many threads can run at once: the processors on which this process may run, or fewer if the
 * quota of its control group (a container's limit, version 1 or 2) is for fewer. At least 1. */
int32_t processors_available(void);

/* The number of processors of a quota: cpu.max of version 2 ("150000 100000": 1.5 of them, which
 * counts as 2; "max 100000": no limit). 0: no limit, or not such a text. */
int32_t processors_of_quota(const char *cpu_max);

#endif
