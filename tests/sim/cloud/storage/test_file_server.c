/* The life of file servers: created in 240 s, deleted in 400 s (plain_service). */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static Command *create_server(const char *name, int64_t at_s)
{
    Command *command = commands_add(&list, COMMAND_FILE_SERVER_CREATE, name, at_s * NS_PER_S);
    command->as.file_server_create.vm_size = plain_vm_size();
    command->as.file_server_create.tier = plain_tier();
    command->as.file_server_create.share =
        file_server_share_name(arena, (ResourcePath){.name = name});
    return command;
}

static World *world_of(void)
{
    World *world =
        world_create(arena, scenario_of(&list, 1), recording_sink(&recording, TRACE_LEVEL_EPOCHS));
    world_check_always(world);
    return world;
}

static World *run(void)
{
    World *world = world_of();
    world_run(world);
    return world;
}

static int64_t at_s(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind, name, n);
    ck_assert_msg(record != NULL, "no record %d of %s", (int)n, name);
    return record->at_ns / NS_PER_S;
}

/* A job that mounts the file server "nfs" and reads 1 GB there. */
static void create_reader(int64_t at_s)
{
    static const char *const mounts[] = {"fileserver/nfs"};
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->downloads_data = false;
    program->data_share = "fileserver/nfs";
    program->data_bytes = INT64_C(1000000000);
    JobSpec *spec = plain_job(arena, 1, program);
    spec->mount_count = 1;
    spec->mounts = mounts;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", at_s * NS_PER_S, "c", spec);
}

START_TEST(a_file_server_is_a_share_once_created_and_billed_until_deleted)
{
    create_server("nfs", 0);
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "nfs", 1000 * NS_PER_S);
    World *world = world_of();
    world_advance(world, 239 * NS_PER_S);
    ck_assert(!storage_has_share(world->storage, "fileserver/nfs"));
    world_advance(world, 240 * NS_PER_S);
    ck_assert(storage_has_share(world->storage, "fileserver/nfs"));
    world_advance(world, 1000 * NS_PER_S);
    ck_assert(!storage_has_share(world->storage, "fileserver/nfs"));
    world_run(world);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "creating nfs", 0), 0);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "succeeded nfs", 0), 240);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "deleting nfs", 0), 1000);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "deleted nfs", 0), 1400);
    // 1400 s are 23 whole minutes.
    const TraceRecord *bill = recording_find(&recording, TRACE_FILE_SERVER_BILLED, "nfs", 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_BILLED, NULL), 1);
    ck_assert_int_eq(bill->since_ns, 0);
    ck_assert_int_eq(bill->at_ns, 1400 * NS_PER_S);
    ck_assert_int_eq(bill->file_server_billed.billed_ns, 23 * NS_PER_MIN);
    ck_assert_int_eq(bill->file_server_billed.micro_usd_per_hour, 900000);
}
END_TEST

START_TEST(a_file_server_that_is_not_deleted_is_billed_at_the_end_of_the_run)
{
    create_server("nfs", 0);
    world_run(world_of());
    ck_assert_int_eq(recording_find(&recording, TRACE_FILE_SERVER_BILLED, "nfs", 0)
                         ->file_server_billed.billed_ns,
                     4 * NS_PER_MIN);
}
END_TEST

START_TEST(the_machine_may_be_slower_than_its_disks)
{
    // The network carries 125 MB/s, the disks 200 MB/s to read and 100 to write.
    ShareTier disks = *plain_tier();
    disks.read_bytes_per_s = 200000000;
    create_server("nfs", 0)->as.file_server_create.tier = &disks;
    World *world = run();
    const ShareTier *tier =
        share_tier(world_share(world, world_find_share(world, "fileserver/nfs")));
    ck_assert_int_eq(tier->read_bytes_per_s, 125000000);
    ck_assert_int_eq(tier->write_bytes_per_s, 100000000);
}
END_TEST

