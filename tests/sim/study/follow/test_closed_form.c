/* Whether a closed form applies to a scenario. */
#include "sim/study/follow/closed_form.h"

#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

/* Jobs of an hour, one an hour, on two nodes. */
static ClosedForm form_of(WorkCheckpoints work)
{
    static const int64_t all = PPM;
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, NS_PER_HOUR, 0);
    program->work = work;
    const JobSpec **specs = ARENA_NEW(arena, const JobSpec *);
    specs[0] = plain_job(arena, 1, program);
    Workload *workload = ARENA_NEW(arena, Workload);
    *workload = (Workload){.name = "load",
                           .rate = {.milli = 1000, .period_ns = NS_PER_HOUR},
                           .spec_count = 1,
                           .specs = specs,
                           .probability_ppm = &all};
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->workloads = workload;
    scenario->workload_count = 1;
    return closed_form_of(arena, scenario, true);
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("closed_form");
    TCase *tests = tcase_create("closed_form");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, jobs_that_write_checkpoints_have_no_closed_form);
    suite_add_tcase(suite, tests);
    return suite;
}
