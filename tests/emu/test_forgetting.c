/* An emulator that forgets what is deleted after every request (emulator_tidy), and one that never
 * does, get the same random requests: all answers, the exported sessions and the records are the
 * same, and so are those of a third one that replays the journal. */
#include "tests/emu/twins.h"
#include "tests/support/suite.h"

enum { REQUESTS = 1500, SEEDS = 4 };

START_TEST(forgetting_changes_no_answer_and_no_record)
{
    Twin keeps, forgets;
    twin_begin(&keeps, 1 + (uint64_t)_i, false);
    twin_begin(&forgets, 1 + (uint64_t)_i, true);
    draw_state = 1000000 * (uint64_t)_i;
    for (int i = 0; i < REQUESTS; i++) {
        const Said said = draw_request();
        ask(&keeps, said.method, said.target, said.body);
        ask(&forgets, said.method, said.target, said.body);
        twins_agree(&keeps, &forgets, i);
    }
    ck_assert_str_eq(exported(&keeps), exported(&forgets));
    const char *kept = records(&keeps);
    ck_assert_str_eq(kept, records(&forgets));
    twin_restart(&forgets);
    ck_assert_str_eq(kept, records(&forgets));
    twin_end(&keeps);
    twin_end(&forgets);
}
END_TEST

/* Deleted jobs, groups and released nodes are no longer in the world's tables. */
START_TEST(rows_are_forgotten)
{
    Twin twin;
    twin_begin(&twin, 1, true);
    for (int i = 0; i < 3 * WORLD_DELETED_KEPT; i++) {
        char group[DEPTH_BYTES];
        snprintf(group, sizeof group, GROUPS "g%d", i);
        ask(&twin, HTTP_PUT, group, "{\"location\": \"northeurope\"}");
        ask(&twin, HTTP_DELETE, group, "");
    }
    const World *world = session_world(twin.small.emulator->session);
    uint32_t known = 0;
    for (uint32_t i = 0; i < world_resource_count(world); i++)
        known += world_resource(world, i).path.name != NULL;
    ck_assert_uint_gt(world_resource_count(world), 3 * WORLD_DELETED_KEPT);
    ck_assert_uint_le(known, WORLD_DELETED_KEPT + 5);
    twin_end(&twin);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("forgetting");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, forgetting_changes_no_answer_and_no_record, 0, SEEDS);
    tcase_add_test(cases, rows_are_forgotten);
    Suite *suite = suite_create("forgetting");
    suite_add_tcase(suite, cases);
    return suite;
}
