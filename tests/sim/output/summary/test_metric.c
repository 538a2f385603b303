#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/output/summary/metric.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/read.h"
#include "tests/support/suite.h"

static Arena *arena;
static const Scenario *scenario;
static const Summary *summary;

/* Runs the shipped scenario workloads/poisson with changes. */
static void run_with(const char *const *sets, int32_t count)
{
    Problems problems = problems_create(arena);
    ScenarioFile *file = scenario_read(
        arena, disk_files, TRAINYARD_SOURCE_DIR "/scenarios/workloads/poisson/scenario.json",
        (ScenarioOverrides){.count = count, .items = sets}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    scenario = &file->scenario;
    TraceFan *fan = trace_fan_create(arena);
    MetricsFold *fold = metrics_fold_create(arena);
    metrics_fold_measure(fold, scenario);
    trace_fan_join(fan, metrics_fold_listener(fold, TRACE_LEVEL_JOBS));
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
    RunFacts *facts = ARENA_NEW(arena, RunFacts);
    *facts = run_facts_of_world(arena, world, NULL, "0");
    summary = summary_of_run(arena, facts, metrics_fold_result(fold), "e:1");
}

/* The run is cut after 6 hours: then jobs run, and jobs wait. */
static void begin(void)
{
    static const char *const cut[] = {"/until=\"6h\""};
    arena = arena_create();
    run_with(cut, 1);
}

static void end(void)
{
    arena_destroy(arena);
}

static const Metric *compiled(const char *name)
{
    Problems problems = problems_create(arena);
    const Metric *metric = metric_compile_any(arena, metric_names_create(arena, scenario), name,
                                              place_in("s", 1, 2), &problems);
    ck_assert_msg(metric != NULL, "%s: %s", name,
                  problems.count > 0 ? problems.items[0].message : "");
    return metric;
}

static MetricValue value(const char *name)
{
    return metric_of(compiled(name), summary);
}

/* The value at keys joined by dots; no key here has a dot. */
static const Json *at_path(const Json *json, const char *path)
{
    for (const char *rest = path; json != NULL && *rest != '\0';) {
        const size_t length = strcspn(rest, ".");
        json = json_member(json, arena_strndup(arena, rest, length));
        rest += length + (rest[length] == '.');
    }
    return json;
}

/* Whether the summary's JSON has no key for functions of the times of jobs. */
static bool is_computed(const char *name)
{
    return strchr(name, '(') != NULL || strstr(name, ".sizes.") != NULL ||
           strstr(name, ".mean_completed") != NULL ||
           (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".p90") == 0);
}

START_TEST(every_listed_metric_is_the_value_at_its_path_in_summary_json)
{
    const Json *json = summary_json(arena, summary);
    const MetricList list = metric_list(arena, scenario);
    uint32_t numbers = 0, texts = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const MetricEntry *entry = &list.items[i];
        const Metric *metric = compiled(entry->name);
        ck_assert_ptr_nonnull(entry->doc);
        ck_assert(entry->is_text == metric_is_text(metric));
        if (is_computed(entry->name))
            continue;
        const Json *node = at_path(json, entry->name);
        const MetricValue got = metric_of(metric, summary);
        if (node == NULL || node->kind == JSON_NULL) {
            ck_assert_msg(!got.is_known && metric_text_of(metric, summary) == NULL, "%s",
                          entry->name);
        } else if (entry->is_text) {
            ck_assert_str_eq(metric_text_of(metric, summary), node->text);
            texts++;
        } else {
            ck_assert_msg(got.is_known && got.value == node->number, "%s: %.17g is not %.17g",
                          entry->name, got.value, node->number);
            numbers++;
        }
    }
    ck_assert_uint_gt(numbers, 60);
    ck_assert_uint_ge(texts, 8);
}
END_TEST

START_TEST(jobs_that_wait_make_lower_bounds)
{
    ck_assert_int_gt((int64_t)value("workloads.day.queue_s.waiting").value, 0);
    ck_assert(value("workloads.day.queue_s.max").is_lower_bound);
    ck_assert(value("workloads.day.queue_s.p99.99").is_lower_bound);
    ck_assert(!value("workloads.day.queue_s.p1").is_lower_bound);
    ck_assert_double_gt(value("workloads.day.queue_s.mean_completed").value,
                        value("workloads.day.queue_s.mean").value);
    ck_assert_double_eq(value("workloads.day.run_s.mean_completed").value,
                        value("workloads.day.run_s.mean").value);
    ck_assert(!value("workloads.day.jobs").is_lower_bound);
    ck_assert(value("workloads.day.waited_within(24h)").is_lower_bound);
    ck_assert(!value("workloads.day.waited_within(0s)").is_lower_bound);
}
END_TEST