START_TEST(a_job_reads_from_a_file_server)
{
    create_server("nfs", 0);
    create_reader(300);
    World *world = run();
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_SUCCEEDED);
    const TraceRecord *read = recording_find(&recording, TRACE_TRANSFER, "read", 0);
    ck_assert_str_eq(share_name(world_share(world, read->share)), "fileserver/nfs");
    ck_assert_int_eq(read->at_ns - read->since_ns, 10 * NS_PER_S + 1250 * NS_PER_MS);
}
END_TEST

START_TEST(a_missing_file_server_cannot_be_mounted)
{
    create_reader(0);
    create_server("nfs", 1000);
    World *world = run();
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_FAILED);
    ck_assert_str_eq(world_job(world, (JobId){0})->error_code, "AZFMountError");
}
END_TEST

START_TEST(a_job_hangs_when_its_file_server_is_deleted)
{
    create_server("nfs", 0);
    create_reader(300); // reads from 300 + 2 + 15 + 1 + 10 s on, for 11.25 s
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "nfs", 333 * NS_PER_S);
    World *world = run();
    const Job *job = world_job(world, (JobId){0});
    ck_assert_ptr_null(recording_find(&recording, TRACE_TRANSFER, "read", 0));
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_int_eq(job->ended_ns - job->started_ns, 7 * NS_PER_DAY);
    ck_assert_int_eq(at_s(TRACE_SHARE_STATE, "out", 0), 333);
}
END_TEST

START_TEST(a_deleted_file_server_cannot_be_slowed_down)
{
    create_server("nfs", 0);
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "nfs", 1000 * NS_PER_S);
    Command *slow = commands_add(&list, COMMAND_SHARE_SLOW, "fileserver/nfs", 2000 * NS_PER_S);
    slow->as.fault.speed_ppm = PPM / 2;
    slow->as.fault.duration_ns = NS_PER_MIN;
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED,
                                     "share.slow fileserver/nfs: The specified share "
                                     "fileserver/nfs is not found"),
                     1);
}
END_TEST

START_TEST(a_name_can_be_used_again_once_it_is_free)
{
    create_server("nfs", 0);
    create_server("nfs", 10);                                              // exists already
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "NFS", 20 * NS_PER_S); // still creating
    create_server("nfs", 419);                                             // being deleted
    create_server("nfs", 420);
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "other", 500 * NS_PER_S);
    World *world = run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 3);
    ck_assert_ptr_nonnull(
        recording_find(&recording, TRACE_COMMAND_REFUSED,
                       "fileserver.create nfs: file server \"nfs\" exists already", 1));
    ck_assert_ptr_nonnull(
        recording_find(&recording, TRACE_COMMAND_REFUSED,
                       "fileserver.delete other: The specified file server other is not found", 0));
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_PROVISIONING, "succeeded nfs"),
                     1); // the first was deleted before
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "succeeded nfs", 0), 660);
    ck_assert(storage_has_share(world->storage, "fileserver/nfs"));
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_BILLED, NULL), 2);
}
END_TEST

START_TEST(after_a_deletion_the_name_refers_to_a_new_share)
{
    create_server("nfs", 0);
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "nfs", 300 * NS_PER_S);
    create_server("nfs", 700);
    World *world = run();
    ck_assert_uint_eq(world_share_count(world), 3); // with a/s
    ck_assert_uint_eq(world_find_share(world, "fileserver/nfs").index, 2);
    ck_assert(!share_is_out(world_share(world, (ShareId){2})));
    ck_assert(share_is_out(world_share(world, (ShareId){1})));
}
END_TEST

START_TEST(two_workspaces_may_have_servers_with_the_same_name)
{
    static const char *const mounts[] = {"fileserver/g/w2/nfs"};
    create_server("nfs", 0);
    commands_add(&list, COMMAND_WORKSPACE_CREATE, "w2", 0);
    Command *other = create_server("nfs", 5);
    other->path.workspace = "w2";
    other->as.file_server_create.share = mounts[0];
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "nfs", 300 * NS_PER_S);
    ClusterSpec spec = *plain_cluster(arena, 1);
    spec.mounts = mounts;
    spec.mount_count = 1;
    commands_create_cluster(&list, "c", 400 * NS_PER_S, &spec);
    World *world = run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_PROVISIONING, "succeeded nfs"),
                     2);
    ck_assert(!storage_has_share(world->storage, "fileserver/nfs"));
    ck_assert(storage_has_share(world->storage, mounts[0]));
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE], 1);
}
END_TEST

