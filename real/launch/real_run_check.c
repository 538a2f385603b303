#include "real/launch/real_run_check.h"

#include <inttypes.h>
#include <string.h>

#include "real/launch/hand_off.h"
#include "sim/base/ascii.h"
#include "sim/cli/report.h"

bool real_run_is_end(const Command *command, const char *job)
{
    const bool is_end = command->kind == COMMAND_JOB_RAN ||
                        command->kind == COMMAND_JOB_TERMINATE ||
                        command->kind == COMMAND_JOB_DELETE || command->kind == COMMAND_JOB_EXIT;
    return is_end && ascii_same(command->path.name, job);
}

static bool is_ended(const Scenario *scenario, const char *job)
{
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (real_run_is_end(&scenario->commands[i], job))
            return true;
    return false;
}

bool real_run_is_reported(const Scenario *scenario, const char *job)
{
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind == COMMAND_JOB_RAN &&
            ascii_same(scenario->commands[i].path.name, job))
            return true;
    return false;
}

static const Program *real_program(const Command *command)
{
    if (command->kind != COMMAND_JOB_CREATE)
        return NULL;
    const Program *program = command->as.job_create.spec->program;
    return program->kind == PROGRAM_REAL ? program : NULL;
}

bool real_run_is_needed(const Scenario *scenario)
{
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Program *program = real_program(&scenario->commands[i]);
        if (program && program->training &&
            !real_run_is_reported(scenario, scenario->commands[i].path.name))
            return true;
    }
    return false;
}

static const JobSpec *spec_of(const Scenario *scenario, const char *job)
{
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind == COMMAND_JOB_CREATE &&
            ascii_same(scenario->commands[i].path.name, job))
            return scenario->commands[i].as.job_create.spec;
    return NULL;
}

/* The epoch that a training reached according to the command; -1: the command does not report one.
 */
static int64_t reported_epoch(const Command *command)
{
    return command->kind == COMMAND_JOB_RAN ? command->as.job_ran.training.epochs
           : command->kind == COMMAND_JOB_REACHED
               ? command->as.job_reached.kept + (command->as.job_reached.kept_steps > 0)
               : -1;
}

/* Reports commands whose epoch is beyond the last epoch of their job. */
static void check_epochs(const Scenario *scenario, Problems *problems)
{
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        const int64_t epoch = reported_epoch(command);
        const JobSpec *spec = epoch > 0 ? spec_of(scenario, command->path.name) : NULL;
        const Program *training = spec ? spec->program->training : NULL;
        if (training && epoch > training->epochs)
            problems_add(problems, STATUS_BAD_INPUT, place_in(command->source, 0, 0),
                         "job \"%s\" trains for %" PRId64
                         " epoch%s and cannot have reached the end of epoch %" PRId64,
                         command->path.name, training->epochs, plural(training->epochs), epoch);
    }
}

void real_run_check(const Scenario *scenario, bool hands_off, Problems *problems)
{
    check_epochs(scenario, problems);
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        const Program *program = real_program(command);
        if (!program || is_ended(scenario, command->path.name) || (program->training && hands_off))
            continue;
        Status *problem = problems_add(
            problems, STATUS_BAD_INPUT, place_in(command->source, 0, 0),
            program->training
                ? "job \"%s\" has real execution; only `trainyard run` runs such a job"
                : "job \"%s\" has real execution, but its command line is not a training that the "
                  "trainer knows: the job would never end",
            command->path.name);
        status_hint(problem,
                    "{\"do\": \"job.ran\", \"name\": \"%s\", \"took\": \"10m\", "
                    "\"exit_code\": 0} reports how it ended%s",
                    command->path.name,
                    program->training
                        ? ""
                        : "; a program with a \"model\" and a \"match\" for its command line "
                          "makes it a training");
    }
}

void real_run_compare(Arena *arena, const ScenarioFile *file, Problems *warnings)
{
    const Scenario *scenario = &file->scenario;
    const Json *session = json_member(file->root, "session");
    if (session->count == 0)
        problems_add(warnings, STATUS_BAD_INPUT, json_at(session),
                     "contains no job of the scenario: all jobs are modelled");
    for (int32_t i = 0; i < scenario->command_count; i++) {
        const Command *ran = &scenario->commands[i];
        if (ran->kind != COMMAND_JOB_RAN || !ran->as.job_ran.ran_as)
            continue;
        const JobSpec *spec = spec_of(scenario, ran->path.name);
        const char *words = spec ? hand_off_description(arena, spec) : ran->as.job_ran.ran_as;
        if (strcmp(words, ran->as.job_ran.ran_as) != 0)
            status_hint(problems_add(warnings, STATUS_BAD_INPUT, place_in(ran->source, 0, 0),
                                     "job \"%s\" ran as %s, but here it is %s", ran->path.name,
                                     ran->as.job_ran.ran_as, words),
                        "its measured time is used nevertheless; pass the scenario and the --set "
                        "options of that run");
    }
}
