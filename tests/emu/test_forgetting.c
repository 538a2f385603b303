/* An emulator that forgets what is deleted after every request (emulator_tidy), and one that never
 * does, get the same random requests: all answers, the exported sessions and the records are the
 * same, and so are those of a third one that replays the journal. */
#include "emu/control/state_json.h"
#include "tests/emu/twins.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { REQUESTS = 1500 };

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

/* --- Every kind of resource, with names that are soon used again --- */

#define WORKSPACE GROUPS "g/providers/Microsoft.BatchAI/workspaces/w"

enum { MADE = 60, SHARES = 3 };

static void begin_all_kinds(Twin *twin, uint64_t seed, bool is_tidied)
{
    twin_begin(twin, seed, is_tidied);
    ask(twin, HTTP_PUT, GROUPS "g", "{\"location\": \"northeurope\"}");
    ask(twin, HTTP_PUT, WORKSPACE, "{\"location\": \"northeurope\"}");
    ask(twin, HTTP_PUT, WORKSPACE "/experiments/e", "{}");
}

/* As when a client creates or deletes a share; false if it exists, or does not. */
static bool change_share(Twin *twin, const char *action, uint32_t share)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Json *command = json_object(arena);
    json_put_text(arena, command, "do", action);
    json_put_text(arena, command, "name", arena_printf(arena, "acct/s%u", share));
    const bool is_done = session_command(twin->small.emulator->session, command, NULL, &problems);
    text_printf(&twin->said, "%s %u %d\n", action, share, is_done);
    arena_destroy(arena);
    if (twin->is_tidied)
        emulator_tidy(twin->small.emulator);
    return is_done;
}

/* A mount of one of the shares, or of a file server, which may exist or not. */
static void print_mount(char *out, size_t room, uint32_t which)
{
    if (which < SHARES)
        snprintf(out, room,
                 "\"azureFileShares\": [{\"accountName\": \"acct\", \"azureFileUrl\": "
                 "\"https://acct.file.core.windows.net/s%u\", \"credentials\": "
                 "{\"accountKey\": \"k\"}, \"relativeMountPath\": \"afs\"}]",
                 which);
    else
        snprintf(out, room,
                 "\"fileServers\": [{\"fileServer\": {\"id\": \"" WORKSPACE
                 "/fileServers/f%u\"}, \"relativeMountPath\": \"afs\"}]",
                 which - SHARES);
}

static void draw_kind(Said *said)
{
    char mount[DEPTH_BYTES];
    print_mount(mount, sizeof mount, draw(2 * SHARES));
    switch (draw(6)) {
    case 0:
    case 1:
        snprintf(said->target, sizeof said->target, WORKSPACE "/clusters/c%u", draw(2));
        snprintf(said->body, sizeof said->body,
                 "{\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
                 "{\"manual\": {\"targetNodeCount\": %u}}, \"userAccountSettings\": "
                 "{\"adminUserName\": \"u\", \"adminUserPassword\": \"p\"}, \"nodeSetup\": "
                 "{\"mountVolumes\": {%s}}}}",
                 draw(3), mount);
        return;
    case 2:
    case 3:
        snprintf(said->target, sizeof said->target, WORKSPACE "/fileServers/f%u", draw(SHARES));
        snprintf(said->body, sizeof said->body,
                 "{\"properties\": {\"vmSize\": \"STANDARD_D1\", \"sshConfiguration\": "
                 "{\"userAccountSettings\": {\"adminUserName\": \"u\", \"adminUserPassword\": "
                 "\"p\"}}, \"dataDisks\": {\"diskCount\": 2, \"diskSizeInGB\": 10, "
                 "\"storageAccountType\": \"Standard_LRS\"}}}");
        return;
    default:
        snprintf(said->target, sizeof said->target, WORKSPACE "/experiments/e/jobs/j%u", draw(3));
        snprintf(said->body, sizeof said->body,
                 "{\"properties\": {\"cluster\": {\"id\": \"" WORKSPACE
                 "/clusters/c%u\"}, \"nodeCount\": 1, \"stdOutErrPathPrefix\": \"%s\", "
                 "\"customToolkitSettings\": {\"commandLine\": \"x\"}}}",
                 draw(2), draw(4) ? "/mnt/logs" : "$AZ_BATCHAI_MOUNT_ROOT/afs");
    }
}