START_TEST(a_server_cannot_share_its_name_with_a_storage_account)
{
    // A storage account already has this name. The creation fails like any failure of the service,
    // and its 240 s are billed.
    commands_add(&list, COMMAND_STORAGE_CREATE, "fileserver", 0);
    commands_add(&list, COMMAND_SHARE_CREATE, "fileserver/nfs", 1)->as.share_create.tier =
        plain_tier();
    create_server("nfs", 5);
    commands_add(&list, COMMAND_FILE_SERVER_DELETE, "nfs", 600 * NS_PER_S);
    run();
    const char *failed =
        "failed nfs: FileServerProvisioningFailed: File Server provisioning has failed";
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, failed, 0), 245);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_BILLED, "nfs", 0), 245);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "deleted nfs", 0), 1000);
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_BILLED, NULL), 1);
}
END_TEST

START_TEST(a_creation_that_fails_leaves_no_share)
{
    // Every chance strikes. With rate 0 none does.
    for (int32_t is_on = 0; is_on < 2; is_on++) {
        recording = recording_create(arena);
        list = commands_begin(arena);
        create_server("nfs", 0);
        Scenario *scenario = scenario_of(&list, 1);
        scenario->failures = (Failures){
            .rate_ppm = is_on ? PPM : 0, .file_server_ppm = PPM, .slow_node_speed_ppm = PPM};
        World *world =
            world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_EPOCHS));
        world_check_always(world);
        world_run(world);
        ck_assert(storage_has_share(world->storage, "fileserver/nfs") == !is_on);
        ck_assert_int_eq(
            recording_count(&recording, TRACE_FILE_SERVER_PROVISIONING, "succeeded nfs"), !is_on);
        ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_BILLED, "nfs"), 1);
    }
}
END_TEST

START_TEST(a_file_server_is_deleted_with_its_workspace)
{
    create_server("nfs", 0);
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", 300 * NS_PER_S);
    run();
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "deleting nfs", 0), 300);
    ck_assert_int_eq(at_s(TRACE_FILE_SERVER_PROVISIONING, "deleted nfs", 0), 700);
}
END_TEST

START_TEST(a_file_server_needs_its_workspace)
{
    create_server("nfs", 0)->path.workspace = "elsewhere";
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_SERVER_PROVISIONING, NULL), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_server");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_file_server_is_a_share_once_created_and_billed_until_deleted);
    tcase_add_test(tests, a_file_server_that_is_not_deleted_is_billed_at_the_end_of_the_run);
    tcase_add_test(tests, the_machine_may_be_slower_than_its_disks);
    tcase_add_test(tests, a_job_reads_from_a_file_server);
    tcase_add_test(tests, a_missing_file_server_cannot_be_mounted);
    tcase_add_test(tests, a_job_hangs_when_its_file_server_is_deleted);
    tcase_add_test(tests, a_deleted_file_server_cannot_be_slowed_down);
    tcase_add_test(tests, a_name_can_be_used_again_once_it_is_free);
    tcase_add_test(tests, after_a_deletion_the_name_refers_to_a_new_share);
    tcase_add_test(tests, two_workspaces_may_have_servers_with_the_same_name);
    tcase_add_test(tests, a_server_cannot_share_its_name_with_a_storage_account);
    tcase_add_test(tests, a_creation_that_fails_leaves_no_share);
    tcase_add_test(tests, a_file_server_is_deleted_with_its_workspace);
    tcase_add_test(tests, a_file_server_needs_its_workspace);
    suite_add_tcase(suite, tests);
    return suite;
}
