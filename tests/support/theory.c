#include "tests/support/theory.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/rng.h"
#include "sim/study/statistics/sample.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(IS_SANITIZED)
#define IS_SANITIZED 1
#endif

double theory_effort(void)
{
#ifdef IS_SANITIZED
    return 0.1;
#else
    const char *text = getenv("TRAINYARD_EFFORT");
    const double effort = text ? strtod(text, NULL) : 1;
    if (!(effort > 0 && effort <= 1)) { // not an assertion: suites ask before a test runs
        fprintf(stderr, "TRAINYARD_EFFORT is not between 0 and 1: %s\n", text);
        exit(EXIT_FAILURE);
    }
    return effort;
#endif
}

uint64_t theory_seed(uint64_t seed)
{
    const char *text = getenv("TRAINYARD_SEED");
    return text ? seed + strtoull(text, NULL, 10) * 1000003 : seed;
}

int32_t theory_size(int32_t full)
{
    return (int32_t)(full * theory_effort());
}

int32_t case_count(int32_t full)
{
    return theory_effort() < 1 ? (full + 3) / 4 : full;
}

ServiceModel idle_service(Arena *arena, int32_t nodes)
{
    ServiceModel service = plain_service(arena);
    Quantiles *durations[] = {&service.cluster_record_ns,
                              &service.allocation_create_ns,
                              &service.allocation_empty_ns,
                              &service.allocation_resize_ns,
                              &service.allocation_autoscale_ns,
                              &service.node_preparation_ns,
                              &service.release_ns,
                              &service.leaving_delay_ns,
                              &service.cluster_delete_ns,
                              &service.job_record_ns,
                              &service.job_start_ns,
                              &service.job_terminate_ns,
                              &service.job_terminate_queued_ns,
                              &service.job_delete_ns,
                              &service.job_delete_running_ns,
                              &service.job_delete_gone_ns,
                              &service.job_mount_ns,
                              &service.container_start_ns,
                              &service.host_overhead_ns,
                              &service.host_overhead_prepared_ns,
                              &service.failure_detection_ns,
                              &service.node_reboot_ns};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        *durations[i] = constant(arena, 0);
    service.nodes_per_cluster_max = nodes;
    return service;
}

Distribution constant_of(Arena *arena, int64_t value)
{
    return (Distribution){.kind = DISTRIBUTION_QUANTILES, .quantiles = constant(arena, value)};
}

Distribution exponential_of(int64_t mean)
{
    return (Distribution){.kind = DISTRIBUTION_EXPONENTIAL, .scale = mean};
}

uint64_t theory_word(uint64_t seed, uint64_t draw)
{
    return rng_word(seed, RNG_WORKLOAD, UINT64_C(0x7468656f7279), draw);
}

int64_t next_arrival_ns(uint64_t seed, uint64_t arrival, int64_t now_ns, int64_t mean_gap_ns)
{
    return now_ns + distribution_at(exponential_of(mean_gap_ns), theory_word(seed, arrival));
}

void check_mean(const char *what, const double *values, int32_t count, double theory,
                double error_most)
{
    double mean = statistics_mean(values, count);
    double error = statistics_standard_error(values, count);
    double allowed = error_most * theory / sqrt(theory_effort());
    printf("  %-44s theory %-10.6g simulated %-10.6g +- %.2g (%.2f standard errors)\n", what,
           theory, mean, error, (mean - theory) / error);
    fflush(stdout);
    const double errors = getenv("TRAINYARD_SEED") ? 4 : 3;
    ck_assert_msg(fabs(mean - theory) <= errors * error,
                  "%s: %g, theory says %g, standard error %g", what, mean, theory, error);
    ck_assert_msg(error <= allowed, "%s: the standard error %g is above %g", what, error, allowed);
}