static Said draw_of_all_kinds(void)
{
    static const HttpMethod methods[] = {HTTP_PUT, HTTP_PUT, HTTP_DELETE, HTTP_DELETE, HTTP_GET};
    Said said = {.method = methods[draw(5)]};
    if (draw(3) == 0) {
        draw_clock(&said);
    } else {
        draw_kind(&said);
        if (said.method != HTTP_PUT)
            said.body[0] = '\0';
    }
    return said;
}

static void note_cost(Twin *twin)
{
    const StateCost cost = state_cost(&twin->small.emulator->control);
    text_printf(&twin->said, "cost %" PRId64 ", %" PRId64 " an hour\n", cost.micro_usd,
                cost.micro_usd_per_hour);
}

static uint32_t known_clusters(const World *world)
{
    uint32_t known = 0;
    for (uint32_t i = 0; (i = world_next_cluster(world, i)) < world_cluster_count(world); i++)
        known++;
    return known;
}

static uint32_t known_shares(const World *world)
{
    uint32_t known = 0;
    for (uint32_t i = 0; (i = world_next_share(world, i)) < world_share_count(world); i++)
        known++;
    return known;
}

static uint32_t known_file_servers(const World *world)
{
    uint32_t known = 0;
    for (uint32_t i = 0; (i = world_next_file_server(world, i)) < world_file_server_count(world);
         i++)
        known++;
    return known;
}

/* As many deletions as are kept, so that all earlier ones are forgotten. */
static void delete_groups(Twin *twin)
{
    const bool is_tidied = twin->is_tidied;
    twin->is_tidied = false; // once is enough
    for (int i = 0; i < WORLD_DELETED_KEPT; i++) {
        ask(twin, HTTP_PUT, GROUPS "gone", "{\"location\": \"northeurope\"}");
        twin->is_tidied = is_tidied && i == WORLD_DELETED_KEPT - 1;
        ask(twin, HTTP_DELETE, GROUPS "gone", "");
    }
    twin->is_tidied = is_tidied;
}

/* Random requests until so many clusters and file servers were made. */
static void ask_both(Twin *keeps, Twin *forgets, uint32_t made)
{
    const World *world = session_world(forgets->small.emulator->session);
    for (int i = 0; world_cluster_count(world) + world_file_server_count(world) < made; i++) {
        if (draw(6) == 0) {
            const char *action = draw(2) ? "share.create" : "share.delete";
            const uint32_t share = draw(SHARES);
            ck_assert_int_eq(change_share(keeps, action, share),
                             change_share(forgets, action, share));
        } else {
            const Said said = draw_of_all_kinds();
            ask(keeps, said.method, said.target, said.body);
            ask(forgets, said.method, said.target, said.body);
        }
        note_cost(keeps);
        note_cost(forgets);
        twins_agree(keeps, forgets, i);
    }
}

START_TEST(every_kind_is_forgotten_and_nothing_else_changes)
{
    Twin keeps, forgets;
    begin_all_kinds(&keeps, 1 + (uint64_t)_i, false);
    begin_all_kinds(&forgets, 1 + (uint64_t)_i, true);
    const World *world = session_world(forgets.small.emulator->session);
    draw_state = 2000000 * (uint64_t)_i;
    ask_both(&keeps, &forgets, MADE);
    delete_groups(&keeps);
    delete_groups(&forgets);
    // Jobs that have left logs on a share keep their clusters and its row.
    ck_assert_uint_lt(known_clusters(world), world_cluster_count(world));
    ck_assert_uint_lt(known_file_servers(world), world_file_server_count(world) / 2);
    ck_assert_uint_lt(known_shares(world), world_share_count(world) / 2);
    ask_both(&keeps, &forgets, 2 * MADE);
    ck_assert_str_eq(exported(&keeps), exported(&forgets));
    ck_assert_str_eq(records(&keeps), records(&forgets));
    twin_restart(&forgets);
    ck_assert_str_eq(records(&keeps), records(&forgets));
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
    tcase_add_loop_test(cases, forgetting_changes_no_answer_and_no_record, 0, case_count(4));
    tcase_add_loop_test(cases, every_kind_is_forgotten_and_nothing_else_changes, 0, case_count(2));
    tcase_add_test(cases, rows_are_forgotten);
    Suite *suite = suite_create("forgetting");
    suite_add_tcase(suite, cases);
    return suite;
}
