/* Ranks of the trainer on this machine: several processes by Open MPI's `mpirun`, one without it,
 * by argument vector and without a shell.
 *
 * ranks_start neither waits nor reads a clock (sim/cli/child.h); ranks_run is for those who have
 * nothing else to do meanwhile.
 *
 * Ranks are not bound to cores. Open MPI would bind two of them, of every job, to the machine's
 * first two cores, and the threads of one rank to one core; the system's scheduler is as fast for
 * ranks that have a core each (within the spread of bench-training on two cores). What this
 * process may not use, its ranks may not either. */
#ifndef REAL_RANKS_H
#define REAL_RANKS_H

#include "sim/base/arena.h"
#include "sim/cli/child.h"

/* What ranks can be started with. */
typedef struct {
    int32_t cores;      /* that this process may use */
    int32_t gpus;       /* that the NVIDIA driver shows; 0 without a driver */
    const char *mpirun; /* its path, found on PATH; NULL: not installed */
} RanksMachine;

/* Of this machine, as it is now. */
RanksMachine ranks_machine(Arena *arena);

typedef struct {
    const char *program;      /* path of what each rank runs: .../trainyard-train */
    char *const *arguments;   /* its own, without the program's name, ended by NULL */
    char *const *environment; /* "NAME=value", ended by NULL: all that the ranks see, besides what
                                 mpirun adds, and what OMPI_MCA_... tells mpirun here */
    const char *directory;    /* where they start */
    int32_t ranks;            /* 1 or more */
    bool is_on_gpus;          /* one GPU a rank */
    int out, error; /* descriptors of all ranks' stdout and stderr, which stay the caller's */
} RanksPlan;

/* Starts them. More ranks than cores share them: `*warning` says so in a sentence (NULL: nothing to
 * say), in `arena`. STATUS_MACHINE, with a hint, where mpirun is missing, ranks are to be on GPUs
 * and there are too few, or the program cannot be started.
 *
 * However it ends, child_has_ended leaves none of the ranks. The code that it tells is that of the
 * first rank that failed, 128 and the signal's number where one ended it: mpirun's are the same. */
MUST_CHECK bool ranks_start(Arena *arena, const RanksMachine *machine, const RanksPlan *plan,
                            Child *child, const char **warning, Status *status);

/* How ranks ended that were waited for. */
typedef struct {
    int exit_code;   /* as a shell tells it: 128 and the number of a signal */
    int64_t took_ns; /* from the call on, by the machine's clock */
    bool is_late;    /* ended by us after the time limit */
    bool is_stopped; /* ended by us after a signal to this process */
    int signal;      /* which one: SIGINT, SIGTERM or SIGHUP; 0 */
} RanksEnd;

/* Waits for what ranks_start has started; call it at once. SIGINT, SIGTERM and SIGHUP to this
 * process end the ranks instead of it, as does `time_limit_ns` (INT64_MAX: none): with SIGTERM, and
 * with SIGKILL five seconds later or at a second signal. They end, too, where this process is
 * killed. `progress` is called five times a second (or NULL). STATUS_MACHINE where what guards them
 * cannot be started; they were killed then. */
MUST_CHECK bool ranks_run(Child *child, int64_t time_limit_ns, void (*progress)(void *context),
                          void *context, RanksEnd *end, Status *status);

#endif
