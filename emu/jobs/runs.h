/* Commands of jobs that run for real (`trainyard serve --run-jobs`, `--real`): commands that begin
 * in the world are started on this machine, and their ends are reported to the world.
 *
 * A job of real execution (sim/cloud/spec/spec.h, PROGRAM_REAL) is modelled up to its commands:
 * queue, nodes, mounts. Then its preparation runs by `/bin/sh -c` on each of its nodes, and its
 * command line once. A training that the trainer knows is handed to the trainer instead, with all
 * its ranks on this machine (real/launch/hand_off.h), and its preparation is modelled. Each run has
 * a directory that represents the node's "/" (emu/jobs/run_files.h) and is removed after the job;
 * paths in its environment variables lead there.
 *
 * Simulated time while commands run: a command lasts as long in the world as it did on the machine.
 * So simulated time passes at most one second a second, and never beyond the time that the oldest
 * command has reached: a faster clock is held back, auto does not jump, and a request that asks for
 * more is answered so. Time stands still while shares are copied out before a start and copied back
 * after the end. A clock that is slower, or stands still, is not changed: the end is reported when
 * the world reaches it.
 *
 * A training that saves on notice gets one when a node of it is going to be preempted: its ranks
 * write a checkpoint and end, and the world continues without them until the node is lost. The next
 * attempt resumes at that step.
 *
 * The end is a command in the journal (job.ran), so that a session that is opened again, and an
 * exported one, run no command twice. A command that runs when the emulator ends is reported as
 * failed. */
#ifndef EMU_RUNS_H
#define EMU_RUNS_H

#include "emu/files/store/file_store.h"
#include "emu/session/pace.h"
#include "emu/session/session.h"
#include "real/launch/hand_off.h"

typedef struct {
    bool runs_jobs;          /* --run-jobs: jobs submitted from now on run for real */
    bool hands_off;          /* --real: trainings submitted from now on are handed to the trainer */
    HandOffBackend backend;  /* where the trainer computes */
    const char *trainer;     /* the trainer's program */
    const char *data_folder; /* CIFAR-10, absolute; NULL: the folder that the job names */
    int64_t time_limit_ns;   /* limit for each command and training */
    int64_t output_limit_bytes; /* limit for the files of each command */
} RunsSettings;

/* How a job that is submitted now is executed. */
JobExecution runs_execution(const RunsSettings *settings);

/* The parts that runs use; they outlive the runs. */
typedef struct {
    const RunsSettings *settings;
    Session *session;
    Store *store;
    FileStore *files;
    const Pace *pace;
} RunsHost;

typedef struct Runs Runs;

/* For a session that was just opened: reports commands as failed that ran when it was last closed.
 */
Runs *runs_open(Arena *arena, RunsHost host);
/* Before an orderly end: ends all commands and reports that to the world. */
void runs_end(Runs *runs);
void runs_close(Runs *runs); /* NULL is fine; kills what still runs */

/* --- Time --- */

/* Finds the commands that have begun. Called between any two events while runs_are_expected. */
void runs_look(Runs *runs);
bool runs_are_expected(const Runs *runs);
/* The time up to which the world may run; INT64_MAX: without limit. */
int64_t runs_reach_ns(const Runs *runs);

/* Starts, supervises, ends and reports commands; called at every tick. */
void runs_work(Runs *runs);
/* When runs_work must be called next, by the machine's clock; INT64_MAX: no command runs. */
int64_t runs_next_ns(const Runs *runs);

#endif
