/* sim/cli/child.h: what a child process inherits, and how it ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/cli/child.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static int make(const char *name)
{
    const int file = open(arena_printf(arena, "%s/%s", folder, name),
                          O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(file, 0);
    return file;
}

static const char *contents(const char *name)
{
    enum { ROOM = 4096 };
    char *room = arena_alloc(arena, ROOM);
    FILE *file = fopen(arena_printf(arena, "%s/%s", folder, name), "r");
    ck_assert_ptr_nonnull(file);
    room[fread(room, 1, ROOM - 1, file)] = '\0';
    fclose(file);
    return room;
}

static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    nanosleep(&pause, NULL);
}

/* Whether `process` disappears within ten seconds. */
static bool goes(pid_t process)
{
    for (int i = 0; i < 5000 && kill(process, 0) == 0; i++)
        nap();
    return kill(process, 0) != 0 && errno == ESRCH;
}

static Child start(const char *command)
{
    Child child;
    Status status = {0};
    char shell[] = "/bin/sh", option[] = "-c", own[] = "OWN=one two";
    char *const arguments[] = {shell, option, arena_strdup(arena, command), NULL};
    char *const environment[] = {own, NULL};
    const ChildPlan plan = {.arguments = arguments,
                            .environment = environment,
                            .directory = folder,
                            .out = make("out"),
                            .error = make("error")};
    ck_assert_msg(child_start(&plan, &child, &status), "%s", status.message);
    close(plan.out);
    close(plan.error);
    return child;
}

static int wait_for(Child *child)
{
    int exit_code = -1;
    for (int i = 0; i < 5000 && !child_has_ended(child, &exit_code); i++)
        nap();
    ck_assert_int_eq(child->process, 0);
    return exit_code;
}

START_TEST(a_child_inherits_only_what_it_was_given)
{
    setenv("OURS", "leaked", 1);
    const int ours = dup(STDIN_FILENO); // a descriptor without FD_CLOEXEC
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    Child child = start("pwd; echo $OWN$OURS; echo wrong >&2; cat; ls /proc/self/fd | wc -l;"
                        // The last digits are the signals 1 to 28.
                        "sed -nE 's/Sig(Blk|Ign).*(.{7})$/\\2/p' /proc/self/status | sort -u");
    ck_assert_int_eq(wait_for(&child), 0);
    close(ours);
    // Three descriptors, and the one of the directory being listed.
    ck_assert_str_eq(contents("out"), arena_printf(arena, "%s\none two\n4\n0000000\n", folder));
    ck_assert_str_eq(contents("error"), "wrong\n");
}
END_TEST

START_TEST(a_child_ends_with_its_exit_code_or_with_that_of_a_signal)
{
    const struct {
        const char *command;
        int exit_code;
    } rows[] = {{"true", 0}, {"exit 7", 7}, {"kill -9 $$", 137}, {"no-such-program", 127}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Child child = start(rows[i].command);
        ck_assert_int_eq(wait_for(&child), rows[i].exit_code);
    }
}
END_TEST

START_TEST(the_rest_of_its_group_ends_with_a_child)
{
    int left;
    Child child = start("sleep 600 & echo $!");
    ck_assert_int_eq(wait_for(&child), 0);
    left = (int)strtol(contents("out"), NULL, 10);
    ck_assert_int_gt(left, 1);
    ck_assert(goes(left));
}
END_TEST

/* mpirun starts its ranks in groups like these. */
static const char two_groups[] = "bash -c 'set -m; sleep 600 & echo $!; [ -n \"$0\" ] || wait' ";

START_TEST(groups_within_its_session_end_with_a_child)
{
    Child child = start(arena_printf(arena, "%s over", two_groups));
    ck_assert_int_eq(wait_for(&child), 0);
    const pid_t left = (pid_t)strtol(contents("out"), NULL, 10);
    ck_assert_int_gt(left, 1);
    ck_assert(goes(left));
}
END_TEST

/* A parent that ignores SIGCHLD leaves this setting to the programs that it starts. */
START_TEST(an_exit_code_is_known_although_sigchld_was_ignored)
{
    signal(SIGCHLD, SIG_IGN);
    Child child = start("exit 3");
    ck_assert_int_eq(wait_for(&child), 3);
    const struct sigaction reaped = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    sigaction(SIGCHLD, &reaped, NULL);
    child = start("exit 4");
    ck_assert_int_eq(wait_for(&child), 4);
}
END_TEST

