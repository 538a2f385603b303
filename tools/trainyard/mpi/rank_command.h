/* A verb on the ranks of Open MPI: `sweep` and `plan`. Each rank reads the command line and the
 * study; rank 0 then runs the study, whose units the other ranks run. */
#ifndef TOOLS_TRAINYARD_MPI_RANK_COMMAND_H
#define TOOLS_TRAINYARD_MPI_RANK_COMMAND_H

#include "sim/cli/options.h"
#include "sim/study/sweep.h"

/* The command line and the study of a rank. */
typedef struct {
    Arena *arena;
    const Study *study;
    SweepOptions options;
    Problems problems;
    void *arguments; /* of the verb */
    bool wants_help;
} RankCommand;

typedef struct {
    const OptionTable *table;
    /* Reads both; a rank has one thread unless another number is given. Prints nothing, because all
     * ranks have the same problems. False with problems. */
    bool (*read)(RankCommand *command, int argc, char **argv);
    /* Runs the study, and prints what comes out. Returns an exit code. */
    int (*execute)(RankCommand *command);
} RankVerb;

extern const RankVerb sweep_ranks;
extern const RankVerb plan_ranks;

/* The whole process; argv[0] is skipped. Returns its exit code. */
int rank_command_run(const RankVerb *verb, int argc, char **argv);

#endif
