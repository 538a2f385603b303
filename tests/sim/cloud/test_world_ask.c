/* Commands from outside (world_apply_at), and those that delete storage. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* --- Commands at the times of a scenario --- */

static bool is_same(const TraceRecord *a, const TraceRecord *b)
{
    return a->kind == b->kind && a->at_ns == b->at_ns && a->since_ns == b->since_ns &&
           a->cluster.index == b->cluster.index && a->node.index == b->node.index &&
           a->job.index == b->job.index && a->share.index == b->share.index &&
           a->bytes == b->bytes && memcmp(a->in_order, b->in_order, sizeof a->in_order) == 0 &&
           a->cause == b->cause && (a->name == NULL) == (b->name == NULL) &&
           (a->name == NULL || strcmp(a->name, b->name) == 0);
}

/* Applies each command of `asked` to a world of `base` at its time, or later at the first time
 * without other events. Adds the commands that are not refused to `accepted`. Returns the time of
 * the last command. */
static int64_t ask(const Scenario *base, const Scenario *asked, TraceSink sink,
                   CommandList *accepted, int64_t *events)
{
    World *world = world_create(arena, base, sink);
    for (int32_t i = 0; i < asked->command_count; i++) {
        const Command *command = &asked->commands[i];
        if (command->trigger.moment != MOMENT_AT)
            continue;
        int64_t at_ns = command->trigger.delay_ns;
        if (at_ns <= world_now_ns(world))
            at_ns = world_now_ns(world) + 1;
        world_advance(world, at_ns - 1);
        while (world_next_event_ns(world) == at_ns)
            world_advance(world, at_ns++);
        Status status = {0};
        if (!world_apply_at(world, command, at_ns, &status))
            continue;
        Command *kept = commands_add(accepted, command->kind, command->path.name, at_ns);
        *kept = *command;
        kept->trigger.delay_ns = at_ns;
    }
    int64_t end_ns = world_now_ns(world) + NS_PER_HOUR;
    world_advance(world, end_ns);
    *events = world_events(world);
    return end_ns;
}

static void check_seed(uint64_t seed)
{
    const Scenario *base = rough_scenario(arena, seed);
    const Scenario *asked = random_scenario(arena, seed + 7);
    Recording live = recording_create(arena);
    Recording offline = recording_create(arena);
    CommandList all = {.arena = arena};
    for (int32_t i = 0; i < base->command_count; i++)
        *commands_add(&all, base->commands[i].kind, "", 0) = base->commands[i];
    int64_t events;
    int64_t end_ns = ask(base, asked, recording_sink(&live, TRACE_LEVEL_STEPS), &all, &events);
    ck_assert_msg(all.count > base->command_count, "seed %" PRIu64 ": all refused", seed);

    Scenario *whole = ARENA_NEW(arena, Scenario);
    *whole = *base;
    whole->commands = all.items;
    whole->command_count = all.count;
    whole->until_ns = end_ns;
    World *world = world_create(arena, whole, recording_sink(&offline, TRACE_LEVEL_STEPS));
    world_run(world);
    ck_assert_int_eq(world_events(world), events);
    ck_assert_int_le(live.count, offline.count);
    for (int32_t i = 0; i < live.count; i++)
        ck_assert_msg(is_same(&live.items[i], &offline.items[i]),
                      "seed %" PRIu64 ", record %d: %s %s at %" PRId64
                      ", offline %s %s at %" PRId64,
                      seed, (int)i, trace_kind_name(live.items[i].kind),
                      live.items[i].name ? live.items[i].name : "", live.items[i].at_ns,
                      trace_kind_name(offline.items[i].kind),
                      offline.items[i].name ? offline.items[i].name : "", offline.items[i].at_ns);
    // The remaining records are those of the end of the run.
    for (int32_t i = live.count; i < offline.count; i++)
        ck_assert_int_eq(offline.items[i].at_ns, offline.items[offline.count - 1].at_ns);
}

START_TEST(a_command_from_outside_is_recorded_like_one_in_a_scenario)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        arena_destroy(arena);
        arena = arena_create();
        check_seed(seed);
    }
}
END_TEST

START_TEST(a_refused_command_leaves_nothing)
{
    CommandList list = commands_begin(arena);
    Recording recording = recording_create(arena);
    World *world = world_create(arena, scenario_of(&list, 1), recording_sink(&recording, 2));
    world_advance(world, NS_PER_S);
    int32_t before = recording.count;
    Command *command = commands_add(&list, COMMAND_CLUSTER_RESIZE, "missing", 0);
    Status status = {0};
    ck_assert(!world_apply_at(world, command, 5 * NS_PER_S, &status));
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    ck_assert_int_eq(recording.count, before);
    ck_assert_int_eq(world_now_ns(world), 5 * NS_PER_S - 1);
    command = commands_add(&list, COMMAND_GROUP_CREATE, "later", 0);
    ck_assert(world_apply_at(world, command, 5 * NS_PER_S, &status));
    ck_assert_int_eq(recording.count, before + 2);
    ck_assert_str_eq(recording.items[before].name, "group.create later");
    ck_assert_int_eq(recording.items[before].command_applied.ordinal,
                     5); // after the five of the scenario
    ck_assert_str_eq(recording.items[before + 1].name, "group later");
    ck_assert_int_eq(world_now_ns(world), 5 * NS_PER_S);
}
END_TEST

/* --- Storage that is deleted --- */

static const TraceRecord *deleted(const Recording *recording, const char *name)
{
    return recording_find(recording, TRACE_RESOURCE_DELETED, name, 0);
}

