#include "sim/cloud/job/job_name.h"
#include "sim/output/share/share_tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/output/share/job_files.h"
#include "sim/output/share/setup_files.h"
#include "sim/output/trace/fan.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/worlds.h"

/* An empty folder for each test. */
static Arena *folder_arena;
static const char *folder;

static void make_folder(void)
{
    folder_arena = arena_create();
    folder = temporary_folder_create(folder_arena);
}

static void remove_folder(void)
{
    temporary_folder_remove(folder);
    arena_destroy(folder_arena);
}

static const char *inside(Arena *arena, const char *path)
{
    return arena_printf(arena, "%s/%s", folder, path);
}

static Text read_all(const char *path)
{
    Text text = {0};
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&text, buffer, got);
    fclose(file);
    return text;
}

static void put_all(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

typedef struct {
    World *world;
    ShareTree *tree;
} Run;

static Run run_of(Arena *arena, const CommandList *list)
{
    ShareTree *tree = share_tree_create(arena);
    TraceFan *fan = trace_fan_create(arena);
    trace_fan_join(fan, share_tree_listener(tree));
    World *world = world_create(arena, scenario_of(list, 3), trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
    return (Run){world, tree};
}

static void upload(CommandList *list, const char *file, int64_t bytes, const char *local_path)
{
    Command *command = commands_add(list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    command->as.file_upload.file = file;
    command->as.file_upload.bytes = bytes;
    command->as.file_upload.local_path = local_path;
}

static void write_tree(Run run)
{
    Status status = {0};
    ck_assert_msg(share_tree_write(run.tree, run.world, folder, &status), "%s", status.message);
}

START_TEST(uploads_are_copied_or_marked_as_emulated)
{
    Arena *arena = arena_create();
    const char *local = inside(arena, "script.py");
    put_all(local, "print('hello')\n");
    CommandList list = commands_begin(arena);
    upload(&list, "cifar/script.py", 15, local);
    upload(&list, "data//train.bin", 1000000, NULL);
    upload(&list, "data/tiny", 3, NULL);
    write_tree(run_of(arena, &list));
    Text script = read_all(inside(arena, "share/a/s/cifar/script.py"));
    ck_assert_str_eq(script.data, "print('hello')\n");
    Text data = read_all(inside(arena, "share/a/s/data/train.bin"));
    ck_assert_uint_eq(data.length, 1000000);
    ck_assert_str_eq(strtok(data.data, "\n"),
                     "emulated by trainyard: 1000000 bytes, contents not modelled");
    Text tiny = read_all(inside(arena, "share/a/s/data/tiny"));
    ck_assert_str_eq(tiny.data, "emu");
    struct stat about;
    ck_assert_int_eq(stat(inside(arena, "share/a/s/data/train.bin"), &about), 0);
    ck_assert_int_eq(about.st_mtime, 1531935901); // 2018-07-18T17:45:01Z
    ck_assert_int_lt(about.st_blocks * 512, 1000000);
    text_free(&script);
    text_free(&data);
    text_free(&tiny);
    arena_destroy(arena);
}
END_TEST

START_TEST(the_last_upload_of_a_file_remains)
{
    Arena *arena = arena_create();
    const char *first = inside(arena, "first"), *second = inside(arena, "second");
    put_all(first, "one");
    put_all(second, "second");
    CommandList list = commands_begin(arena);
    upload(&list, "file", 3, first);
    upload(&list, "file", 6, second);
    write_tree(run_of(arena, &list));
    Text file = read_all(inside(arena, "share/a/s/file"));
    ck_assert_str_eq(file.data, "second");
    text_free(&file);
    arena_destroy(arena);
}
END_TEST

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

START_TEST(a_job_leaves_its_logs_checkpoints_and_model)
{
    Arena *arena = arena_create();
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/s";
    program->checkpoint_path = "logs/checkpoint-{epoch}.h5";
    program->checkpoint_every = 2;
    program->model_path = "out/{segment}/outputs/model.h5"; // as under $AZ_BATCHAI_OUTPUT_MODEL
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", plain_job(arena, 1, program));
    Run run = run_of(arena, &list);
    write_tree(run);
    const Job *job = world_job(run.world, (JobId){0});
    int64_t now_ns = world_now_ns(run.world);
    int32_t count;
    FileEntry *entries = job_files_list(run.world, job, now_ns, arena, &count);
    ck_assert_int_eq(count, 3);
    for (int32_t i = 0; i < count; i++) {
        const char *path = arena_printf(
            arena, "share/a/s/%s/%s", job_files_directory(run.world, job, arena), entries[i].name);
        Text on_disk = read_all(inside(arena, path)), asked = {0};
        ck_assert(
            job_file_write(run.world, job, entries[i].name, now_ns, (ByteSink){&asked, append}));
        ck_assert_str_eq(text_string(&on_disk), text_string(&asked));
        text_free(&on_disk);
        text_free(&asked);
    }
    // Four epochs, a checkpoint after every second.
    const char *const models[] = {
        "logs/checkpoint-2.h5", "logs/checkpoint-4.h5",
        arena_printf(arena, "out/%s/outputs/model.h5",
                     job_output_segment(world_scenario(run.world), job, arena))};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        Text model = read_all(inside(arena, arena_printf(arena, "share/a/s/%s", models[i])));
        ck_assert_uint_gt(model.length, 10000000);
        ck_assert_mem_eq(model.data, "\x89HDF\r\n\x1a\n", 8);
        text_free(&model);
    }
    ck_assert_int_ne(access(inside(arena, "share/a/s/logs/checkpoint-1.h5"), F_OK), 0);
    arena_destroy(arena);
}
END_TEST

/* The node gets its notice in the second epoch, and the job resumes within it. */
START_TEST(the_log_of_a_job_that_resumes_within_an_epoch_begins_there)
{
    Arena *arena = arena_create();
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->is_keras = false;
    program->steps_per_epoch = 1000;
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/s";
    program->resumes = program->saves_on_notice = true;
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, 1);
    spec->is_low_priority = true;
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_EPOCH; fidelity++) {
        CommandList list = commands_begin(arena);
        commands_create_cluster(&list, "c", 0, spec);
        commands_create_job(&list, "j", 0, "c", plain_job(arena, 1, program));
        Command *fault = commands_add(&list, COMMAND_NODE_PREEMPT, "j", 0);
        // In the middle of step 457.
        fault->trigger = (Trigger){
            .moment = MOMENT_JOB_STEP, .subject = "j", .ordinal = 1456, .delay_ns = NS_PER_MS};
        fault->path =
            (ResourcePath){.group = "g", .workspace = "w", .experiment = "e", .name = "j"};
        fault->as.fault.is_of_job = true;
        fault->as.fault.node = 1;
        Scenario *scenario = scenario_of(&list, 1);
        scenario->fidelity = (Fidelity)fidelity;
        scenario->service.preemption_notice_ns = 2 * NS_PER_S;
        World *world = world_create(arena, scenario, (TraceSink){.level = TRACE_LEVEL_EPOCHS});
        world_run(world);
        const Job *job = world_job(world, (JobId){0});
        ck_assert_int_eq(job->starts, 2);
        Text log = {0};
        ck_assert(job_file_write(world, job, "stdout.txt", world_now_ns(world),
                                 (ByteSink){&log, append}));
        const char *text = text_string(&log);
        ck_assert_ptr_nonnull(strstr(text, "1 of 4 epochs are done"));
        ck_assert_ptr_nonnull(strstr(text, "resumed within an epoch: 457 of 1000 steps are done"));
        ck_assert_ptr_null(strstr(text, "epoch 2/4 step 400/1000"));
        ck_assert_ptr_nonnull(strstr(text, "epoch 2/4 step 500/1000"));
        ck_assert_ptr_nonnull(strstr(text, "epoch 3/4 step 100/1000"));
        text_free(&log);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(set_up_tasks_leave_their_logs)
{
    Arena *arena = arena_create();
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, 2);
    spec->setup_command = "bash install.sh";
    spec->setup_std_out_err = (OutputPlace){"a/s", "logs"};
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, spec);
    Run run = run_of(arena, &list);
    write_tree(run);
    const char *directory =
        setup_files_directory(run.world, world_cluster(run.world, (ClusterId){0}), arena);
    for (uint32_t i = 0; i < 2; i++) {
        const char *node = world_node(run.world, (NodeId){i})->name;
        Text text = read_all(
            inside(arena, arena_printf(arena, "share/a/s/%s/stdout-%s.txt", directory, node)));
        ck_assert_str_eq(text.data,
                         "# Emulated by trainyard: the command's own output is not known.\n"
                         "+ bash install.sh\n# exit code 0 after 0 s\n");
        text_free(&text);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(an_empty_share_has_a_folder)
{
    Arena *arena = arena_create();
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_SHARE_CREATE, "a/empty", 0)->as.share_create.tier = plain_tier();
    write_tree(run_of(arena, &list));
    struct stat about;
    ck_assert_int_eq(stat(inside(arena, "share/a/empty"), &about), 0);
    ck_assert(S_ISDIR(about.st_mode));
    arena_destroy(arena);
}
END_TEST

START_TEST(no_file_is_written_outside_its_share)
{
    static const char *const paths[] = {
        "../outside", "cifar/../../outside", "/etc/outside", "..", "a/..", "", "./"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        Arena *arena = arena_create();
        CommandList list = commands_begin(arena);
        upload(&list, paths[i], 3, NULL);
        Run run = run_of(arena, &list);
        Status status = {0};
        ck_assert_msg(!share_tree_write(run.tree, run.world, folder, &status), "%s", paths[i]);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(status.message, "is not a path inside the share"));
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(a_failure_of_the_machine_is_reported_and_leaves_no_partial_file)
{
    Arena *arena = arena_create();
    CommandList list = commands_begin(arena);
    upload(&list, "script.py", 15, inside(arena, "missing.py"));
    Run run = run_of(arena, &list);
    Status status = {0};
    ck_assert(!share_tree_write(run.tree, run.world, folder, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, "missing.py: No such file or directory"));
    ck_assert_int_ne(access(inside(arena, "share/a/s/script.py"), F_OK), 0);
    ck_assert_int_ne(access(inside(arena, "share/a/s/script.py.partial"), F_OK), 0);
    // A file where a folder should be.
    put_all(inside(arena, "file"), "");
    ck_assert(!share_tree_write(run.tree, run.world, inside(arena, "file"), &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, "cannot make the folder"));
    arena_destroy(arena);
}
END_TEST

START_TEST(deleted_files_are_not_written)
{
    Arena *arena = arena_create();
    CommandList list = commands_begin(arena);
    upload(&list, "gone.py", 3, NULL);
    upload(&list, "stays.py", 3, NULL);
    upload(&list, "back.py", 3, NULL);
    commands_add(&list, COMMAND_FILE_DELETE, "a/s", 2 * NS_PER_S)->as.file_delete.file = "gone.py";
    commands_add(&list, COMMAND_FILE_DELETE, "a/s", 2 * NS_PER_S)->as.file_delete.file = "back.py";
    upload(&list, "back.py", 3, NULL);
    list.items[list.count - 1].trigger.delay_ns = 3 * NS_PER_S;
    commands_add(&list, COMMAND_SHARE_CREATE, "a/old", 0)->as.share_create.tier = plain_tier();
    upload(&list, "x", 3, NULL);
    list.items[list.count - 1].path.name = "a/old";
    commands_add(&list, COMMAND_SHARE_DELETE, "a/old", 2 * NS_PER_S);
    write_tree(run_of(arena, &list));
    ck_assert_int_ne(access(inside(arena, "share/a/s/gone.py"), F_OK), 0);
    ck_assert_int_eq(access(inside(arena, "share/a/s/stays.py"), F_OK), 0);
    ck_assert_int_eq(access(inside(arena, "share/a/s/back.py"), F_OK), 0);
    ck_assert_int_ne(access(inside(arena, "share/a/old"), F_OK), 0);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("share_tree");
    TCase *tests = tcase_create("tree");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, uploads_are_copied_or_marked_as_emulated);
    tcase_add_test(tests, the_last_upload_of_a_file_remains);
    tcase_add_test(tests, a_job_leaves_its_logs_checkpoints_and_model);
    tcase_add_test(tests, the_log_of_a_job_that_resumes_within_an_epoch_begins_there);
    tcase_add_test(tests, set_up_tasks_leave_their_logs);
    tcase_add_test(tests, an_empty_share_has_a_folder);
    tcase_add_test(tests, deleted_files_are_not_written);
    tcase_add_test(tests, no_file_is_written_outside_its_share);
    tcase_add_test(tests, a_failure_of_the_machine_is_reported_and_leaves_no_partial_file);
    suite_add_tcase(suite, tests);
    return suite;
}
