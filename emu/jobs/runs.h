/* Commands of jobs that run for real (`trainyard serve --run-jobs`, `--real`): what the world
 * begins is begun on this machine, and how it went is told to the world.
 *
 * A job of real execution (sim/cloud/spec/spec.h, PROGRAM_REAL) is modelled up to its commands:
 * queue, nodes, mounts. Its preparation, on each of its nodes, and its command line, once, are then
 * given to `/bin/sh -c`; a training that the trainer knows is handed to it instead, with all its
 * ranks on this machine (real/launch/hand_off.h), and its preparation is modelled. Each run has a
 * directory that stands for the node's "/" (emu/jobs/run_files.h), which goes when the job is over;
 * paths in the variables of its environment lead there.
 *
 * Simulated time while commands run: a command lasts as long in the world as it did on the machine.
 * So the clock goes at most one second a second, and never past what the oldest command has
 * reached: a faster clock is held back, auto does not jump, and a request to go further is told so.
 * While shares are laid out before a start, and taken back after the end, time stands. A clock that
 * is slower, or stands, is left alone: the end comes when the world gets there.
 *
 * How it went is a command of the journal (job.ran), so that a session that is opened again, and an
 * exported one, run nothing twice. What was at work when the emulator ended is told as failed. */
#ifndef EMU_RUNS_H
#define EMU_RUNS_H

#include "emu/files/store/file_store.h"
#include "emu/session/pace.h"
#include "emu/session/session.h"
#include "real/launch/hand_off.h"

typedef struct {
    bool runs_jobs;             /* --run-jobs: jobs submitted from now on run for real, ... */
    bool hands_off;             /* --real: trainings submitted from now on are handed off ... */
    HandOffBackend backend;     /* ... to the trainer, which computes there ... */
    const char *trainer;        /* ... and is this program; ... */
    const char *data_folder;    /* ... CIFAR-10, absolute; NULL: where the job says */
    int64_t time_limit_ns;      /* whatever runs for real takes no longer than that, ... */
    int64_t output_limit_bytes; /* ... and each of their commands writes no more */
} RunsSettings;

/* How a job that is submitted now is executed. */
JobExecution runs_execution(const RunsSettings *settings);

/* What runs work with; all of it outlives them. */
typedef struct {
    const RunsSettings *settings;
    Session *session;
    Store *store;
    FileStore *files;
    const Pace *pace;
} RunsHost;

typedef struct Runs Runs;

/* For a session that was just opened: what was at work when it was left is told as failed. */
Runs *runs_open(Arena *arena, RunsHost host);
/* Before an orderly end: ends what runs, and tells the world so. */
void runs_end(Runs *runs);
void runs_close(Runs *runs); /* NULL is fine; kills what still runs */

/* --- Time --- */

/* Notes which commands have begun. To be called between any two events while runs_are_expected. */
void runs_look(Runs *runs);
bool runs_are_expected(const Runs *runs);
/* How far the world may go; INT64_MAX: as far as it likes. */
int64_t runs_reach_ns(const Runs *runs);

/* Starts, looks after, ends and tells of commands: at every tick. */
void runs_work(Runs *runs);
/* When it must be called next, by the machine's clock; INT64_MAX: nothing runs. */
int64_t runs_next_ns(const Runs *runs);

#endif
