#include "tools/trainyard/compare_runs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "real/launch/ranks.h"
#include "sim/cli/report.h"
#include "tools/trainyard/run_scenario.h"

extern char **environ;

static const char *run_folder(Arena *arena, const char *folder, int32_t run)
{
    return arena_printf(arena, "%s/run-%" PRId32, folder, run);
}

int32_t compare_runs_find(Arena *arena, const char *folder, const char **folders)
{
    int32_t count = 0;
    for (; count < COMPARE_RUNS_MAX; count++) {
        folders[count] = run_folder(arena, folder, count + 1);
        if (access(folders[count], F_OK) != 0)
            break;
    }
    if (count == 0)
        folders[count++] = folder;
    return count;
}

static int32_t add_option(Arena *arena, char **command, int32_t count, const char *option,
                          const OptionTexts *values)
{
    for (int32_t i = 0; i < values->count; i++) {
        command[count++] = arena_strdup(arena, option);
        command[count++] = arena_strdup(arena, values->items[i]);
    }
    return count;
}

static char **run_command(Arena *arena, const CompareRuns *runs, const char *folder)
{
    const OptionTexts *sets = &runs->changes->sets, *params = &runs->changes->params;
    char **command = ARENA_ARRAY(arena, char *, 10 + 2 * (sets->count + params->count));
    int32_t count = 0;
    Text program = {0};
    folder_of_program(&program);
    text_add(&program, "trainyard");
    command[count++] = arena_strdup(arena, text_string(&program));
    command[count++] = arena_strdup(arena, "run");
    command[count++] = arena_strdup(arena, runs->scenario);
    command[count++] = arena_strdup(arena, "--real");
    command[count++] = arena_strdup(arena, runs->device);
    command[count++] = arena_strdup(arena, "-o");
    command[count++] = arena_strdup(arena, folder);
    if (runs->data_folder != NULL) {
        command[count++] = arena_strdup(arena, "--data");
        command[count++] = arena_strdup(arena, runs->data_folder);
    }
    count = add_option(arena, command, count, "--set", sets);
    count = add_option(arena, command, count, "--param", params);
    text_free(&program);
    return command;
}

/* Runs the scenario for real; its tables are not shown, but its warnings and its progress. Exit
 * code 1, a failed job, is accepted here: real_runs_compare decides whether the job was expected to
 * fail.
 */
static bool run_once(Arena *arena, const CompareRuns *runs, const char *folder, RanksEnd *end,
                     Status *status)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return file_failed("/dev/null", status);
    const ChildPlan plan = {.arguments = run_command(arena, runs, folder),
                            .environment = environ,
                            .directory = ".",
                            .out = nowhere,
                            .error = STDERR_FILENO};
    Child child;
    const bool has_run =
        child_start(&plan, &child, status) && ranks_run(&child, INT64_MAX, NULL, NULL, end, status);
    close(nowhere);
    if (!has_run)
        return false;
    if (end->is_stopped)
        return status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0),
                           "a signal ended this real run");
    return end->exit_code <= EXIT_NO ||
           status_fail(status, end->exit_code == EXIT_BAD_INPUT ? STATUS_BAD_INPUT : STATUS_MACHINE,
                       place_in(runs->scenario, 0, 0), "the real run ended with exit code %d",
                       end->exit_code);
}

/* After a signal: what is left of the runs before. */
static void hint_at_complete(const CompareRuns *runs, int32_t complete, Status *status)
{
    if (complete > 0)
        status_hint(status,
                    "%" PRId32 " run%s complete: remove this folder, and `--measured %s` compares "
                    "with %s",
                    complete, complete == 1 ? " is" : "s are", runs->folder,
                    complete == 1 ? "it" : "them");
}

/* Checks that each folder of the new runs belongs to earlier runs. Removes earlier runs with higher
 * numbers, as --measured would count them with the new ones. */
static bool folders_begin(Arena *arena, const CompareRuns *runs, Status *status)
{
    const char *all = runs->folder;
    int32_t run = 1;
    for (; run <= runs->repeat; run++)
        if (!folder_is_ours(run_folder(arena, all, run), &run_mark, status))
            return false;
    for (; access(run_folder(arena, all, run), F_OK) == 0; run++) {
        const char *folder = run_folder(arena, all, run);
        const char *const names[] = {folder + strlen(all) + 1, NULL};
        FolderMark mark = run_mark;
        mark.mark = arena_printf(arena, "%s/%s", names[0], run_mark.mark);
        mark.replaced = names;
        const bool was_empty = rmdir(folder) == 0; // left by a failed run
        if (!was_empty && (!folder_is_ours(all, &mark, status) || !folder_remove(folder, status)))
            return false;
    }
    return true;
}

bool compare_runs_make(Arena *arena, const CompareRuns *runs, const char **folders, int32_t *count,
                       int *signal, Status *status)
{
    RanksEnd end = {0};
    *count = 0;
    if (!folders_begin(arena, runs, status))
        return false;
    for (; *count < runs->repeat; ++*count) {
        folders[*count] = run_folder(arena, runs->folder, *count + 1);
        if (run_once(arena, runs, folders[*count], &end, status))
            continue;
        *signal = end.signal;
        if (end.is_stopped)
            hint_at_complete(runs, *count, status);
        return false;
    }
    return true;
}