START_TEST(a_deleted_share_can_be_made_again)
{
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_SHARE_DELETE, "a/s", NS_PER_S);
    commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", 2 * NS_PER_S)->as.file_upload.file = "x";
    commands_add(&list, COMMAND_SHARE_DELETE, "a/s", 3 * NS_PER_S);
    commands_add(&list, COMMAND_SHARE_CREATE, "a/s", 4 * NS_PER_S)->as.share_create.tier =
        plain_tier();
    commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", 5 * NS_PER_S)->as.file_upload.file = "x";
    commands_add(&list, COMMAND_FILE_DELETE, "a/s", 6 * NS_PER_S)->as.file_delete.file = "x";
    Recording recording = recording_create(arena);
    World *world = world_create(arena, scenario_of(&list, 1), recording_sink(&recording, 2));
    world_run(world);
    ck_assert_ptr_nonnull(deleted(&recording, "share a/s"));
    ck_assert_int_eq(deleted(&recording, "share a/s")->share.index, 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 2); // at 2 and 3 s
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_WRITTEN, "x"), 1);
    ck_assert_int_eq(recording_find(&recording, TRACE_FILE_DELETED, "x", 0)->share.index, 1);
    ck_assert(world_share_is_gone(world, (ShareId){0}));
    ck_assert(!world_share_is_gone(world, (ShareId){1}));
    ck_assert_int_eq(world_find_share(world, "A/S").index, 1);
    ck_assert_int_eq(world_share_existed_ns(world, (ShareId){0}), NS_PER_S);
    ck_assert_int_eq(world_share_existed_ns(world, (ShareId){1}), 2 * NS_PER_S);
}
END_TEST

START_TEST(deleting_an_account_deletes_its_shares)
{
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_STORAGE_CREATE, "ab", 0);
    commands_add(&list, COMMAND_SHARE_CREATE, "ab/s", 0)->as.share_create.tier = plain_tier();
    commands_add(&list, COMMAND_STORAGE_DELETE, "A", NS_PER_S);
    commands_add(&list, COMMAND_STORAGE_DELETE, "a", 2 * NS_PER_S);
    Recording recording = recording_create(arena);
    World *world = world_create(arena, scenario_of(&list, 1), recording_sink(&recording, 2));
    world_run(world);
    ck_assert(deleted(&recording, "share a/s") < deleted(&recording, "storage a"));
    ck_assert_ptr_null(deleted(&recording, "share ab/s"));
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 1);
    ck_assert(!world_share_is_gone(world, world_find_share(world, "ab/s")));
}
END_TEST

START_TEST(deleting_a_group_deletes_its_accounts)
{
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_STORAGE_CREATE, "inside", 0)->path.group = "g";
    commands_add(&list, COMMAND_SHARE_CREATE, "inside/s", 0)->as.share_create.tier = plain_tier();
    commands_add(&list, COMMAND_STORAGE_CREATE, "lost", 0)->path.group = "none";
    commands_add(&list, COMMAND_GROUP_DELETE, "g", NS_PER_S);
    Recording recording = recording_create(arena);
    World *world = world_create(arena, scenario_of(&list, 1), recording_sink(&recording, 2));
    world_run(world);
    ck_assert_ptr_nonnull(deleted(&recording, "share inside/s"));
    ck_assert_ptr_nonnull(deleted(&recording, "storage inside"));
    ck_assert_ptr_null(deleted(&recording, "storage a")); // in no group
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL),
                     1); // no group "none"
    uint32_t gone = 0;
    for (uint32_t i = 0; i < world_resource_count(world); i++)
        gone += world_resource(world, i).provisioning == PROVISIONING_DELETED;
    ck_assert_int_eq(gone, 4); // g, w, e, inside
    ck_assert_int_eq(world_resource(world, 3).made_by, COMMAND_STORAGE_CREATE);
    ck_assert_str_eq(world_resource(world, 3).path.name, "a");
}
END_TEST

/* 100 MB at 100 MB/s take a second; without the share the job waits for ever. */
START_TEST(a_job_whose_share_is_deleted_hangs)
{
    CommandList list = commands_begin(arena);
    const Program *training = plain_training_program(arena);
    Program *program = ARENA_NEW(arena, Program);
    *program = *training;
    program->downloads_data = false;
    program->data_share = "a/s";
    program->data_bytes = INT64_C(100000000000);
    JobSpec *job = plain_job(arena, 1, program);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "reads", 0, "c", job);
    commands_add(&list, COMMAND_SHARE_DELETE, "a/s", 10 * NS_PER_MIN);
    commands_create_job(&list, "late", 11 * NS_PER_MIN, "c", job);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->until_ns = NS_PER_DAY;
    World *world = world_create(arena, scenario, (TraceSink){0});
    world_check_always(world);
    world_run(world);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_RUNNING);
    ck_assert_int_eq(world_job(world, (JobId){0})->transfers.count, 1);
    ck_assert_int_eq(world_job(world, (JobId){1})->state, JOB_QUEUED);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("world_ask");
    TCase *tests = tcase_create("world_ask");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_command_from_outside_is_recorded_like_one_in_a_scenario);
    tcase_add_test(tests, a_refused_command_leaves_nothing);
    tcase_add_test(tests, a_deleted_share_can_be_made_again);
    tcase_add_test(tests, deleting_an_account_deletes_its_shares);
    tcase_add_test(tests, deleting_a_group_deletes_its_accounts);
    tcase_add_test(tests, a_job_whose_share_is_deleted_hangs);
    suite_add_tcase(suite, tests);
    return suite;
}
