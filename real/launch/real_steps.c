#include "real/launch/real_steps.h"

#include "sim/base/ascii.h"

const Command *real_step_awaited(const RealRun *run, const Job *job, int32_t index)
{
    const Command *command = &world_scenario(run->world)->commands[index];
    const bool waits = command->trigger.moment == MOMENT_JOB_STEP &&
                       ascii_same(command->trigger.subject, job->path.name) &&
                       world_is_awaiting(run->world, index);
    return waits ? command : NULL;
}

bool real_step_kills(const Command *command, const Job *job)
{
    const bool is_of_job = ascii_same(command->path.name, job->path.name);
    if (command->trigger.delay_ns > 0 || !is_of_job)
        return false;
    if (command->kind == COMMAND_NODE_CRASH || command->kind == COMMAND_NODE_REBOOT)
        return command->as.fault.is_of_job;
    return command->kind == COMMAND_JOB_EXIT || command->kind == COMMAND_JOB_TERMINATE;
}

bool real_step_gives_notice(const Command *command, const Job *job)
{
    return command->kind == COMMAND_NODE_PREEMPT && command->as.fault.is_of_job &&
           command->trigger.delay_ns == 0 && ascii_same(command->path.name, job->path.name) &&
           job->spec->program->training->saves_on_notice;
}

/* The first rank on the node that the fault affects; rank 0 if the command names no node. */
static int32_t rank_of(const Command *command, const Job *job)
{
    const bool is_of_node = command->kind == COMMAND_NODE_CRASH ||
                            command->kind == COMMAND_NODE_REBOOT ||
                            command->kind == COMMAND_NODE_PREEMPT;
    const int32_t node = is_of_node ? command->as.fault.node - 1 : 0;
    for (int32_t rank = 0; rank < job->spec->processes; rank++)
        if (job_node_of_rank(job, rank) == node)
            return rank;
    return 0;
}

void real_step_find_kill(const RealRun *run, const Job *job, HandOffSettings *settings)
{
    const Program *training = job->spec->program->training;
    const int64_t steps = training->epochs * training->steps_per_epoch;
    for (int32_t i = 0; i < world_scenario(run->world)->command_count; i++) {
        const Command *command = real_step_awaited(run, job, i);
        const bool is_notice = command && real_step_gives_notice(command, job);
        if (!command || (!is_notice && !real_step_kills(command, job)) ||
            command->trigger.ordinal >= steps)
            continue; // a rank dies before the next step; after the last step there is no next step
        if (settings->fail_step > 0 && settings->fail_step <= command->trigger.ordinal)
            continue;
        settings->fail_step = command->trigger.ordinal;
        settings->fail_rank = rank_of(command, job);
        settings->fail_notice_ns =
            is_notice ? world_scenario(run->world)->service.preemption_notice_ns : 0;
    }
}
