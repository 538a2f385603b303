#include "sim/study/journal/shard.h"

#include "tests/support/suite.h"

typedef struct {
    int32_t shards, points, replications;
    bool has_stop_rule;
} Division;

static const Division divisions[] = {
    {1, 1, 1, false},     {1, 7, 20, true},      {8, 96, 20, false},    {8, 96, 20, true},
    {1000, 96, 20, true}, {1000, 96, 20, false}, {7, 3, 1, true},       {64, 64, 1, false},
    {3, 10, 5, false},    {1000, 1, 400, true},  {1000, 5000, 1, true}, {2, 1, 1, false},
};
enum { DIVISIONS = sizeof divisions / sizeof *divisions, SHARDS_MOST = 1000 };

/* Counts the replications of each point up to twice the first wave that shard `index` has. */
static int32_t runs_of(const Division *division, int32_t index)
{
    const ShardPlan plan = shard_plan((Shard){index, division->shards}, division->points,
                                      division->replications, division->has_stop_rule);
    int32_t count = 0;
    for (int32_t point = 0; point < division->points; point++)
        for (int32_t i = 0; i < division->replications; i++)
            count += shard_has(&plan, point, i);
    return count;
}

START_TEST(each_run_belongs_to_one_shard)
{
    for (int32_t d = 0; d < DIVISIONS; d++) {
        const Division *division = &divisions[d];
        const int32_t replications = division->replications * (division->has_stop_rule ? 3 : 1);
        ShardPlan plans[SHARDS_MOST];
        for (int32_t index = 0; index < division->shards; index++)
            plans[index] = shard_plan((Shard){index, division->shards}, division->points,
                                      division->replications, division->has_stop_rule);
        for (int32_t point = 0; point<division->points; point += division->points> 500 ? 97 : 1)
            for (int32_t i = 0; i<replications; i += replications> 100 ? 7 : 1) {
                int32_t owners = 0;
                for (int32_t index = 0; index < division->shards; index++)
                    owners += shard_has(&plans[index], point, i);
                ck_assert_msg(owners == 1, "division %d, point %d, replication %d: %d owners", d,
                              point, i, owners);
            }
    }
}
END_TEST

START_TEST(shards_have_equally_many_runs)
{
    for (int32_t d = 0; d < DIVISIONS; d++) {
        const Division *division = &divisions[d];
        const int64_t runs = (int64_t)division->points * division->replications;
        int64_t sum = 0;
        int32_t most = 0;
        for (int32_t index = 0; index < division->shards; index++) {
            const int32_t count = runs_of(division, index);
            sum += count;
            most = count > most ? count : most;
        }
        ck_assert_int_eq(sum, runs);
        // The largest has at most its share, and a block of about an eighth of it or a point.
        const int64_t share = runs / division->shards;
        ck_assert_msg(most <= share + share / 8 +
                                  (division->has_stop_rule ? division->replications : 1) + 1,
                      "division %d: %d of %lld", d, most, (long long)share);
    }
}
END_TEST

/* The cost of a point in a grid whose last factor has 8 levels, the last of which takes 8 times as
 * long as the first; the factor before it has 4 levels and doubles the time. */
static double cost_of(int32_t point)
{
    return (1.0 + point % 8) * (double)(1 << point / 8 % 4);
}

START_TEST(levels_of_a_grid_are_spread_over_the_shards)
{
    static const int32_t counts[] = {2, 4, 8, 16, 32};
    enum { POINTS = 8 * 4 * 32 };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int32_t has_rule = 0; has_rule < 2; has_rule++) {
            double whole = 0, most = 0;
            for (int32_t index = 0; index < counts[c]; index++) {
                const ShardPlan plan = shard_plan((Shard){index, counts[c]}, POINTS, 1, has_rule);
                double cost = 0;
                for (int32_t point = 0; point < POINTS; point++)
                    cost += shard_has(&plan, point, 0) ? cost_of(point) : 0;
                whole += cost;
                most = cost > most ? cost : most;
            }
            // Dealt without shifts, one of 8 shards would get 8 / 4.5 = 1.8 times its share.
            ck_assert_double_le(most, 1.2 * whole / counts[c]);
        }
}
END_TEST

START_TEST(a_shard_with_a_stopping_rule_has_whole_points)
{
    for (int32_t index = 0; index < 5; index++) {
        const ShardPlan plan = shard_plan((Shard){index, 5}, 20, 20, true);
        ck_assert(!shard_needs_others(&plan));
        for (int32_t point = 0; point < 20; point++)
            for (int32_t i = 1; i < 400; i++)
                ck_assert(shard_has(&plan, point, i) == shard_has(&plan, point, 0));
    }
    const ShardPlan plan = shard_plan((Shard){0, 21}, 20, 20, true);
    ck_assert(shard_needs_others(&plan));
}
END_TEST

START_TEST(shards_are_written_as_a_fraction_from_0)
{
    const Place at = place_in("--shard", 0, 0);
    Shard shard;
    Status status = {0};
    ck_assert(shard_parse("3/8", at, &shard, &status) && shard.index == 3 && shard.count == 8);
    ck_assert(shard_parse("0/1", at, &shard, &status) && shard.index == 0 && shard.count == 1);
    static const char *const wrong[] = {
        "", "3", "/", "3/", "/8", "a/8", "3/0", "-1/8", "3/8/9", "03/8", "1/99999999999", " 1/2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!shard_parse(wrong[i], at, &shard, &status), "%s", wrong[i]);
    ck_assert(!shard_parse("8/8", at, &shard, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.message, "there is no shard 8 of 8: shards count from 0");
    ck_assert_str_eq(status.hint, "the last is \"7/8\"");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shard");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, each_run_belongs_to_one_shard);
    tcase_add_test(tests, shards_have_equally_many_runs);
    tcase_add_test(tests, levels_of_a_grid_are_spread_over_the_shards);
    tcase_add_test(tests, a_shard_with_a_stopping_rule_has_whole_points);
    tcase_add_test(tests, shards_are_written_as_a_fraction_from_0);
    suite_add_tcase(suite, tests);
    return suite;
}
