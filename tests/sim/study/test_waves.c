#include "sim/study/waves.h"

#include "sim/base/philox.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* A study of `points` points and one metric, without a scenario. */
static Study study_of(int32_t points, int32_t at_least, int32_t at_most, const StopRule *rule)
{
    static const StudyMetric metrics[] = {{.name = "value"}}; // a mean
    return (Study){.point_count = points,
                   .metric_count = 1,
                   .value_count = 1,
                   .metrics = metrics,
                   .seeds = {.first = 1,
                             .at_least = at_least,
                             .at_most = at_most,
                             .rule_count = rule != NULL,
                             .rules = rule}};
}

/* Values of point p scatter by p percent around 100. */
static double value_at(int32_t point, int32_t replication)
{
    const PhiloxBlock words = philox(9, (PhiloxBlock){{(uint32_t)point, (uint32_t)replication}});
    return 100 + point * ((double)words.word[0] / 4294967296.0 - 0.5);
}

static void record(Results *results, const Unit *unit, int64_t took_ns)
{
    static const uint8_t flags[] = {0};
    for (int32_t r = unit->first; r < unit->first + unit->count; r++) {
        const double value = value_at(unit->point, r);
        results_put(results,
                    &(RunRecord){.point = unit->point,
                                 .replication = r,
                                 .value_count = 1,
                                 .values = &value,
                                 .flags = flags},
                    took_ns);
    }
}

/* Runs all units, of which up to `at_once` are under way, and finish in an order that depends on
 * `seed`. Returns the number of runs. */
static int64_t run_all(const Study *study, Results *results, Waves *waves, int32_t at_once,
                       uint64_t seed)
{
    enum { AT_ONCE_MAX = 8 };
    const UnitSource source = waves_source(waves);
    Unit under_way[AT_ONCE_MAX];
    int32_t count = 0;
    int64_t runs = 0;
    for (uint32_t step = 0;; step++) {
        UnitAnswer answer = UNIT_LATER;
        while (count < at_once &&
               (answer = source.next(source.source, &under_way[count])) == UNIT_READY)
            count++;
        if (count == 0) {
            ck_assert_int_eq(answer, UNIT_NONE);
            return runs;
        }
        const int32_t chosen =
            (int32_t)(philox(seed, (PhiloxBlock){{step}}).word[0] % (uint32_t)count);
        const Unit unit = under_way[chosen];
        under_way[chosen] = under_way[--count];
        record(results, &unit, (1 + unit.point) * NS_PER_MS);
        source.done(source.source, &unit);
        runs += unit.count;
        ck_assert_int_lt(unit.point, study->point_count);
    }
}

static const Shard whole = {0, 1};

START_TEST(without_a_rule_each_point_has_at_least)
{
    const Study study = study_of(7, 33, 33, NULL);
    Results *results = results_create(arena, &study);
    Waves *waves = waves_create(arena, &study, results, whole);
    ck_assert_int_eq(run_all(&study, results, waves, 3, 1), 7 * 33);
    for (int32_t point = 0; point < 7; point++)
        ck_assert_int_eq(waves_used(waves, point), 33);
    ck_assert_int_eq(waves_decided_count(waves), 7);
    ck_assert(waves_are_done(waves));
}
END_TEST

/* Point 0 is constant and ends with its first wave. Point p has a standard deviation of p x 0.2887,
 * so it needs about (1.96 x 0.002887 p / 0.01)^2 runs for 1 %: 0.32 p^2. Point 20 needs 128: its
 * waves end at 20, 30, 45, 67, 100, 150. */
START_TEST(decisions_do_not_depend_on_the_order_of_results)
{
    static const StopRule rule = {.metric = 0, .width_ppm = 10000};
    const Study study = study_of(40, 20, 300, &rule);
    int32_t used[40];
    for (uint64_t seed = 0; seed < 20; seed++) {
        Results *results = results_create(arena, &study);
        Waves *waves = waves_create(arena, &study, results, whole);
        run_all(&study, results, waves, 1 + (int32_t)(seed % 8), seed);
        for (int32_t point = 0; point < 40; point++) {
            if (seed == 0)
                used[point] = waves_used(waves, point);
            ck_assert_int_eq(waves_used(waves, point), used[point]);
        }
    }
    ck_assert_int_eq(used[0], 20);
    ck_assert(used[20] == 100 || used[20] == 150 || used[20] == 225);
    ck_assert_int_eq(used[39], 300); // needs 490
}
END_TEST

START_TEST(known_results_are_not_run_again_and_unused_ones_do_not_count)
{
    static const StopRule rule = {.metric = 0, .width_ppm = 10000};
    const Study study = study_of(3, 20, 300, &rule);
    Results *results = results_create(arena, &study);
    record(results, &(Unit){.point = 0, .first = 0, .count = 50}, -1); // needs 20
    record(results, &(Unit){.point = 1, .first = 5, .count = 5}, -1);  // a hole
    Waves *waves = waves_create(arena, &study, results, whole);
    ck_assert_int_eq(run_all(&study, results, waves, 2, 3), 15 + 20);
    for (int32_t point = 0; point < 3; point++)
        ck_assert_int_eq(waves_used(waves, point), 20);
}
END_TEST

START_TEST(longest_runs_come_first_after_the_pilot)
{
    const Study study = study_of(4, 20, 20, NULL);
    Results *results = results_create(arena, &study);
    Waves *waves = waves_create(arena, &study, results, whole);
    const UnitSource source = waves_source(waves);
    Unit unit;
    for (int32_t point = 0; point < 4; point++) { // the pilot: one run of each
        ck_assert_int_eq(source.next(source.source, &unit), UNIT_READY);
        ck_assert_int_eq(unit.point, point);
        ck_assert_int_eq(unit.count, 1);
        record(results, &unit, (1 + point) * 10 * NS_PER_MS);
        source.done(source.source, &unit);
    }
    ck_assert_int_eq(source.next(source.source, &unit), UNIT_READY);
    ck_assert_int_eq(unit.point, 3);
    ck_assert_int_eq(unit.count, 2); // 40 ms a run: two are at least 50 ms
}
END_TEST

START_TEST(shards_run_each_wave_once_between_them)
{
    const Study study = study_of(5, 21, 21, NULL);
    for (int32_t count = 1; count <= 12; count++) {
        int64_t runs = 0;
        for (int32_t i = 0; i < count; i++) {
            Results *results = results_create(arena, &study);
            Waves *waves = waves_create(arena, &study, results, (Shard){i, count});
            runs += run_all(&study, results, waves, 2, 1);
            ck_assert(waves_are_done(waves));
        }
        ck_assert_int_eq(runs, 5 * 21);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("waves");
    TCase *tests = tcase_create("waves");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, without_a_rule_each_point_has_at_least);
    tcase_add_test(tests, decisions_do_not_depend_on_the_order_of_results);
    tcase_add_test(tests, known_results_are_not_run_again_and_unused_ones_do_not_count);
    tcase_add_test(tests, longest_runs_come_first_after_the_pilot);
    tcase_add_test(tests, shards_run_each_wave_once_between_them);
    suite_add_tcase(suite, tests);
    return suite;
}
