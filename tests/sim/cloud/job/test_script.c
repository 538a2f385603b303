/* Jobs whose command line is a script: time, files on nodes and shares, and logs. */
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/tables.h"
#include "sim/output/share/job_files.h"
#include "sim/output/share/written_file.h"
#include "sim/scenario/config/shell_read.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

/* With plain_service a job on the cluster of three nodes, created at 0, starts at 230 s; mounts
 * take 15 s, the host 1 s. */
enum { STARTED_S = 230 + 15 + 1 };

static Arena *arena;
static CommandList list;
static Recording told;
static World *world;

static void begin(void)
{
    arena = arena_create();
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
}

static void end(void)
{
    arena_destroy(arena);
}

static const EnvironmentVariable variables[] = {
    {.name = "AZ_BATCHAI_JOB_TEMP", .value = "/mnt/batch/tasks/shared/LS_root/jobs/j"},
    {.name = "S", .value = "/mnt/batch/tasks/shared/LS_root/mounts/s"},
    {.name = "AZ_BATCHAI_OUTPUT_O",
     .value = "/mnt/batch/tasks/shared/LS_root/mounts/s/{segment}/outputs/"},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static const ShellScript *script(const char *line)
{
    static KnownShare share = {.name = "a/s"};
    static Mount items[] = {{.path = "/mnt/batch/tasks/shared/LS_root/mounts/s", .folder = ""}};
    static const Mounts mounts = {.count = 1, .items = items};
    items[0].share = &share;
    const ShellScript *read = shell_read(arena, line, VARIABLES, variables, &mounts, NULL);
    ck_assert_msg(read, "not understood: %s", line);
    return read;
}

static JobSpec *job(int32_t nodes, const char *line)
{
    static const char *const mounts[] = {"a/s"};
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_SHELL, .name = "shell", .script = script(line)};
    JobSpec *spec = plain_job(arena, nodes, program);
    spec->environment_count = VARIABLES;
    spec->environment = variables;
    spec->mount_count = 1;
    spec->mounts = mounts;
    return spec;
}

static void submit(const char *name, const JobSpec *spec)
{
    commands_create_job(&list, name, 0, "c", spec);
}

static World *make(void)
{
    Scenario *scenario = scenario_of(&list, 1);
    told = recording_create(arena);
    world = world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_STEPS));
    world_check_always(world);
    return world;
}

