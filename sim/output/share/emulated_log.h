/* What the emulated logs share: the job that they tell of, and a writer that knows what time it is.
 *
 * A log is a function that tells a job's whole story in order of simulated time, each piece under
 * the time at which it appears. The writer passes on the pieces up to its `now_ns` and swallows the
 * rest, so that a log at one time is a prefix of the log at any later time by construction. */
#ifndef SIM_OUTPUT_EMULATED_LOG_H
#define SIM_OUTPUT_EMULATED_LOG_H

#include "sim/base/byte_sink.h"
#include "sim/cloud/world.h"

/* A job with all that its logs speak of; everything is borrowed. */
typedef struct {
    const Scenario *scenario;
    const World *world; /* for files that commands print */
    const Job *job;
    const VmSize *vm_size;
    const char *const *node_names; /* job->spec->nodes of them, in the order of ranks */
} JobView;

/* Ranks that print into one file. */
typedef struct {
    int32_t first;
    int32_t count;
} RankSpan;

enum { LOG_BUFFER = 1 << 14 };

typedef struct {
    ByteSink sink;
    int64_t now_ns;
    bool is_open;        /* pieces at the present time are passed on */
    int64_t at_ns;       /* time of the piece being written */
    int64_t modified_ns; /* of the last piece passed on that had bytes */
    int64_t length;      /* of all bytes passed on */
    size_t used;
    char buffer[LOG_BUFFER];
} LogWriter;

void log_begin(LogWriter *log, ByteSink sink, int64_t created_ns, int64_t now_ns);
/* Hands on what is still held back; after the last piece. */
void log_end(LogWriter *log);

/* What follows appears at `at_ns`; never earlier than the time before. False when that is after
 * now: the rest of the story need not be told. INT64_MAX stands for what has not happened. */
bool log_at(LogWriter *log, int64_t at_ns);
void log_bytes(LogWriter *log, const char *bytes, size_t length);
void log_text(LogWriter *log, const char *text);
void log_printf(LogWriter *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for a piece of up to `length` <= LOG_BUFFER bytes, to be written in place by whoever prints
 * hundreds of thousands of lines; log_advance says where it ended. */
char *log_room(LogWriter *log, size_t length);
void log_advance(LogWriter *log, const char *end);

/* When each of an epoch's steps ends, into `step_end_ns` (plan.steps_per_epoch of them).
 *
 * Steps are computed one by one, whatever the fidelity, and stretched together to the epoch's span:
 * the one that was simulated, or while it lasts the one that the scenario's fidelity foresees.
 * Where a slow node or a crowded wire held them up they are those of the simulation, and INT64_MAX
 * while they have not ended. */
void epoch_step_ends(const JobView *view, int64_t epoch, int64_t *step_end_ns);
/* False while an epoch has not begun; at job fidelity epochs come all at once, at the end. */
bool epoch_has_begun(const JobView *view, int64_t epoch);

#endif
