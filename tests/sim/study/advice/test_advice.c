#include "sim/study/advice/advice_text.h"

#include <string.h>

#include "sim/cli/disk_files.h"
#include "tests/support/suite.h"

#define SHIPPED(name) TRAINYARD_SOURCE_DIR "/scenarios/" name "/scenario.json"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static const Changes *changes_in(const char *path, const char *const *sets, int32_t count)
{
    Problems problems = problems_create(arena);
    const ScenarioFile *file = scenario_read(
        arena, disk_files, path, (ScenarioOverrides){.count = count, .items = sets}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return changes_of(arena, file);
}

static const Change *named(const Changes *changes, const char *name)
{
    for (int32_t i = 0; i < changes->count; i++)
        if (strcmp(changes->items[i].name, name) == 0)
            return &changes->items[i];
    return NULL;
}

static const char *reason_of(const Changes *changes, const char *name)
{
    for (int32_t i = 0; i < changes->left_out_count; i++)
        if (strcmp(changes->left_out[i].name, name) == 0)
            return changes->left_out[i].reason;
    return "";
}

static Advice advice_for(const char *path, const char *slo, int32_t threads)
{
    Problems problems = problems_create(arena);
    const AdviceOptions options = {.scenario = path,
                                   .slo_count = slo != NULL,
                                   .slos = ARENA_ARRAY(arena, const char *, 1),
                                   .seeds = 6,
                                   .sweep = {.version = "test",
                                             .thread_count = threads,
                                             .time_limit_ns = INT64_MAX,
                                             .shard = {0, 1},
                                             .is_quiet = true,
                                             .run = sweep_on_threads}};
    ((const char **)options.slos)[0] = slo;
    Advice advice;
    ck_assert_msg(advice_make(arena, disk_files, &options, &advice, &problems), "%s",
                  problems.count > 0 ? problems.items[0].message : "");
    return advice;
}

static const char *text_of(const Advice *advice)
{
    Text text = {0};
    advice_print(arena, advice, "scenario.json", &text);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* --- Changes --- */

START_TEST(a_job_on_all_nodes_changes_with_its_cluster)
{
    const Changes *changes = changes_in(SHIPPED("cifar10-horovod"), NULL, 0);
    const Change *two = named(changes, "2 nodes instead of 4");
    ck_assert_ptr_nonnull(two);
    ck_assert_int_eq(two->setting_count, 2);
    ck_assert_str_eq(two->settings[0].target,
                     "/commands/3/config/properties/scaleSettings/manual/targetNodeCount");
    ck_assert_str_eq(two->settings[1].target, "/commands/7/config/properties/nodeCount");
    ck_assert_str_eq(two->settings[1].value, "2");
    ck_assert_str_eq(reason_of(changes, "8 nodes instead of 4"),
                     "the quota \"total\" is 24 cores, they need 48");
    ck_assert_str_eq(reason_of(changes, "Standard_NC6s_v3 instead of Standard_NC6"),
                     "the quota of family NCv3 is 0 cores");
    ck_assert_ptr_nonnull(
        strstr(reason_of(changes, "low-priority instead of dedicated nodes"), "no \"until\""));
}
END_TEST

START_TEST(nodes_are_never_fewer_than_a_job_needs)
{
    const Changes *changes = changes_in(SHIPPED("workloads/poisson"), NULL, 0);
    ck_assert_str_eq(reason_of(changes, "at most 2 nodes instead of 4"), "jobs of day need 4");
    ck_assert_ptr_null(named(changes, "at most 2 nodes instead of 4"));
}
END_TEST

START_TEST(planned_maintenance_keeps_a_cluster_from_scaling)
{
    const Changes *changes = changes_in(SHIPPED("studies/maintenance"), NULL, 0);
    ck_assert_str_eq(reason_of(changes, "gpu"),
                     "a cluster with planned maintenance does not scale automatically");
    ck_assert_ptr_null(named(changes, "0 to 2 nodes by autoscale"));
}
END_TEST

/* Four changes of one cluster are left out for one reason: each is named. */
START_TEST(a_cluster_of_several_kinds_keeps_its_nodes)
{
    static const char *const names[] = {
        "fewer or more nodes of cluster lab", "another VM size of cluster lab",
        "low priority or dedicated of cluster lab", "automatic scaling of cluster lab"};
    const Changes *changes = changes_in(SHIPPED("studies/mixed-nodes"), NULL, 0);
    for (int32_t i = 0; i < 4; i++)
        ck_assert_str_eq(reason_of(changes, names[i]),
                         "its nodes are of several kinds; a study can vary how many of each");
}
END_TEST

/* Low-priority nodes without preemption would be too good. */
START_TEST(low_priority_comes_with_preemption)
{
    static const char *const until[] = {"/until=\"30d\""};
    const Changes *changes = changes_in(SHIPPED("workloads/poisson"), until, 1);
    const Change *change = named(changes, "low-priority instead of dedicated nodes");
    ck_assert_ptr_nonnull(change);
    ck_assert_int_eq(change->setting_count, 3);
    ck_assert_str_eq(change->settings[1].target, "/failures");
    ck_assert_str_eq(change->settings[1].value, "{\"preemption\":\"by-family\"}");
    ck_assert_str_eq(change->settings[2].target, "/catalog/1");
    const Changes *already = changes_in(SHIPPED("workloads/failing-month"), NULL, 0);
    change = named(already, "dedicated instead of low-priority nodes");
    ck_assert_ptr_nonnull(change);
    ck_assert_int_eq(change->setting_count, 1);
}
END_TEST

START_TEST(checkpoints_change_where_jobs_resume_from_them)
{
    const Changes *changes = changes_in(SHIPPED("studies/spot-checkpoints"), NULL, 0);
    const Change *change =
        named(changes, "a checkpoint of *train.py* every 30 epochs instead of 10");
    ck_assert_ptr_nonnull(change);
    ck_assert_str_eq(change->settings[0].target, "/programs/0/checkpoint/every");
    ck_assert_ptr_nonnull(
        named(changes, "a checkpoint of *train.py* every 3 epochs instead of 10"));
    changes = changes_in(SHIPPED("studies/log-on-spot"), NULL, 0);
    change = named(changes, "a checkpoint of log every 3 h instead of 1 h");
    ck_assert_ptr_nonnull(change);
    ck_assert_str_eq(change->settings[0].target, "/workloads/0/checkpoint/every");
    ck_assert_ptr_nonnull(named(changes, "a checkpoint of log every 20 min instead of 1 h"));
    changes = changes_in(SHIPPED("jobs/long-epochs"), NULL, 0);
    ck_assert_ptr_nonnull(
        named(changes, "a checkpoint of python train.py every 10 min instead of 30 min"));
    changes = changes_in(SHIPPED("preemption/program-checkpoints"), NULL, 0);
    ck_assert_ptr_nonnull(named(changes, "a checkpoint of ./solve every 20 min instead of 1 h"));
}
END_TEST

/* --- Advice --- */

START_TEST(the_best_change_of_a_kind_is_advised_with_fresh_seeds)
{
    const Advice advice = advice_for(SHIPPED("studies/cifar-team"), NULL, 2);
    ck_assert_int_ge(advice.chosen_count, 2);
    ck_assert_str_eq(advice.items[0].change->name, "low-priority instead of dedicated nodes");
    for (int32_t i = 0; i < advice.chosen_count; i++) {
        const MetricEstimate *cost = &advice.items[i].estimates[advice.study->goal->metric];
        ck_assert(advice.items[i].is_fresh);
        ck_assert_double_lt(cost->difference + cost->difference_half_width, 0);
        for (int32_t k = 0; k < i; k++)
            ck_assert_int_ne(advice.items[i].change->kind, advice.items[k].change->kind);
    }
    const MetricEstimate *cost = &advice.items[0].estimates[advice.study->goal->metric];
    ck_assert_double_eq_tol(cost->value / advice.before[advice.study->goal->metric].value, 0.2,
                            0.01); // the ratio of the prices
    ck_assert_int_eq(advice.run_count, 6 * (1 + advice.count) + 6 * (1 + advice.chosen_count));
}
END_TEST

START_TEST(advice_does_not_depend_on_the_number_of_threads)
{
    const Advice one = advice_for(SHIPPED("studies/cifar-team"), NULL, 1);
    const Advice four = advice_for(SHIPPED("studies/cifar-team"), NULL, 4);
    ck_assert_str_eq(text_of(&one), text_of(&four));
}
END_TEST

START_TEST(a_change_that_misses_a_constraint_is_not_advised)
{
    const Advice advice =
        advice_for(SHIPPED("studies/cifar-team"), "workloads.team.queue_s.mean <= 430s", 2);
    ck_assert_int_ge(advice.chosen_count, 1);
    for (int32_t i = 0; i < advice.count; i++)
        if (strcmp(advice.items[i].change->name, "at most 2 nodes instead of 4") == 0) {
            ck_assert_int_ge(i, advice.chosen_count);
            ck_assert(advice.items[i].state == ADVICE_MISSES ||
                      advice.items[i].state == ADVICE_UNCERTAIN);
        }
}
END_TEST

START_TEST(a_change_that_certainly_costs_more_is_called_worse)
{
    const Advice advice = advice_for(SHIPPED("studies/cifar-team"), NULL, 2);
    int found = 0;
    for (int32_t i = 0; i < advice.count; i++) {
        const char *name = advice.items[i].change->name;
        if (strcmp(name, "4 nodes that stay") == 0)
            found += advice.items[i].state == ADVICE_WORSE;
        if (strcmp(name, "policy backfill instead of service") == 0)
            found += advice.items[i].state == ADVICE_NOTHING;
    }
    ck_assert_int_eq(found, 2);
    ck_assert_ptr_nonnull(strstr(text_of(&advice), "is worse"));
}
END_TEST

/* The queue of four nodes is too long; the others keep the limit and cost more. */
START_TEST(keeping_a_constraint_is_advised_where_it_is_missed)
{
    const Advice advice =
        advice_for(SHIPPED("studies/cifar-team"), "workloads.team.queue_s.mean <= 60s", 2);
    ck_assert_int_eq(advice.before_state, ADVICE_MISSES);
    ck_assert_int_eq(advice.chosen_count, 1);
    ck_assert_str_eq(advice.items[0].change->name, "4 nodes that stay");
    ck_assert_ptr_nonnull(strstr(text_of(&advice), "These changes keep every constraint"));
}
END_TEST

START_TEST(without_an_improvement_nothing_is_advised)
{
    const Advice advice = advice_for(SHIPPED("workloads/poisson"), NULL, 2);
    ck_assert_int_eq(advice.chosen_count, 0);
    ck_assert_ptr_nonnull(strstr(text_of(&advice), "changes certainly improves the cost"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("advice");
    TCase *tests = tcase_create("advice");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_job_on_all_nodes_changes_with_its_cluster);
    tcase_add_test(tests, nodes_are_never_fewer_than_a_job_needs);
    tcase_add_test(tests, planned_maintenance_keeps_a_cluster_from_scaling);
    tcase_add_test(tests, a_cluster_of_several_kinds_keeps_its_nodes);
    tcase_add_test(tests, low_priority_comes_with_preemption);
    tcase_add_test(tests, checkpoints_change_where_jobs_resume_from_them);
    tcase_add_test(tests, the_best_change_of_a_kind_is_advised_with_fresh_seeds);
    tcase_add_test(tests, advice_does_not_depend_on_the_number_of_threads);
    tcase_add_test(tests, a_change_that_misses_a_constraint_is_not_advised);
    tcase_add_test(tests, a_change_that_certainly_costs_more_is_called_worse);
    tcase_add_test(tests, keeping_a_constraint_is_advised_where_it_is_missed);
    tcase_add_test(tests, without_an_improvement_nothing_is_advised);
    suite_add_tcase(suite, tests);
    return suite;
}
