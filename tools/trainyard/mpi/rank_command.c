#include "tools/trainyard/mpi/rank_command.h"

#include <stdio.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/report.h"
#include "sim/study/study_json.h"
#include "tools/trainyard/mpi/ranks.h"

static int print_help(const OptionTable *table)
{
    Text help = {0};
    options_help(table, &help);
    fputs(text_string(&help), stdout);
    text_free(&help);
    return EXIT_FINE;
}

/* Rank 0: the study, whose units other ranks run. */
static int lead(const RankVerb *verb, RankCommand *command, Ranks *ranks)
{
    SweepOptions *options = &command->options;
    options->run = ranks_serve;
    options->runner = ranks;
    options->thread_count *= ranks_count(ranks) - 1;
    const int exit_code = verb->execute(command);
    ranks_dismiss(ranks); // if it failed before it served the others
    return exit_code;
}

/* The other ranks: units on threads. Their exit code is 0, because mpirun would end rank 0 if it
 * saw another one; rank 0 reports failures. */
static int follow(RankCommand *command, Ranks *ranks)
{
    const Study *study = command->study;
    const SweepOptions *options = &command->options;
    const JournalIdentity identity = study_identity(command->arena, study, options->version);
    int signal;
    ranks_join(ranks, &identity);
    const RunnerPlan plan = {.study = study,
                             .files = disk_files,
                             .version = options->version,
                             .results = results_create(command->arena, study),
                             .sink = ranks_sink(ranks),
                             .source = ranks_source(ranks),
                             .thread_count = options->thread_count,
                             .repeats = options->repeats,
                             .time_limit_ns = INT64_MAX}; // rank 0 ends it
    const RunnerEnd end = runner_run(&plan, &signal, &command->problems);
    const int exit_code = report_problems(&command->problems);
    ranks_leave(ranks, end == RUNNER_FAILED ? exit_code : EXIT_FINE);
    return EXIT_FINE;
}

/* One rank prints what is wrong with the command or its files. */
static int run_command(const RankVerb *verb, RankCommand *command, Ranks *ranks, int argc,
                       char **argv)
{
    const bool is_right = verb->read(command, argc, argv);
    const int32_t first_wrong = ranks_first_wrong(ranks, is_right);
    const bool is_first = first_wrong == ranks_own(ranks);
    if (first_wrong < ranks_count(ranks))
        return is_first ? report_problems(&command->problems) : EXIT_FINE;
    if (command->wants_help)
        return ranks_own(ranks) == 0 ? print_help(verb->table) : EXIT_FINE;
    if (ranks_count(ranks) == 1)
        return verb->execute(command);
    return ranks_own(ranks) == 0 ? lead(verb, command, ranks) : follow(command, ranks);
}

int rank_command_run(const RankVerb *verb, int argc, char **argv)
{
    Arena *arena = arena_create();
    Status status;
    int exit_code;
    Ranks *ranks = ranks_start(arena, &status);
    if (ranks) {
        RankCommand command = {.arena = arena, .problems = problems_create(arena)};
        exit_code = run_command(verb, &command, ranks, argc, argv);
        fflush(stdout); // mpirun may end all ranks once one has ended with another code than 0
        ranks_finish(ranks);
    } else {
        exit_code = report_status(&status);
    }
    arena_destroy(arena);
    return exit_code;
}
