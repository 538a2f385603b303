/* sim/cli/supervisor.h: processes that a command has started end with it. */
#include "sim/cli/supervisor.h"

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

static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    nanosleep(&pause, NULL);
}

static bool is_gone(pid_t process)
{
    return kill(process, 0) != 0;
}

/* Whether `process` disappears within ten seconds. */
static bool goes(pid_t process)
{
    for (int i = 0; i < 5000 && !is_gone(process); i++)
        nap();
    return is_gone(process);
}

/* A process writes its number into the file `name`. */
static pid_t number_in(const char *name)
{
    char text[32] = "";
    for (int i = 0; i < 5000 && !strchr(text, '\n'); i++) {
        FILE *file = fopen(arena_printf(arena, "%s/%s", folder, name), "r");
        text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
        if (file)
            fclose(file);
        nap();
    }
    const pid_t process = (pid_t)strtol(text, NULL, 10);
    ck_assert_int_gt(process, 1);
    return process;
}

static Child start(const char *command)
{
    Child child;
    Status status = {0};
    char shell[] = "/bin/sh", option[] = "-c", path[] = "PATH=/usr/bin:/bin";
    char *const arguments[] = {shell, option, arena_strdup(arena, command), NULL};
    char *const environment[] = {path, NULL};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const ChildPlan plan = {.arguments = arguments,
                            .environment = environment,
                            .directory = folder,
                            .out = nowhere,
                            .error = nowhere,
                            .is_supervised = true};
    ck_assert_msg(child_start(&plan, &child, &status), "%s", status.message);
    close(nowhere);
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

/* A daemon: two forks, two sessions, another directory and an empty environment. It has a child in
 * a third session. */
#define DAEMON                                                                                     \
    "(setsid setsid env -i /bin/sh -c 'setsid sleep 600 & echo $! >\"$0/child\"; cd /; "           \
    "echo $$ >\"$0/daemon\"; while :; do sleep 1; done' \"$PWD\" &) & "                            \
    "while [ ! -s daemon ]; do sleep 0.01; done; "

START_TEST(a_daemon_ends_with_the_command_that_started_it)
{
    Child child = start(DAEMON "exit 7");
    ck_assert_int_eq(wait_for(&child), 7);
    ck_assert(is_gone(number_in("daemon")));
    ck_assert(is_gone(number_in("child")));
}
END_TEST

START_TEST(exit_codes_are_those_of_the_command)
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

START_TEST(a_command_that_is_killed_takes_its_daemons_along)
{
    const int signals[] = {SIGKILL, SIGTERM};
    for (int i = 0; i < 2; i++) {
        Child child = start("rm -f daemon child; " DAEMON "echo $$ >command; sleep 600");
        const pid_t command = number_in("command");
        child_signal(&child, signals[i]);
        ck_assert_int_eq(wait_for(&child), 128 + SIGKILL);
        ck_assert(is_gone(command));
        ck_assert(is_gone(number_in("daemon")));
        ck_assert(is_gone(number_in("child")));
        ck_assert_int_eq(unlink(arena_printf(arena, "%s/command", folder)), 0);
    }
}
END_TEST

START_TEST(nothing_outlives_a_parent_that_was_killed)
{
    const pid_t us = fork();
    if (us == 0) {
        (void)start(DAEMON "echo $$ >command; sleep 600");
        (void)number_in("command");
        kill(getpid(), SIGKILL);
    }
    int state;
    ck_assert_int_eq(waitpid(us, &state, 0), us);
    ck_assert(WIFSIGNALED(state));
    ck_assert(goes(number_in("command")));
    ck_assert(goes(number_in("daemon")));
    ck_assert(goes(number_in("child")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("supervisor");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_daemon_ends_with_the_command_that_started_it);
    tcase_add_test(tests, exit_codes_are_those_of_the_command);
    tcase_add_test(tests, a_command_that_is_killed_takes_its_daemons_along);
    tcase_add_test(tests, nothing_outlives_a_parent_that_was_killed);
    suite_add_tcase(suite, tests);
    return suite;
}
