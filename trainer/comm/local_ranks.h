/* Ranks of a program as processes of this machine: started together, listened to, ended together.
 *
 * Each rank leads a process group of its own, so that what it has started ends with it, and a
 * terminal's signals reach the launcher alone, which passes them on. */
#ifndef TRAINER_LOCAL_RANKS_H
#define TRAINER_LOCAL_RANKS_H

#include "sim/base/status.h"

typedef struct {
    char **command; /* ended by NULL: a verb that is a program beside this one, or a program */
    int32_t ranks;
    int32_t local_gpus; /* 0: not said to the ranks */
    int64_t timeout_ns; /* in which the ranks find each other */
    int64_t grace_ns;   /* between SIGTERM and SIGKILL */
    bool is_tagged;     /* every line begins with its rank */
} LocalRanksPlan;

/* What the first rank that failed ended with. */
typedef struct {
    int32_t rank;  /* -1: none failed */
    int exit_code; /* 128 + the signal's number when one ended it */
    int signal;    /* 0: none */
    bool was_told; /* to end, by a signal to the launcher: nothing to report */
} LocalRanksEnd;

/* Returns when no rank is left. STATUS_MACHINE when not all could be started; those that were have
 * been ended then. Signals of this process are handled in the meantime: once in a process. */
MUST_CHECK bool local_ranks_run(const LocalRanksPlan *plan, Arena *arena, LocalRanksEnd *end,
                                Status *status);

#endif
