/* emu/jobs/runs.h: commands that run for real, and what simulated time does meanwhile. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "emu/jobs/runs.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/emu/small_emulator.h"
#include "tests/support/suite.h"

#define IN_WORKSPACE "\"resource_group\": \"g\", \"workspace\": \"w\""

static SmallEmulator small;
static Emulator *emulator;

static int64_t machine_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static void command(const char *text)
{
    Problems problems = problems_create(small.arena);
    const Json *tree =
        json_parse(small.arena, "command", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree && session_command(emulator->session, tree, NULL, &problems), "%s",
                  problems.count > 0 ? problems.items[0].message : "");
}

static void take_up(const char *clock)
{
    Status status = {0};
    emulator = small.emulator;
    emulator->settings.runs.runs_jobs = true;
    emulator->settings.runs.time_limit_ns = NS_PER_MIN;
    emulator->settings.runs.output_limit_bytes = INT64_C(1) << 20;
    ck_assert(clock_parse(clock, &emulator->pace.clock, &status));
}

/* As the server's rounds, which end with a commit. */
static void tick(void)
{
    Status status = {0};
    emulator_tick(emulator, machine_ns(), INT64_C(1795000000000));
    ck_assert_msg(store_commit(emulator->store, &status), "%s", status.message);
}

/* With a cluster that is ready, on this clock. */
static void begin(const char *clock)
{
    small_emulator_open(&small, "2018-07-18T17:45:00Z", "acct", 7);
    take_up("manual");
    command("{\"do\": \"group.create\", \"name\": \"g\"}");
    command("{\"do\": \"workspace.create\", \"name\": \"w\", \"resource_group\": \"g\"}");
    command("{\"do\": \"experiment.create\", \"name\": \"e\", " IN_WORKSPACE "}");
    command("{\"do\": \"cluster.create\", \"name\": \"c\", " IN_WORKSPACE
            ", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_D1\", \"scaleSettings\": "
            "{\"manual\": {\"targetNodeCount\": 1}}}}}");
    tick();
    ck_assert(emulator_advance(emulator, NS_PER_HOUR));
    take_up(clock);
    clock_start(&emulator->pace.clock, emulator->pace.machine_ns,
                session_now_ns(emulator->session));
}

static void end(void)
{
    small_emulator_remove(&small);
}

static const Job *submit(const char *line)
{
    command(arena_printf(
        small.arena,
        "{\"do\": \"job.create\", \"name\": \"j\", \"cluster\": \"c\", \"experiment\": \"e\", "
        "\"execution\": \"real\", " IN_WORKSPACE ", \"config\": {\"properties\": {\"nodeCount\": "
        "1, \"customToolkitSettings\": {\"commandLine\": \"%s\"}, \"stdOutErrPathPrefix\": "
        "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/m\", \"mountVolumes\": {\"azureFileShares\": "
        "[{\"azureFileUrl\": \"https://acct.file.core.windows.net/share\", "
        "\"relativeMountPath\": \"m\"}]}}}}",
        line));
    return world_job(session_world(emulator->session), (JobId){0});
}

/* Ticks until the job's command is at work in the world (or is not any more), for a minute or so at
 * most. Returns an instant at which it was not yet. */
static int64_t tick_until(const Job *job, bool is_at_work)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int64_t before_ns = machine_ns();
    for (int i = 0; i < 12000 && job_runs_outside(job, 0) != is_at_work; i++) {
        nanosleep(&pause, NULL);
        before_ns = machine_ns();
        tick();
    }
    ck_assert(job_runs_outside(job, 0) == is_at_work);
    return before_ns;
}

START_TEST(a_fast_clock_is_held_back_while_a_command_runs)
{
    begin("x1000");
    const Job *job = submit("sleep 0.3");
    const int64_t began_ns = tick_until(job, true);
    (void)tick_until(job, false);
    const int64_t took_ns = machine_ns() - began_ns;
    ck_assert_int_ge(took_ns, 300 * NS_PER_MS);
    const int64_t since_ns = job->attempt->program_ns;
    ck_assert_int_le(session_now_ns(emulator->session) - since_ns, took_ns);
    for (int i = 0; i < 10; i++) { // and is let go afterwards
        const struct timespec pause = {.tv_nsec = 5000000};
        tick();
        nanosleep(&pause, NULL);
    }
    ck_assert_int_gt(session_now_ns(emulator->session) - since_ns, 10 * NS_PER_S);
    ck_assert_int_eq(job->state, JOB_SUCCEEDED);
    ck_assert_int_ge(job->ended_ns - since_ns, 300 * NS_PER_MS);
    ck_assert_int_le(job->ended_ns - since_ns, took_ns + 50 * NS_PER_MS);
    end();
}
END_TEST