START_TEST(a_percentile_of_any_part_lies_between_its_neighbours)
{
    static const char *const names[] = {"p1", "p50", "p62.5", "p90", "p95", "p99", "p99.9", "max"};
    double last = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double now = value(arena_printf(arena, "queue_s.%s", names[i])).value;
        ck_assert_double_ge(now, last);
        last = now;
    }
    ck_assert_double_eq(value("queue_s.p50.0").value, value("queue_s.p50").value);
}
END_TEST

START_TEST(classes_by_size_divide_the_jobs)
{
    // The shapes have 1, 2 and 4 nodes of one GPU.
    const double sum = value("workloads.day.sizes.1.jobs").value +
                       value("workloads.day.sizes.2.jobs").value +
                       value("workloads.day.sizes.4.jobs").value;
    ck_assert_double_gt(value("workloads.day.sizes.2.jobs").value, 0);
    ck_assert_double_eq(sum, value("workloads.day.jobs").value);
    double within = 0;
    static const char *const sizes[] = {"1", "2", "4"};
    for (int i = 0; i < 3; i++)
        within +=
            value(arena_printf(arena, "workloads.day.sizes.%s.jobs", sizes[i])).value *
            value(arena_printf(arena, "workloads.day.sizes.%s.waited_within(20m)", sizes[i])).value;
    ck_assert_double_eq_tol(within / sum, value("workloads.day.waited_within(20m)").value, 1e-12);
    const double most = value("workloads.day.queue_s.max").value;
    ck_assert_double_le(value("workloads.day.sizes.1.queue_s.max").value, most);
}
END_TEST

START_TEST(metrics_have_units)
{
    static const struct {
        const char *name, *unit;
    } rows[] = {
        {"workloads.day.queue_s.p95", "s"}, {"workloads.day.queue_s.p96", "s"},
        {"cost_usd.total", "USD"},          {"utilisation", "1"},
        {"waited_within(5m)", "1"},         {"clusters.gpu.nodes_max", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *unit = metric_unit(compiled(rows[i].name));
        if (rows[i].unit == NULL)
            ck_assert_ptr_null(unit);
        else
            ck_assert_str_eq(unit, rows[i].unit);
    }
}
END_TEST

static const struct {
    const char *name, *message, *hint;
} wrong[] = {
    {"workloads.dya.queue_s.p95",
     "unknown metric \"workloads.dya.queue_s.p95\": no workload is called \"dya\"",
     "did you mean \"workloads.day.queue_s.p95\"?"},
    {"workloads.day.queue.p95",
     "unknown metric \"workloads.day.queue.p95\": no member is called \"queue\"",
     "did you mean \"workloads.day.queue_s.p95\"?"},
    {"workloads.day.waited_withn(20m)",
     "unknown metric \"workloads.day.waited_withn(20m)\": no member is called \"waited_withn\"",
     "did you mean \"workloads.day.waited_within(20m)\"?"},
    // Not "queue_s": it is clusters that have queues, but this one has none.
    {"queues.research.reclaims",
     "unknown metric \"queues.research.reclaims\": no member is called \"queues\"",
     "`trainyard explain SCENARIO --metrics` lists all metrics"},
    {"lost_node_s", "unknown metric \"lost_node_s\": no member is called \"lost_node_s\"",
     "did you mean \"workloads.day.lost_node_s\"?"},
    {"cluster.gpu.nodes_max",
     "unknown metric \"cluster.gpu.nodes_max\": no member is called \"cluster\"",
     "did you mean \"clusters.gpu.nodes_max\"?"},
    {"workloads.day.waited_within(20)", "duration \"20\" has no unit",
     "durations look like \"90s\", \"1h30m\" or \"2.5ms\""},
    {"workloads.day.waited_within(20m",
     "metric \"workloads.day.waited_within(20m\" does not end "
     "with one duration in parentheses",
     "as in \"waited_within(20m)\""},
    {"workloads.day.queue_s.p0",
     "unknown metric \"workloads.day.queue_s.p0\": no member is called "
     "\"p0\"",
     "did you mean \"workloads.day.queue_s.p50\"?"},
    {"workloads.day.queue_s.p100.5",
     "unknown metric \"workloads.day.queue_s.p100.5\": no member is called \"p100\"", NULL},
    {"workloads.day.queue_s.p99.x",
     "\"workloads.day.queue_s.p99.x\" is not a metric: \"p99\" is not an object of numbers", ""},
    {"workloads.day.sizes.3.jobs",
     "unknown metric \"workloads.day.sizes.3.jobs\": no size is called \"3\"", NULL},
    {"jobs.day-1.queue_s",
     "unknown metric \"jobs.day-1.queue_s\": no job of the scenario is "
     "called \"day-1\"",
     "`trainyard explain SCENARIO --metrics` lists all metrics"},
    {"clusters.gpu.state", "metric \"clusters.gpu.state\" is a text, not a number", ""},
    {"clusters.gpu", "metric \"clusters.gpu\" is an object, not a number", NULL},
    {"", "metric \"\" is an object, not a number", NULL},
    {"problems", "\"problems\" is not a metric: \"problems\" is not an object of numbers", ""},
    {"events.x", "\"events.x\" is not a metric: \"events\" is not an object of numbers", ""},
};

START_TEST(a_wrong_name_is_reported_with_the_nearest_one)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Problems problems = problems_create(arena);
        ck_assert_ptr_null(metric_compile(arena, metric_names_create(arena, scenario),
                                          wrong[i].name, place_in("s.json", 3, 4), &problems));
        ck_assert_int_eq(problems.count, 1);
        ck_assert_str_eq(problems.items[0].message, wrong[i].message);
        ck_assert_int_eq(problems.items[0].at.line, 3);
        if (wrong[i].hint != NULL)
            ck_assert_str_eq(problems.items[0].hint, wrong[i].hint);
        else
            ck_assert_str_ne(problems.items[0].hint, "");
    }
}
END_TEST

