/* Starts ranks for the tests of real/launch/ranks.h. A rank is a shell with a script, in a separate
 * folder. */
#ifndef TESTS_REAL_COMPARE_STARTED_RANKS_H
#define TESTS_REAL_COMPARE_STARTED_RANKS_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "real/launch/ranks.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static const char *warning; /* of the last start */

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

static inline int make(const char *name)
{
    const int file = open(arena_printf(arena, "%s/%s", folder, name),
                          O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(file, 0);
    return file;
}

/* Returns the text of a file; "" if it does not exist yet. */
static inline const char *contents(const char *name)
{
    enum { ROOM = 4096 };
    char *room = arena_alloc(arena, ROOM);
    FILE *file = fopen(arena_printf(arena, "%s/%s", folder, name), "r");
    if (!file)
        return "";
    room[fread(room, 1, ROOM - 1, file)] = '\0';
    fclose(file);
    return room;
}

static inline void nap(void)
{
    const struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};
    nanosleep(&pause, NULL);
}

/* Waits for a file and returns the number in it. */
static inline pid_t process_in(const char *name)
{
    while (!strchr(contents(name), '\n'))
        nap();
    return (pid_t)strtol(contents(name), NULL, 10);
}

/* Whether the process does not exist, or is a zombie that the system's first process will remove.
 */
static inline bool is_gone(pid_t process)
{
    char line[512] = "";
    FILE *file = fopen(arena_printf(arena, "/proc/%d/stat", (int)process), "r");
    if (!file)
        return true;
    (void)!fgets(line, sizeof line, file);
    fclose(file);
    return strstr(line, ") Z ") != NULL;
}

/* Whether the process ends within ten seconds. */
static inline bool goes(pid_t process)
{
    for (int i = 0; i < 5000 && !is_gone(process); i++)
        nap();
    return is_gone(process);
}

/* Starts `ranks` shells that run `script`, with the files "out" and "error". The caller checks
 * whether the start failed. */
static inline bool start_ranks(const RanksMachine *machine, int32_t ranks, bool is_on_gpus,
                               const char *script, Child *child, Status *status)
{
    char option[] = "-c", own[] = "OWN=one two", path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *const arguments[] = {option, arena_strdup(arena, script), NULL};
    char *const home =
        arena_printf(arena, "HOME=%s", folder); // Open MPI 5 does not start without it
    char *const environment[] = {own, path, home, NULL};
    const RanksPlan plan = {.program = "/bin/sh",
                            .arguments = arguments,
                            .environment = environment,
                            .directory = folder,
                            .ranks = ranks,
                            .is_on_gpus = is_on_gpus,
                            .out = make("out"),
                            .error = make("error")};
    const bool is_started = ranks_start(arena, machine, &plan, child, &warning, status);
    close(plan.out);
    close(plan.error);
    return is_started;
}

/* Makes the file "guarded", for which tests wait: a guard process now watches the ranks. */
static inline void say_guarded(void *context)
{
    (void)context;
    const int file = make("guarded");
    ck_assert_int_eq(write(file, "1\n", 2), 2);
    close(file);
}

/* Runs the ranks to their end on this machine. */
static inline RanksEnd run_ranks(int32_t ranks, const char *script, int64_t time_limit_ns)
{
    const RanksMachine machine = ranks_machine(arena);
    Status status = {0};
    RanksEnd how;
    Child child;
    ck_assert_msg(start_ranks(&machine, ranks, false, script, &child, &status), "%s",
                  status.message);
    ck_assert_msg(ranks_run(&child, time_limit_ns, say_guarded, NULL, &how, &status), "%s",
                  status.message);
    ck_assert_int_eq(child.process, 0);
    return how;
}

#endif
