/* Common parts of emulated logs: the job that they describe, and a writer that knows the time.
 *
 * A log is a function that writes a job's whole history in order of simulated time, each piece
 * at the time at which it appears. The writer passes on the pieces up to `now_ns` and discards
 * the rest, so a log at one time is by construction a prefix of the log at any later time. */
#ifndef SIM_OUTPUT_EMULATED_LOG_H
#define SIM_OUTPUT_EMULATED_LOG_H

#include "sim/base/byte_sink.h"
#include "sim/cloud/world.h"

/* A job with everything that its logs mention; everything is borrowed. */
typedef struct {
    const Scenario *scenario;
    const World *world; /* for files that commands print */
    const Job *job;
    const VmSize *vm_size;
    const char *const *node_names; /* job->request.nodes names, in the order of ranks */
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
    bool is_open;        /* pieces at or before this time are passed on */
    int64_t at_ns;       /* time of the piece being written */
    int64_t modified_ns; /* time of the last non-empty piece that was passed on */
    int64_t length;      /* number of bytes passed on */
    size_t used;
    char buffer[LOG_BUFFER];
} LogWriter;

void log_begin(LogWriter *log, ByteSink sink, int64_t created_ns, int64_t now_ns);
/* Passes on the buffered rest; after the last piece. */
void log_end(LogWriter *log);

/* Sets the time of the following pieces, which never decreases. False when it is after now: the
 * rest of the log need not be written. INT64_MAX: not happened. */
bool log_at(LogWriter *log, int64_t at_ns);
void log_bytes(LogWriter *log, const char *bytes, size_t length);
void log_text(LogWriter *log, const char *text);
void log_printf(LogWriter *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For people: "1 h 2 min 3 s", "170.5 MB". */
void log_duration(LogWriter *log, int64_t ns);
void log_size(LogWriter *log, int64_t bytes);

/* Room for a piece of up to `length` <= LOG_BUFFER bytes, to be written in place by logs of
 * hundreds of thousands of lines. log_advance reports its length. */
char *log_room(LogWriter *log, size_t length);
void log_advance(LogWriter *log, const char *end);

/* Computes the end of each of an epoch's steps into `step_end_ns` (plan_epoch_steps values).
 *
 * Steps are computed one by one at any fidelity and stretched together to the epoch's span: the
 * simulated span, or while the epoch lasts the span that the scenario's fidelity predicts. If a
 * slow node or a crowded wire delayed them, they are the simulated times, and INT64_MAX for
 * steps that have not ended. */
void epoch_step_ends(const JobView *view, int64_t epoch, int64_t *step_end_ns);
/* False while an epoch has not begun. At job fidelity all epochs appear at once, at the end. */
bool epoch_has_begun(const JobView *view, int64_t epoch);

#endif