/* Jobs "j0", "j1", ... of one experiment, as commands create them. */
static const Scenario *scenario_of_jobs(int32_t count)
{
    Scenario *made = ARENA_NEW(arena, Scenario);
    Command *commands = ARENA_ARRAY(arena, Command, count);
    for (int32_t i = 0; i < count; i++) {
        commands[i].kind = COMMAND_JOB_CREATE;
        commands[i].path = (ResourcePath){.group = "g",
                                          .workspace = "w",
                                          .experiment = "e",
                                          .name = arena_printf(arena, "j%d", (int)i)};
    }
    made->commands = commands;
    made->command_count = count;
    return made;
}

START_TEST(a_metric_costs_the_same_among_any_number_of_jobs)
{
    enum { JOBS = 2000, BYTES_OF_A_METRIC = 1024 };
    MetricNames *names = metric_names_create(arena, scenario_of_jobs(JOBS));
    Problems problems = problems_create(arena);
    metric_compile(arena, names, "jobs.j0.restarts", (Place){0}, &problems); // makes the names
    const size_t before = arena_bytes(arena);
    for (int32_t i = 0; i < JOBS; i++) {
        const char *name = arena_printf(arena, "jobs.w/e/j%d.restarts", (int)i);
        ck_assert_msg(metric_compile(arena, names, name, (Place){0}, &problems) != NULL, "%s",
                      problems.items[0].message);
    }
    ck_assert_uint_le(arena_bytes(arena) - before, (size_t)JOBS * BYTES_OF_A_METRIC);
}
END_TEST

START_TEST(a_resource_that_the_run_does_not_have_is_unknown)
{
    Summary without = *summary;
    without.cluster_count = 0;
    ck_assert(value("clusters.gpu.cost_usd").is_known);
    ck_assert(!metric_of(compiled("clusters.gpu.cost_usd"), &without).is_known);
}
END_TEST