START_TEST(a_signal_reaches_the_whole_group)
{
    Child child = start("(sleep 600; echo never) & sleep 600; echo never");
    const pid_t group = child.process;
    int exit_code;
    ck_assert(!child_has_ended(&child, &exit_code));
    child_signal(&child, SIGKILL);
    ck_assert_int_eq(wait_for(&child), 128 + SIGKILL);
    ck_assert(goes(-group));
    child_signal(&child, SIGKILL); // no process has this group any more
}
END_TEST

START_TEST(a_program_that_cannot_be_started_is_named)
{
    Child child;
    Status status = {0};
    char missing[] = "/nowhere/program", shell[] = "/bin/sh";
    char *const arguments[][2] = {{missing, NULL}, {shell, NULL}};
    char *const environment[] = {NULL};
    const char *const directories[] = {"/", "/nowhere"};
    for (size_t i = 0; i < 2; i++) {
        const ChildPlan plan = {.arguments = arguments[i],
                                .environment = environment,
                                .directory = directories[i],
                                .out = STDOUT_FILENO,
                                .error = STDERR_FILENO};
        ck_assert(!child_start(&plan, &child, &status));
        ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
        ck_assert_int_eq(child.process, 0);
        ck_assert(strstr(status.message, directories[i]) != NULL);
    }
}
END_TEST

/* The guard kills the sessions that it knows once this process is gone, also when the whole process
 * group was killed. It leaves a session alone that was removed. */
START_TEST(a_guard_kills_the_children_of_a_process_that_is_gone)
{
    Child spared = start("sleep 600");
    const pid_t us = fork();
    if (us == 0) {
        ChildGuard guard;
        Status status = {0};
        if (setpgid(0, 0) != 0 || !child_guard_open(&guard, &status))
            _exit(1);
        Child known = start(arena_printf(arena, "%s ''", two_groups));
        child_guard_add(&guard, &spared);
        child_guard_add(&guard, &known);
        child_guard_remove(&guard, spared.process);
        while (contents("out")[0] == '\0')
            nap();
        dprintf(make("known"), "%ld", (long)known.process);
        kill(0, SIGKILL);
    }
    int state, exit_code;
    ck_assert_int_eq(waitpid(us, &state, 0), us);
    ck_assert(WIFSIGNALED(state));
    const pid_t known = (pid_t)strtol(contents("known"), NULL, 10);
    ck_assert_int_gt(known, 1);
    ck_assert(goes(-known));
    const pid_t other_group = (pid_t)strtol(contents("out"), NULL, 10);
    ck_assert_int_gt(other_group, 1);
    ck_assert(goes(other_group));
    ck_assert(!child_has_ended(&spared, &exit_code));
    child_signal(&spared, SIGKILL);
    ck_assert_int_eq(wait_for(&spared), 128 + SIGKILL);
}
END_TEST

START_TEST(a_guard_that_is_closed_kills_the_processes_it_knows)
{
    ChildGuard guard;
    Status status = {0};
    ck_assert_msg(child_guard_open(&guard, &status), "%s", status.message);
    Child child = start("sleep 600");
    child_guard_add(&guard, &child);
    child_guard_close(&guard);
    ck_assert_int_eq(wait_for(&child), 128 + SIGKILL);
    child_guard_close(&guard); // again
}
END_TEST

START_TEST(a_guard_that_is_gone_does_not_end_its_owner)
{
    ChildGuard guard;
    Status status = {0};
    ck_assert_msg(child_guard_open(&guard, &status), "%s", status.message);
    Child child = start("sleep 600");
    Child process = {.process = guard.process};
    child_signal(&process, SIGKILL);
    ck_assert_int_eq(wait_for(&process), 128 + SIGKILL);
    ck_assert(goes(guard.process));
    child_guard_add(&guard, &child);
    child_guard_remove(&guard, child.process);
    child_guard_close(&guard);
    child_signal(&child, SIGKILL);
    ck_assert_int_eq(wait_for(&child), 128 + SIGKILL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("child");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_child_inherits_only_what_it_was_given);
    tcase_add_test(tests, a_child_ends_with_its_exit_code_or_with_that_of_a_signal);
    tcase_add_test(tests, the_rest_of_its_group_ends_with_a_child);
    tcase_add_test(tests, groups_within_its_session_end_with_a_child);
    tcase_add_test(tests, an_exit_code_is_known_although_sigchld_was_ignored);
    tcase_add_test(tests, a_signal_reaches_the_whole_group);
    tcase_add_test(tests, a_program_that_cannot_be_started_is_named);
    tcase_add_test(tests, a_guard_kills_the_children_of_a_process_that_is_gone);
    tcase_add_test(tests, a_guard_that_is_closed_kills_the_processes_it_knows);
    tcase_add_test(tests, a_guard_that_is_gone_does_not_end_its_owner);
    suite_add_tcase(suite, tests);
    return suite;
}
