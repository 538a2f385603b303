#include "trainer/timeline.h"

#include <time.h>

#include "sim/base/units.h"

int64_t timeline_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void timeline_add(Timeline *timeline, Phase phase, int64_t step, int64_t begin_ns, int64_t end_ns,
                  int64_t bytes)
{
    (void)timeline, (void)phase, (void)step, (void)begin_ns, (void)end_ns, (void)bytes;
}

void timeline_add_ready(Timeline *timeline, int64_t step, const int64_t *ready_ns)
{
    (void)timeline, (void)step, (void)ready_ns;
}