START_TEST(a_measured_part_counts_the_jobs_submitted_in_it)
{
    // Without a part, all jobs count and nothing is measured separately. Two parts and the time
    // between them divide the jobs, the node time and (up to a rounding for each node) the price.
    static const char *const parts[][2] = {{"0s", "2h"}, {"2h", "5h"}, {"5h", "100h"}};
    const double jobs = value("workloads.day.jobs").value,
                 cost = value("cost_usd.clusters.gpu").value;
    const double held_s = value("clusters.gpu.node_s").value,
                 running_s = value("clusters.gpu.running_s").value;
    ck_assert(!value("measured.node_s").is_known);
    double sums[4] = {0};
    for (int i = 0; i < 3; i++) {
        const char *const sets[] = {
            "/until=\"6h\"", arena_printf(arena, "/measure={\"from\": \"%s\", \"until\": \"%s\"}",
                                          parts[i][0], parts[i][1])};
        run_with(sets, 2);
        ck_assert_double_gt(value("workloads.day.jobs").value, 0);
        ck_assert_double_eq(value("clusters.gpu.node_s").value, held_s);
        sums[0] += value("workloads.day.jobs").value;
        sums[1] += value("measured.node_s").value;
        sums[2] += value("measured.running_s").value;
        sums[3] += value("measured.node_cost_usd").value;
    }
    ck_assert_double_eq(value("measured.until_s").value, 6 * 3600); // the run ended earlier
    ck_assert_double_eq(sums[0], jobs);
    ck_assert_double_eq_tol(sums[1], held_s, 1e-6);
    ck_assert_double_eq_tol(sums[2], running_s, 1e-6);
    ck_assert_double_eq_tol(sums[3], cost, 1e-4);
}
END_TEST

START_TEST(a_ratio_is_known_by_its_two_sums)
{
    double parts[METRIC_PARTS_MAX];
    const Metric *ratio = compiled("cost_usd.total / workloads.day.succeeded");
    ck_assert_int_eq(metric_kind(ratio), MEASURE_RATIO);
    ck_assert_int_eq(measure_part_count(MEASURE_RATIO), 2);
    ck_assert_str_eq(metric_unit(ratio), "USD");
    metric_parts(ratio, summary, parts);
    ck_assert_double_eq(parts[0], value("cost_usd.total").value);
    ck_assert_double_eq(parts[1], value("workloads.day.succeeded").value);
    ck_assert_double_eq(metric_of(ratio, summary).value, parts[0] / parts[1]);
}
END_TEST

START_TEST(a_percentile_keeps_order_statistics_and_a_share_its_jobs)
{
    double parts[METRIC_PARTS_MAX];
    const Metric *p90 = compiled("workloads.day.queue_s.p90");
    ck_assert_int_eq(metric_kind(p90), MEASURE_PERCENTILE);
    ck_assert_int_eq(metric_quantile_ppb(p90), 900000000);
    metric_parts(p90, summary, parts);
    ck_assert_double_eq(parts[0], value("workloads.day.jobs").value);
    for (int32_t i = 1; i < METRIC_ORDER_RANKS; i++)
        ck_assert_double_le(parts[i], parts[i + 1]);
    ck_assert_double_eq(parts[METRIC_ORDER_RANKS], value("workloads.day.queue_s.max").value);
    bool has_p90 = false; // one of the ranks is that of the percentile
    for (int32_t i = 1; i <= METRIC_ORDER_RANKS; i++)
        has_p90 |= parts[i] == metric_of(p90, summary).value;
    ck_assert(has_p90);
    ck_assert_int_eq(metric_order_rank(0, .9, 60), 1);
    ck_assert_int_eq(metric_order_rank(8, .9, 60), 54);
    ck_assert_int_eq(metric_order_rank(METRIC_ORDER_RANKS - 1, .9, 60), 60);
    const Metric *share = compiled("workloads.day.waited_within(20m)");
    ck_assert_int_eq(metric_kind(share), MEASURE_SHARE);
    metric_parts(share, summary, parts);
    ck_assert_double_eq(parts[0], value("workloads.day.jobs").value);
    ck_assert_int_eq(metric_kind(compiled("utilisation")), MEASURE_FRACTION);
    ck_assert_int_eq(metric_kind(compiled("workloads.day.queue_s.mean")), MEASURE_MEAN);
}
END_TEST

#define EIGHT(factor)                                                                              \
    factor "," factor "," factor "," factor "," factor "," factor "," factor "," factor
#define HOURS(factor) "[" EIGHT(factor) "," EIGHT(factor) "," EIGHT(factor) "]"

/* The cost and the CO2e of energy with these factors in all hours; NULL: without any. */
static void energy_with(const char *price_hours, const char *carbon_hours, int64_t *micro_usd,
                        int64_t *carbon_mg)
{
    const char *sets[] = {
        "/catalog=[\"catalog/azure-2018.json\", \"catalog/power.json\"]",
        price_hours == NULL
            ? "/assume={\"energy/price_per_kwh\": \"0.25USD\"}"
            : arena_printf(arena,
                           "/assume={\"energy/price_per_kwh\": \"0.25USD\", "
                           "\"energy/price_hours\": %s, \"energy/carbon_hours\": %s}",
                           price_hours, carbon_hours)};
    run_with(sets, 2);
    *micro_usd = summary->energy.micro_usd;
    *carbon_mg = summary->energy.carbon_mg;
}

