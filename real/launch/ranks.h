/* Starts ranks of the trainer on this machine: several processes by Open MPI's `mpirun`, a single
 * one directly. Programs get an argument vector; no shell is involved.
 *
 * ranks_start neither waits nor reads a clock (sim/cli/child.h). ranks_run waits for the end of the
 * ranks.
 *
 * Ranks are not bound to cores. Open MPI would bind two ranks of every job to the machine's first
 * two cores, and all threads of a rank to one core. Without binding, ranks that have a core each
 * are as fast (within the spread of bench-training on two cores). Ranks use only the cores that
 * this process may use. */
#ifndef REAL_RANKS_H
#define REAL_RANKS_H

#include "sim/base/arena.h"
#include "sim/cli/child.h"

/* The resources of a machine that ranks can use. */
typedef struct {
    int32_t cores;      /* the cores that this process may use */
    int32_t gpus;       /* the GPUs that the NVIDIA driver shows; 0 without a driver */
    const char *mpirun; /* its path, found on PATH; NULL: not on PATH */
} RanksMachine;

/* Returns this machine's current resources; `mpirun` is in `arena`. */
RanksMachine ranks_machine(Arena *arena);

typedef struct {
    const char *program;      /* path of the program that each rank runs: .../trainyard-train */
    char *const *arguments;   /* without the program's name, ended by NULL */
    char *const *environment; /* "NAME=value", ended by NULL; mpirun adds its own variables, and
                                 those of this process that configure Open MPI are passed on */
    const char *directory;    /* the ranks' working directory */
    int32_t ranks;            /* 1 or more */
    bool is_on_gpus;          /* one GPU per rank */
    int out, error; /* descriptors of all ranks' stdout and stderr; the caller closes them */
} RanksPlan;

/* Starts the ranks. If there are more ranks than cores, `*warning` is a sentence about it in
 * `arena`; otherwise NULL. Fails with STATUS_MACHINE and a hint if mpirun is missing, there are too
 * few GPUs for ranks on GPUs, or the program cannot be started.
 *
 * When child_has_ended returns true, no rank is left. Its exit code is that of the first rank that
 * failed; 128 and the signal's number if a signal ended it. mpirun's exit codes follow the same
 * rule. */
MUST_CHECK bool ranks_start(Arena *arena, const RanksMachine *machine, const RanksPlan *plan,
                            Child *child, const char **warning, Status *status);

/* How the ranks ended. */
typedef struct {
    int exit_code;   /* as in a shell: 128 and the signal's number after a signal */
    int64_t took_ns; /* since the call of ranks_run, by the machine's clock */
    bool is_late;    /* ended by us after the time limit */
    bool is_stopped; /* ended by us after a signal to this process */
    int signal;      /* that signal: SIGINT, SIGTERM or SIGHUP; 0: no signal */
} RanksEnd;

/* Waits for the ranks; call it directly after ranks_start. SIGINT, SIGTERM and SIGHUP to this
 * process end the ranks instead of this process; `time_limit_ns` (INT64_MAX: no limit) ends them
 * too. They get SIGTERM, and SIGKILL five seconds later or at a second signal. If this process is
 * killed, they are killed. `progress` is called five times a second; it may be NULL. If the guard
 * process cannot be started, the ranks are killed and the function fails with STATUS_MACHINE. */
MUST_CHECK bool ranks_run(Child *child, int64_t time_limit_ns, void (*progress)(void *context),
                          void *context, RanksEnd *end, Status *status);

#endif
