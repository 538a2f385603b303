/* Whether a closed form applies to a scenario. */
#include "sim/study/follow/closed_form.h"

#include "sim/base/units.h"
#include "sim/model/week_hours.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static bool has_queue_limit;   /* of 0 jobs */
static const int64_t *factors; /* of the arrivals; NULL: they are Poisson */

/* Jobs of one duration, on so many nodes. */
static ClosedForm form_of_load(int64_t duration_ns, ArrivalRate rate, int32_t nodes,
                               WorkCheckpoints work)
{
    static const int64_t all = PPM;
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, duration_ns, 0);
    program->work = work;
    const JobSpec **specs = ARENA_NEW(arena, const JobSpec *);
    specs[0] = plain_job(arena, 1, program);
    Workload *workload = ARENA_NEW(arena, Workload);
    *workload = (Workload){
        .name = "load", .rate = rate, .spec_count = 1, .specs = specs, .probability_ppm = &all};
    workload->arrivals = factors != NULL ? ARRIVALS_DIURNAL : ARRIVALS_POISSON;
    workload->factors = factors;
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, nodes));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->workloads = workload;
    scenario->workload_count = 1;
    scenario->has_queue_limit = has_queue_limit;
    return closed_form_of(arena, scenario, true);
}

/* Jobs of an hour, one an hour, on two nodes. */
static ClosedForm form_of(WorkCheckpoints work)
{
    return form_of_load(NS_PER_HOUR, (ArrivalRate){.micro = PPM, .period_ns = NS_PER_HOUR}, 2,
                        work);
}

START_TEST(jobs_that_write_checkpoints_have_no_closed_form)
{
    const ClosedForm plain = form_of((WorkCheckpoints){0});
    ck_assert_ptr_null(plain.none);
    ck_assert_str_eq(plain.model, "M/D/2");
    const ClosedForm writing =
        form_of((WorkCheckpoints){.every_ns = NS_PER_HOUR / 2, .takes_ns = 1, .jobs_ppm = PPM});
    ck_assert_str_eq(writing.none, "jobs write checkpoints, which take time");
}
END_TEST

/* At a load of 0.99999 jobs of 30 days wait 4,100 years: more than a time in ns can be. */
START_TEST(a_wait_of_more_than_292_years_is_the_longest_time)
{
    const ClosedForm form = form_of_load(
        30 * NS_PER_DAY, (ArrivalRate){.micro = 99999000, .period_ns = 3000 * NS_PER_DAY}, 1,
        (WorkCheckpoints){0});
    ck_assert_int_eq(form.load_ppm, 999990);
    ck_assert_int_eq(form.mean_wait_ns, INT64_MAX);
}
END_TEST

START_TEST(a_cluster_without_a_node_has_no_closed_form)
{
    const ArrivalRate rate = {.micro = PPM, .period_ns = NS_PER_HOUR};
    has_queue_limit = true;
    const ClosedForm form = form_of_load(NS_PER_HOUR, rate, 0, (WorkCheckpoints){0});
    has_queue_limit = false;
    ck_assert_str_eq(form.none, "the size and the quotas of the cluster leave it no node");
}
END_TEST

/* One job an hour times 3 on one day of the week and 0.1 on the six others: 3.6 / 7 in the mean. */
START_TEST(the_load_has_the_mean_of_the_factors_over_the_week)
{
    static int64_t week[HOURS_A_WEEK];
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        week[hour] = hour < HOURS_A_DAY ? 3 * FACTOR_ONE : FACTOR_ONE / 10;
    ck_assert_int_eq(form_of((WorkCheckpoints){0}).load_ppm, PPM);
    factors = week;
    const ClosedForm form = form_of((WorkCheckpoints){0});
    factors = NULL;
    ck_assert_int_eq(form.load_ppm, 514286);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("closed_form");
    TCase *tests = tcase_create("closed_form");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, jobs_that_write_checkpoints_have_no_closed_form);
    tcase_add_test(tests, a_wait_of_more_than_292_years_is_the_longest_time);
    tcase_add_test(tests, a_cluster_without_a_node_has_no_closed_form);
    tcase_add_test(tests, the_load_has_the_mean_of_the_factors_over_the_week);
    suite_add_tcase(suite, tests);
    return suite;
}