START_TEST(hours_that_are_alike_multiply_price_and_emissions)
{
    int64_t usd, carbon, same_usd, same_carbon, half_usd, twice_carbon;
    energy_with(NULL, NULL, &usd, &carbon);
    energy_with(HOURS("1"), HOURS("1"), &same_usd, &same_carbon);
    energy_with(HOURS("0.5"), HOURS("2"), &half_usd, &twice_carbon);
    ck_assert_int_gt(usd, 100000);
    // Each of the 24 hours is rounded down to a millionth of a kWh.
    ck_assert_int_le(same_usd, usd);
    ck_assert_int_ge(same_usd, usd - 24);
    ck_assert_int_le(same_carbon, carbon);
    ck_assert_int_ge(same_carbon, carbon - 24);
    ck_assert_int_le(2 * half_usd, usd);
    ck_assert_int_ge(2 * half_usd, usd - 50);
    ck_assert_int_le(twice_carbon, 2 * carbon);
    ck_assert_int_ge(twice_carbon, 2 * carbon - 50);
}
END_TEST

#define DAYS5(factor)                                                                              \
    DAY24(factor) "," DAY24(factor) "," DAY24(factor) "," DAY24(factor) "," DAY24(factor)
#define DAY24(factor) EIGHT(factor) "," EIGHT(factor) "," EIGHT(factor)

/* The run begins on a Wednesday and takes less than a day or two. */
START_TEST(hours_of_the_week_have_their_own_prices)
{
    int64_t usd, carbon, day_usd, day_carbon, weekend_usd, weekend_carbon;
    energy_with(HOURS("1"), HOURS("1"), &usd, &carbon);
    // The same on each day: the same bytes as 24 factors.
    energy_with("[" DAYS5("1") "," DAY24("1") "," DAY24("1") "]", HOURS("1"), &day_usd,
                &day_carbon);
    ck_assert_int_eq(day_usd, usd);
    ck_assert_int_eq(day_carbon, carbon);
    // On weekends other factors, which no hour of the run has.
    energy_with("[" DAYS5("0.5") "," DAY24("7") "," DAY24("7") "]",
                "[" DAYS5("2") "," DAY24("0") "," DAY24("0") "]", &weekend_usd, &weekend_carbon);
    ck_assert_int_le(2 * weekend_usd, usd);
    ck_assert_int_ge(2 * weekend_usd, usd - 50);
    ck_assert_int_le(weekend_carbon, 2 * carbon);
    ck_assert_int_ge(weekend_carbon, 2 * carbon - 50);
    // Only the weekend costs: nothing.
    energy_with("[" DAYS5("0") "," DAY24("7") "," DAY24("7") "]", HOURS("1"), &weekend_usd,
                &weekend_carbon);
    ck_assert_int_eq(weekend_usd, 0);
    ck_assert_int_le(weekend_carbon, carbon);
    ck_assert_int_ge(weekend_carbon, carbon - 24);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("metric");
    TCase *tests = tcase_create("metric");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, every_listed_metric_is_the_value_at_its_path_in_summary_json);
    tcase_add_test(tests, jobs_that_wait_make_lower_bounds);
    tcase_add_test(tests, a_percentile_of_any_part_lies_between_its_neighbours);
    tcase_add_test(tests, classes_by_size_divide_the_jobs);
    tcase_add_test(tests, metrics_have_units);
    tcase_add_test(tests, a_ratio_is_known_by_its_two_sums);
    tcase_add_test(tests, a_percentile_keeps_order_statistics_and_a_share_its_jobs);
    tcase_add_test(tests, a_wrong_name_is_reported_with_the_nearest_one);
    tcase_add_test(tests, a_metric_costs_the_same_among_any_number_of_jobs);
    tcase_add_test(tests, a_resource_that_the_run_does_not_have_is_unknown);
    tcase_add_test(tests, a_measured_part_counts_the_jobs_submitted_in_it);
    tcase_add_test(tests, hours_that_are_alike_multiply_price_and_emissions);
    tcase_add_test(tests, hours_of_the_week_have_their_own_prices);
    suite_add_tcase(suite, tests);
    return suite;
}
