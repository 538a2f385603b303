#include "tools/trainyard/study/worst_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "sim/cli/child.h"
#include "sim/cli/files.h"
#include "sim/cli/report.h"
#include "sim/study/point_scenario.h"

extern char **environ;

/* The words with the path of the program before them, and options that leave out what the report
 * does not need. */
static char *const *arguments_of(Arena *arena, const CommandWords *words)
{
    static const char *const options[] = {"--quiet", "--no-timeline", "--no-share"};
    enum { OPTION_COUNT = sizeof options / sizeof options[0] };
    char **items = ARENA_ARRAY(arena, char *, words->count + OPTION_COUNT + 2);
    Text path = {0};
    int32_t count = 0;
    folder_of_program(&path);
    text_add(&path, "trainyard");
    items[count++] = arena_strdup(arena, text_string(&path));
    text_free(&path);
    for (int32_t i = 0; i < words->count; i++)
        items[count++] = words->items[i];
    for (size_t i = 0; i < OPTION_COUNT; i++)
        items[count++] = arena_strdup(arena, options[i]);
    items[count] = NULL;
    return items;
}

/* Waits for the child, and ends it when a signal asks for that. Returns its exit code. */
static int wait_for(Child *child, RunnerEnd *end, int *signal)
{
    const SignalWait signals = signal_wait_begin();
    int exit_code = EXIT_FINE;
    while (!child_has_ended(child, &exit_code)) {
        const int found = signal_wait_next(&signals, 20 * NS_PER_MS);
        if (found != SIGINT && found != SIGTERM)
            continue;
        *end = RUNNER_SIGNALLED;
        *signal = found;
        child_signal(child, SIGTERM);
    }
    signal_wait_end(&signals);
    return exit_code;
}

bool worst_folder_write(Arena *arena, const PlanOutcome *outcome, const char *folder,
                        RunnerEnd *end, int *signal, Status *status)
{
    if (outcome->verdict != PLAN_FOUND)
        return true;
    const WorstRun worst = worst_run_of(outcome, outcome->winner);
    if (worst.point == NO_POINT)
        return true;
    const CommandWords words =
        run_command_of(arena, outcome->grid->study, outcome->study.findings.results, worst.point,
                       worst.replication, arena_printf(arena, "%s/" WORST_RUN_FOLDER, folder));
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const ChildPlan plan = {.arguments = arguments_of(arena, &words),
                            .environment = environ,
                            .directory = ".",
                            .out = nowhere,
                            .error = STDERR_FILENO};
    Child child = {0};
    const bool is_started = nowhere >= 0 && child_start(&plan, &child, status);
    if (nowhere >= 0)
        close(nowhere);
    const Place at = place_in(plan.arguments[0], 0, 0);
    if (!is_started)
        return status_fail(status, STATUS_NOT_FOUND, at,
                           "cannot be started to repeat the worst run of the recommendation");
    const int exit_code = wait_for(&child, end, signal);
    return *end == RUNNER_SIGNALLED || exit_code <= EXIT_NO ||
           status_fail(status, exit_code == EXIT_MACHINE ? STATUS_MACHINE : STATUS_BAD_INPUT, at,
                       "ended with %d when it repeated the worst run of the recommendation",
                       exit_code);
}
