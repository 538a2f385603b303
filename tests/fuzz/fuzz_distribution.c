/* Any bytes as JSON: as a distribution, and as a separate catalogue. A distribution that is read
 * gives times of 0 or more, never a smaller one for a larger random word. */
#include <stdint.h>

#include "sim/base/invariant.h"
#include "sim/scenario/catalog/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_durations(Quantiles durations)
{
    enum { DRAWS = 5 };
    invariant(quantiles_at(durations, 0) >= 0);
    invariant(quantiles_at(durations, 0) <= quantiles_at(durations, UINT64_MAX));
    invariant(quantiles_mean(durations) >= 0);
    invariant(quantiles_mean_of_max(durations, DRAWS) >= 0);
    invariant(quantiles_mean_excess(durations, DRAWS, quantiles_at(durations, UINT64_MAX / 2)) >=
              0);
}

static void check_distribution(Distribution distribution)
{
    static const uint64_t words[] = {0,
                                     1,
                                     UINT64_C(1) << 16,
                                     UINT64_C(1) << 40,
                                     UINT64_MAX / 4,
                                     UINT64_MAX / 2,
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    int64_t last = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int64_t value = distribution_at(distribution, words[i]);
        invariant(value >= last);
        last = value;
    }
    invariant(distribution_mean(distribution) >= 0);
    if (distribution.kind == DISTRIBUTION_QUANTILES)
        check_durations(distribution.quantiles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    const Json *root =
        json_parse(arena, "fuzz", (const char *)data, size, JSON_WITH_COMMENTS, &problems);
    if (root != NULL) {
        Distribution distribution;
        Status status = {0};
        if (distribution_read(arena, root, &distribution, &status))
            check_distribution(distribution);
        else
            invariant(status.code != STATUS_OK && status.message[0] != '\0');
        const Catalog *catalog = catalog_read(arena, &root, 1, &problems);
        invariant((catalog == NULL) == (problems.count > 0));
    }
    arena_destroy(arena);
    return 0;
}