START_TEST(a_daemon_of_a_command_does_not_outlive_it)
{
    begin("x1000");
    const char *file = arena_printf(small.arena, "%s/daemon", small.folder);
    const Job *job = submit(arena_printf(
        small.arena,
        "(setsid sh -c 'echo $$ >%s; sleep 600' &); while [ ! -s %s ]; do sleep 0.01; done", file,
        file));
    (void)tick_until(job, true);
    (void)tick_until(job, false);
    ck_assert_int_eq(job->state, JOB_SUCCEEDED);
    Status status = {0};
    char *text = NULL;
    size_t length;
    ck_assert(file_read(small.arena, file, 100, &text, &length, &status));
    const pid_t daemon = (pid_t)strtol(text, NULL, 10);
    ck_assert_int_gt(daemon, 1);
    ck_assert_int_eq(kill(daemon, 0), -1);
    end();
}
END_TEST

START_TEST(a_stopped_clock_reaches_the_end_when_it_is_advanced)
{
    begin("manual");
    const Job *job = submit("sleep 0.2; exit 3");
    (void)emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR);
    const int64_t since_ns = session_now_ns(emulator->session); // it goes no further than here
    ck_assert(job_runs_outside(job, 0));
    ck_assert_int_eq(job->attempt->program_ns, since_ns);
    (void)tick_until(job, false);
    ck_assert_int_eq(job->state, JOB_RUNNING);
    ck_assert_int_le(session_now_ns(emulator->session), since_ns + 1000);
    ck_assert(emulator_advance(emulator, since_ns + NS_PER_HOUR));
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_int_eq(job->exit_code, 3);
    ck_assert_int_ge(job->ended_ns - since_ns, 200 * NS_PER_MS);
    end();
}
END_TEST

START_TEST(the_clock_never_jumps_over_the_end_of_a_running_command)
{
    begin("manual");
    const Job *job = submit("sleep 60");
    (void)emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR);
    tick(); // prepared
    tick(); // shares laid out
    tick(); // started
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    tick();
    ck_assert(!emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR));
    const int64_t gone_ns = session_now_ns(emulator->session) - job->attempt->program_ns;
    ck_assert_int_ge(gone_ns, 40 * NS_PER_MS);
    ck_assert_int_le(gone_ns, 10 * NS_PER_S);
    ck_assert_int_lt(emulator_next_ns(emulator), emulator->pace.machine_ns + NS_PER_S);
    end();
}
END_TEST

START_TEST(an_emulator_without_the_option_reports_running_jobs_as_failed)
{
    begin("manual");
    const Job *job = submit("true");
    emulator->settings.runs.runs_jobs = false;
    (void)emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR);
    (void)tick_until(job, false);
    ck_assert(emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR));
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert(strstr(job->error_message, "this is one without") != NULL);
    end();
}
END_TEST

START_TEST(an_orderly_end_and_a_new_begin_find_the_same_world)
{
    Status status = {0};
    begin("manual");
    const Job *job = submit("sleep 60");
    (void)emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR);
    (void)tick_until(job, true);
    tick();
    tick();
    tick();
    ck_assert_msg(emulator_rest(emulator, &status), "%s", status.message);
    const int64_t now_ns = session_now_ns(emulator->session);
    const JobState state = job->state;
    ck_assert(!job_runs_outside(job, 0));
    emulator_close(emulator);
    small_emulator_start(&small);
    take_up("manual");
    job = world_job(session_world(emulator->session), (JobId){0});
    ck_assert_int_eq(session_now_ns(emulator->session), now_ns);
    ck_assert_int_eq(job->state, state);
    tick();
    (void)emulator_advance(emulator, now_ns + NS_PER_HOUR);
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_str_eq(job->error_message, "The emulator was ended while the job's command ran");
    end();
}
END_TEST

