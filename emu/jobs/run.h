/* One run: a command of one attempt of a job, or its training that was handed to the trainer.
 * Private to this folder: runs.c takes it from one phase to the next, run.c prepares and starts it.
 */
#ifndef EMU_RUN_H
#define EMU_RUN_H

#include "emu/jobs/run_files.h"
#include "emu/jobs/runs.h"
#include "sim/cli/child.h"

typedef enum {
    RUN_WAITS,   /* to be started */
    RUN_LAYS,    /* its shares are copied out */
    RUN_IS_LAID, /* until the journal has the present time */
    RUN_WORKS,   /* the process is there */
    RUN_TAKES,   /* it has ended, its files are copied back */
    RUN_TELLS,   /* its end must be reported to the world */
    RUN_SAVED,   /* its ranks have ended at their notice: the world is going to take the node */
    RUN_IS_OVER  /* to be removed */
} RunPhase;

/* A command of one attempt of a job. */
typedef struct Run Run;
struct Run {
    Run *next;
    Arena *arena; /* its own */
    const RunsHost *host;
    const char *folder; /* represents the node's "/" */
    JobId job;
    int32_t attempt; /* Job.starts */
    uint32_t whose;  /* 0: the program; 1 + node: the preparation there */
    RunPhase phase;
    int64_t since_ns;         /* the world's: it began then */
    int64_t started_ns;       /* the machine's */
    int64_t taken_ns;         /* the machine's: files may be looked at again */
    int64_t took_ns;          /* from its end on */
    int64_t limit_ns;         /* how long it may take */
    const char *limit_reason; /* what is said where it does */
    bool is_wanted;           /* the world waits for its end */
    bool is_noticed;          /* its ranks got notice that a node is going to be preempted */
    int exit_code;            /* -1: none */
    const char *reason;       /* why it failed; NULL */
    Child child;
    RunFiles *files;
    const HandOff *hand_off; /* of a training that was handed to the trainer; NULL */
};

/* The job in the world. */
const Job *run_job(const Run *run);
/* Whether the trainer runs instead of the job's command line. */
bool run_is_handed_off(const Run *run);
/* Logs a line about the run on standard error. */
__attribute__((format(printf, 2, 3))) void run_say(const Run *run, const char *format, ...);

/* Makes the folder of the run, and opens its files. */
MUST_CHECK bool run_prepare(Run *run, Status *status);
/* Starts the process, and sets how long it may take; `counted` is HandOffSettings.counted. */
MUST_CHECK bool run_start(Run *run, DataSetCounted *counted, Status *status);

#endif
