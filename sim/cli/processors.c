#define _GNU_SOURCE // sched_getaffinity is Linux's
#include "sim/cli/processors.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"

static int32_t processors_of_affinity(void)
{
    enum { PROCESSORS_MAX = 1 << 16 };
    for (int32_t most = 1024; most <= PROCESSORS_MAX; most *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        const size_t bytes = CPU_ALLOC_SIZE((size_t)most);
        const bool is_known = set != NULL && sched_getaffinity(0, bytes, set) == 0;
        const bool is_too_small = set != NULL && !is_known && errno == EINVAL;
        const int32_t count = is_known ? CPU_COUNT_S(bytes, set) : 1;
        CPU_FREE(set);
        if (!is_too_small)
            return count;
    }
    return 1;
}

/* `quota` microseconds of processor time in each `period`. */
static int32_t rounded_up(int64_t quota, int64_t period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    const int64_t processors = (quota - 1) / period + 1;
    return processors < INT32_MAX ? (int32_t)processors : INT32_MAX;
}

int32_t processors_of_quota(const char *cpu_max)
{
    int64_t quota, period;
    return sscanf(cpu_max, "%" SCNd64 " %" SCNd64, &quota, &period) == 2 ? rounded_up(quota, period)
                                                                         : 0;
}

/* The content of a small file, or "". */
static const char *small_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    const size_t length = file != NULL ? fread(text, 1, size - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    return text;
}

/* The smallest quota of version 2 in the group of this process and in the groups above it. */
static int32_t quota_of_group(void)
{
    char groups[4096], text[64];
    const char *own = strstr(small_file("/proc/self/cgroup", groups, sizeof groups), "0::/");
    int32_t least = 0;
    if (own == NULL)
        return 0;
    Arena *scratch = arena_create();
    char *group = arena_strndup(scratch, own + 3, strcspn(own + 3, "\n"));
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
        *end = '\0';
        const char *path = arena_printf(scratch, "/sys/fs/cgroup%s/cpu.max", group);
        const int32_t quota = processors_of_quota(small_file(path, text, sizeof text));
        least = quota > 0 && (least == 0 || quota < least) ? quota : least;
    }
    arena_destroy(scratch);
    return least;
}

/* The quota of version 1, as a container sees its own group. */
static int32_t quota_of_version_1(void)
{
    static const char folder[] = "/sys/fs/cgroup/cpu";
    char path[64], quota[32], period[32];
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    small_file(path, quota, sizeof quota);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    small_file(path, period, sizeof period);
    return rounded_up(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

int32_t processors_available(void)
{
    const int32_t quotas[] = {quota_of_group(), quota_of_version_1()};
    int32_t count = processors_of_affinity();
    for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++)
        count = quotas[i] > 0 && quotas[i] < count ? quotas[i] : count;
    return count > 0 ? count : 1;
}