/* Ticks until the job's command has ended and its files are being copied back: the time that the
 * world may reach grows only while the command runs. */
static void tick_until_taking(const Job *job)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    int64_t before_ns = -1;
    (void)tick_until(job, true);
    for (int i = 0; i < 12000; i++) {
        const int64_t reach_ns = runs_reach_ns(emulator->runs);
        if (reach_ns == before_ns && reach_ns > job->attempt->program_ns)
            return;
        before_ns = reach_ns;
        nanosleep(&pause, NULL);
        tick();
    }
    ck_abort_msg("the command has not ended");
}

START_TEST(an_orderly_end_copies_the_files_of_a_command_that_has_ended_and_reports_its_end)
{
    Status status = {0};
    begin("manual");
    emulator->settings.runs.output_limit_bytes = INT64_C(1) << 40;
    const Job *job = submit("truncate -s 300M $AZ_BATCHAI_JOB_MOUNT_ROOT/m/large; exit 3");
    (void)emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR);
    tick_until_taking(job);
    ck_assert_msg(emulator_rest(emulator, &status), "%s", status.message);
    ck_assert(!job_runs_outside(job, 0));
    (void)emulator_advance(emulator, session_now_ns(emulator->session) + NS_PER_HOUR);
    ck_assert_int_eq(job->exit_code, 3);
    FilesReader *reader;
    int64_t bytes = 0;
    ck_assert_int_eq(files_open(emulator->files, share_name_read(small.arena, "acct/share"),
                                "large", &reader, &bytes),
                     FILES_OK);
    files_reader_close(reader);
    ck_assert_int_eq(bytes, INT64_C(300) << 20);
    end();
}
END_TEST

/* Below the state folder. */
static bool is_there(const char *path)
{
    struct stat facts;
    return lstat(arena_printf(small.arena, "%s/state/%s", small.folder, path), &facts) == 0;
}

START_TEST(leftovers_of_a_killed_emulator_are_removed_and_other_files_are_kept)
{
    static const char *const names[] = {"runs/job0-1/node1", "runs/job12-10", "runs/exp1",
                                        "runs/job0-1.old", "runs/job-1"};
    begin("manual");
    emulator_close(emulator);
    Status status = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert(folder_create(arena_printf(small.arena, "%s/state/%s", small.folder, names[i]),
                                &status));
    temporary_file_write(small.folder, "state/runs/best.pt", "weights", 7);
    temporary_file_write(small.folder, "state/contents/notes.txt", "mine", 4);
    small_emulator_start(&small);
    ck_assert(!is_there("runs/job0-1"));
    ck_assert(!is_there("runs/job12-10"));
    ck_assert(is_there("runs/exp1"));
    ck_assert(is_there("runs/job0-1.old"));
    ck_assert(is_there("runs/job-1"));
    ck_assert(is_there("runs/best.pt"));
    ck_assert(is_there("contents/notes.txt"));
    end();
}
END_TEST

START_TEST(an_emulator_without_jobs_leaves_no_folder_for_them)
{
    begin("manual");
    emulator_close(emulator);
    Status status = {0};
    ck_assert(
        folder_create(arena_printf(small.arena, "%s/state/runs/job3-1", small.folder), &status));
    small_emulator_start(&small);
    ck_assert(!is_there("runs"));
    end();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("runs");
    TCase *cases = tcase_create("runs");
    tcase_add_test(cases, a_fast_clock_is_held_back_while_a_command_runs);
    tcase_add_test(cases, a_daemon_of_a_command_does_not_outlive_it);
    tcase_add_test(cases, a_stopped_clock_reaches_the_end_when_it_is_advanced);
    tcase_add_test(cases, the_clock_never_jumps_over_the_end_of_a_running_command);
    tcase_add_test(cases, an_emulator_without_the_option_reports_running_jobs_as_failed);
    tcase_add_test(cases, an_orderly_end_and_a_new_begin_find_the_same_world);
    tcase_add_test(cases,
                   an_orderly_end_copies_the_files_of_a_command_that_has_ended_and_reports_its_end);
    tcase_add_test(cases, leftovers_of_a_killed_emulator_are_removed_and_other_files_are_kept);
    tcase_add_test(cases, an_emulator_without_jobs_leaves_no_folder_for_them);
    suite_add_tcase(suite, cases);
    return suite;
}
