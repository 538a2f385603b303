/* `trainyard ranks`: options, ranks, exit code. */
#include <inttypes.h>
#include <string.h>

#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/train/ranks_options.h"
#include "trainer/comm/local_ranks.h"
#include "trainer/comm/rank_place.h"

static const Place here = {.source = "trainyard: ranks"};

/* How many ranks the options ask for. */
static bool plan_ranks(const RanksOptions *options, LocalRanksPlan *plan, Status *status)
{
    const int64_t each = options->ranks_per_gpu > 0 ? options->ranks_per_gpu : 1;
    const int64_t on_gpus = options->gpus * each;
    if (options->gpus == 0 && options->ranks == 0) {
        status_fail(status, STATUS_BAD_INPUT, here, "expected --gpus or --ranks, got neither");
        return status_hint(status, "--ranks 2 starts two ranks that compute on the processor");
    }
    if (options->gpus == 0 && options->ranks_per_gpu > 0)
        return status_fail(status, STATUS_BAD_INPUT, here, "--ranks-per-gpu needs --gpus");
    if (options->gpus > 0 && options->ranks > 0 && options->ranks != on_gpus)
        return status_fail(status, STATUS_BAD_INPUT, here,
                           "--ranks is %" PRId64 ", but --gpus makes %" PRId64, options->ranks,
                           on_gpus);
    if (on_gpus > RANKS_MAX)
        return status_fail(status, STATUS_BAD_INPUT, here,
                           "%" PRId64 " ranks are more than the %d that there can be", on_gpus,
                           RANKS_MAX);
    plan->ranks = (int32_t)(options->gpus > 0 ? on_gpus : options->ranks);
    plan->local_gpus = (int32_t)options->gpus;
    return true;
}

/* A rank that was told to end has said so itself. */
static int report_end(const LocalRanksPlan *plan, const LocalRanksEnd *end)
{
    Status status;
    if (end->rank < 0)
        return EXIT_FINE;
    if (end->was_told)
        return end->exit_code;
    if (end->signal)
        status_fail(&status, STATUS_MACHINE, here,
                    "rank %" PRId32 " of %" PRId32 " was ended by signal %d (%s)", end->rank,
                    plan->ranks, end->signal, strsignal(end->signal));
    else
        status_fail(&status, STATUS_MACHINE, here,
                    "rank %" PRId32 " of %" PRId32 " ended with exit code %d", end->rank,
                    plan->ranks, end->exit_code);
    report_status(&status);
    return end->exit_code;
}

static int start_ranks(const RanksOptions *options, const Operands *operands, Arena *arena)
{
    LocalRanksPlan plan = {.timeout_ns = options->timeout_ns,
                           .grace_ns = options->grace_ns,
                           .is_tagged = options->is_tagged};
    LocalRanksEnd end;
    Status status;
    if (!plan_ranks(options, &plan, &status))
        return report_status(&status);
    plan.command = ARENA_ARRAY(arena, char *, operands->count + 1); // the last stays NULL
    memcpy(plan.command, operands->items, (size_t)operands->count * sizeof *plan.command);
    if (!local_ranks_run(&plan, arena, &end, &status))
        return report_status(&status);
    return report_end(&plan, &end);
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    RanksOptions options = ranks_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&ranks_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = start_ranks(&options, &operands, arena);
    arena_destroy(arena);
    return exit_code;
}