static const Job *job_at(uint32_t index)
{
    return world_job(world, (JobId){index});
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static const char *log_of(uint32_t index, const char *name)
{
    Text text = {0};
    ck_assert(
        job_file_write(world, job_at(index), name, world_now_ns(world), (ByteSink){&text, append}));
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* The contents of `path` on the share; NULL: there is no such file. */
static const char *on_share(const char *path)
{
    uint32_t file = FILE_NONE;
    for (int32_t i = 0; i < told.count; i++) {
        const TraceRecord *record = &told.items[i];
        if (record->kind == TRACE_FILE_WRITTEN && strcmp(record->name, path) == 0)
            file = record->file;
        if (record->kind == TRACE_FILE_DELETED && strcmp(record->name, path) == 0)
            file = FILE_NONE;
    }
    Text text = {0};
    Status status = {0};
    if (file == FILE_NONE)
        return NULL;
    ck_assert_msg(written_bytes(world, file, (ByteSink){&text, append}, &status), "%s",
                  status.message);
    ck_assert_int_eq((int64_t)text.length, world_file(world, file)->bytes);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void at_s(int64_t s)
{
    world_advance(world, s * NS_PER_S);
}

/* --- Time --- */

START_TEST(the_output_of_a_script_grows_between_its_sleeps)
{
    submit("j", job(1, "echo one; sleep 60; echo two >&2; sleep 30; echo three"));
    make();
    at_s(STARTED_S + 59);
    ck_assert_str_eq(log_of(0, "stdout.txt"), "one\n");
    ck_assert_str_eq(log_of(0, "stderr.txt"), "");
    at_s(STARTED_S + 60);
    ck_assert_str_eq(log_of(0, "stderr.txt"), "two\n");
    ck_assert_int_eq(job_at(0)->state, JOB_RUNNING);
    world_run(world);
    ck_assert_str_eq(log_of(0, "stdout.txt"), "one\nthree\n");
    ck_assert_int_eq(job_at(0)->state, JOB_SUCCEEDED);
    ck_assert_int_eq(job_at(0)->ended_ns, (STARTED_S + 90) * NS_PER_S);
}
END_TEST

START_TEST(the_exit_code_is_that_of_the_script_and_no_message_is_added)
{
    submit("j", job(1, "cat missing; exit 260"));
    world_run(make());
    ck_assert_int_eq(job_at(0)->state, JOB_FAILED);
    ck_assert_int_eq(job_at(0)->exit_code, 4);
    ck_assert_str_eq(job_at(0)->error_code, "JobFailed");
    ck_assert_str_eq(log_of(0, "stderr.txt"), "cat: missing: No such file or directory\n");
}
END_TEST

START_TEST(limits_and_users_end_a_script_that_sleeps_for_ever)
{
    JobSpec *limited = job(1, "echo on; sleep infinity; echo never");
    limited->max_wall_clock_ns = 100 * NS_PER_S;
    submit("limited", limited);
    submit("stopped", job(1, "sleep infinity || exit 3"));
    commands_add(&list, COMMAND_JOB_TERMINATE, "stopped", 400 * NS_PER_S);
    world_run(make());
    ck_assert_int_eq(job_at(0)->ended_ns, 330 * NS_PER_S);
    ck_assert_str_eq(log_of(0, "stdout.txt"), "on\n");
    ck_assert_int_eq(job_at(1)->ended_ns, 405 * NS_PER_S);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_str_eq(job_at(i)->error_code, "JobTerminated");
        ck_assert_int_eq(job_at(i)->exit_code, -1);
    }
}
END_TEST

START_TEST(a_script_that_a_fault_ends_prints_so)
{
    submit("j", job(1, "echo on >&2; sleep 100; echo never >&2"));
    Command *exit = commands_add(&list, COMMAND_JOB_EXIT, "j", 300 * NS_PER_S);
    exit->path.experiment = "e";
    exit->as.fault.exit_code = 137;
    world_run(make());
    ck_assert_int_eq(job_at(0)->exit_code, 137);
    ck_assert_str_eq(log_of(0, "stderr.txt"), "on\n# Emulated by trainyard: the program ended with "
                                              "exit code 137, killed by signal 9.\n");
}
END_TEST

START_TEST(a_script_starts_again_after_a_lost_node)
{
    submit("j", job(1, "echo here; touch mine; [ -s mine ]; echo $?; echo x >> $S/count; "
                       "echo new > mine; sleep 600"));
    Command *crash = commands_add(&list, COMMAND_NODE_CRASH, "c", 300 * NS_PER_S);
    crash->as.fault.node = 1;
    crash->as.fault.recovery = RECOVERY_REBOOT;
    crash->as.fault.duration_ns = 100 * NS_PER_S;
    world_run(make());
    ck_assert_int_eq(job_at(0)->state, JOB_SUCCEEDED);
    ck_assert_int_eq(job_at(0)->starts, 2);
    // The file on the node is gone; the file on the share still exists.
    ck_assert_str_eq(log_of(0, "stdout.txt"), "here\n1\n");
    ck_assert_str_eq(on_share("count"), "x\nx\n");
    ck_assert_int_eq(job_at(0)->ended_ns, job_at(0)->started_ns + 616 * NS_PER_S);
}
END_TEST

/* --- Files --- */

START_TEST(a_script_reads_uploads_and_files_of_other_jobs)
{
    Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    upload->as.file_upload.file = "data//words.txt";
    upload->as.file_upload.text = "one two\n";
    upload->as.file_upload.bytes = 8;
    submit("writer", job(1, "cd $S/data; cat words.txt words.txt > twice.txt; sleep 10; "
                            "echo end >> twice.txt"));
    submit("early", job(1, "sleep 5; cat $S/data/twice.txt"));
    submit("late", job(1, "sleep 20; cat $S/data/twice.txt; cp $S/data/twice.txt $S/data/copy"));
    world_run(make());
    ck_assert_str_eq(log_of(1, "stdout.txt"), "one two\none two\n");
    ck_assert_str_eq(log_of(2, "stdout.txt"), "one two\none two\nend\n");
    ck_assert_str_eq(on_share("data/copy"), "one two\none two\nend\n");
}
END_TEST

START_TEST(each_write_is_recorded_with_its_bytes_when_it_happens)
{
    submit("j", job(2, "echo one > $S/f; sleep 7; printf abcdef > $S/f; echo x > /tmp/own"));
    world_run(make());
    ck_assert_int_eq(recording_count(&told, TRACE_FILE_WRITTEN, NULL), 2);
    const TraceRecord *first = recording_find(&told, TRACE_FILE_WRITTEN, "f", 0);
    const TraceRecord *second = recording_find(&told, TRACE_FILE_WRITTEN, "f", 1);
    ck_assert_int_eq(first->at_ns, STARTED_S * NS_PER_S);
    ck_assert_int_eq(first->bytes, 4);
    ck_assert_int_eq(second->at_ns, (STARTED_S + 7) * NS_PER_S);
    ck_assert_int_eq(second->bytes, 6);
    ck_assert_uint_eq(second->share.index, 0);
    ck_assert_uint_eq(second->job.index, 0);
    ck_assert_uint_eq(second->node.index, job_at(0)->nodes[0].index);
    ck_assert_int_eq(world_file(world, first->file)->bytes, 4); // also after the job has ended
}
END_TEST

START_TEST(outputs_are_stored_below_the_path_segment_of_the_job)
{
    submit("j", job(1, "echo hi | tee $AZ_BATCHAI_OUTPUT_O/hi.txt; [ -d $AZ_BATCHAI_OUTPUT_O ]"));
    world_run(make());
    ck_assert_int_eq(job_at(0)->state, JOB_SUCCEEDED);
    const char *segment = job_output_segment(world_scenario(world), job_at(0), arena);
    ck_assert_str_eq(on_share(arena_printf(arena, "%s/outputs/hi.txt", segment)), "hi\n");
    ck_assert_str_eq(log_of(0, "stdout.txt"), "hi\n");
}
END_TEST

START_TEST(a_deleted_file_is_not_found_and_unknown_contents_are_marked)
{
    Command *upload = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    upload->as.file_upload.file = "large";
    upload->as.file_upload.bytes = 5000000;
    submit("j", job(1, "cat $S/large; sleep 100; cat $S/large || cp $S/kept $S/other"));
    Command *kept = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", NS_PER_S);
    kept->as.file_upload.file = "kept";
    kept->as.file_upload.bytes = 100;
    Command *gone = commands_add(&list, COMMAND_FILE_DELETE, "a/s", 300 * NS_PER_S);
    gone->as.file_delete.file = "large";
    world_run(make());
    ck_assert_str_eq(log_of(0, "stdout.txt"),
                     "emulated by trainyard: 5000000 bytes, contents not modelled\n");
    ck_assert_str_eq(log_of(0, "stderr.txt"),
                     "cat: /mnt/batch/tasks/shared/LS_root/mounts/s/large: "
                     "No such file or directory\n");
    const TraceRecord *copy = recording_find(&told, TRACE_FILE_WRITTEN, "other", 0);
    ck_assert_int_eq(copy->bytes, 100);
}
END_TEST

START_TEST(a_script_hangs_when_its_share_is_deleted)
{
    JobSpec *spec = job(1, "sleep 100; echo x > $S/f");
    spec->max_wall_clock_ns = NS_PER_HOUR;
    submit("j", spec);
    commands_add(&list, COMMAND_SHARE_DELETE, "a/s", 300 * NS_PER_S);
    world_run(make());
    ck_assert_str_eq(job_at(0)->error_code, "JobTerminated");
    ck_assert_int_eq(job_at(0)->ended_ns, (230 + 3600) * NS_PER_S);
}
END_TEST

/* --- Preparation --- */

static void prepare(JobSpec *spec, const char *line)
{
    spec->has_preparation = true;
    spec->preparation_command = line;
    spec->preparation_script = script(line);
    spec->preparation_ns = constant(arena, 2 * NS_PER_S); // like any preparation
}

START_TEST(a_preparation_runs_on_every_node_before_the_program)
{
    JobSpec *spec = job(2, "cat $S/log; cat /tmp/own");
    prepare(spec, "echo ready; sleep 10; echo node >> $S/log; echo x > /tmp/own");
    submit("j", spec);
    world_run(make());
    ck_assert_int_eq(job_at(0)->attempt->program_ns, (STARTED_S + 12) * NS_PER_S);
    // The files that the preparation left on the master exist, too.
    ck_assert_str_eq(log_of(0, "stdout.txt"), "node\nnode\nx\n");
    int32_t count, outputs = 0;
    FileEntry *entries = job_files_list(world, job_at(0), world_now_ns(world), arena, &count);
    for (int32_t i = 0; i < count; i++)
        if (strncmp(entries[i].name, "stdout-job_prep", strlen("stdout-job_prep")) == 0) {
            ck_assert_str_eq(log_of(0, entries[i].name), "ready\n");
            outputs++;
        }
    ck_assert_int_eq(outputs, 2);
}
END_TEST

START_TEST(a_preparation_that_fails_ends_the_job_with_its_code)
{
    JobSpec *spec = job(1, "echo never");
    prepare(spec, "sleep 3; cat none || exit 9");
    submit("j", spec);
    world_run(make());
    ck_assert_str_eq(job_at(0)->error_code, "JobPreparationFailed");
    ck_assert_int_eq(job_at(0)->exit_code, 9);
    ck_assert_int_eq(job_at(0)->ended_ns, (STARTED_S + 5) * NS_PER_S);
    ck_assert_str_eq(log_of(0, "stderr-job_prep.txt"), "cat: none: No such file or directory\n");
}
END_TEST

/* --- Other commands --- */

START_TEST(a_command_without_a_program_prints_that_it_is_not_run)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, 90 * NS_PER_S, 3);
    program->is_other = true;
    submit("j", plain_job(arena, 1, program));
    make();
    at_s(240);
    const char *says = "# Emulated by trainyard: this command is not run; it takes 1 min 30 s and "
                       "ends with exit code 3.\n"
                       "# To say what it does: \"programs\" of a scenario, `trainyard serve "
                       "--program`, or the job's variables TRAINYARD_DURATION and "
                       "TRAINYARD_EXIT_CODE.\n";
    ck_assert_str_eq(log_of(0, "stdout.txt"), says);
    world_run(world);
    ck_assert_str_eq(log_of(0, "stdout.txt"), says);
    ck_assert_int_eq(job_at(0)->exit_code, 3);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_shell");
    TCase *cases = tcase_create("scripts");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, the_output_of_a_script_grows_between_its_sleeps);
    tcase_add_test(cases, the_exit_code_is_that_of_the_script_and_no_message_is_added);
    tcase_add_test(cases, limits_and_users_end_a_script_that_sleeps_for_ever);
    tcase_add_test(cases, a_script_that_a_fault_ends_prints_so);
    tcase_add_test(cases, a_script_starts_again_after_a_lost_node);
    tcase_add_test(cases, a_script_reads_uploads_and_files_of_other_jobs);
    tcase_add_test(cases, each_write_is_recorded_with_its_bytes_when_it_happens);
    tcase_add_test(cases, outputs_are_stored_below_the_path_segment_of_the_job);
    tcase_add_test(cases, a_deleted_file_is_not_found_and_unknown_contents_are_marked);
    tcase_add_test(cases, a_script_hangs_when_its_share_is_deleted);
    tcase_add_test(cases, a_preparation_runs_on_every_node_before_the_program);
    tcase_add_test(cases, a_preparation_that_fails_ends_the_job_with_its_code);
    tcase_add_test(cases, a_command_without_a_program_prints_that_it_is_not_run);
    suite_add_tcase(suite, cases);
    return suite;
}
