#include "sim/output/share/emulated_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/base/units.h"

/* --- Writing --- */

void log_begin(LogWriter *log, ByteSink sink, int64_t created_ns, int64_t now_ns)
{
    invariant(created_ns <= now_ns);
    log->sink = sink;
    log->now_ns = now_ns;
    log->is_open = true;
    log->at_ns = created_ns;
    log->modified_ns = created_ns;
    log->length = 0;
    log->used = 0;
}

void log_end(LogWriter *log)
{
    if (log->used > 0 && log->sink.write)
        log->sink.write(log->sink.to, log->buffer, log->used);
    log->used = 0;
}

bool log_at(LogWriter *log, int64_t at_ns)
{
    log->is_open = at_ns <= log->now_ns;
    if (log->is_open) {
        invariant(at_ns >= log->at_ns);
        log->at_ns = at_ns;
    }
    return log->is_open;
}

char *log_room(LogWriter *log, size_t length)
{
    invariant(length <= LOG_BUFFER);
    if (LOG_BUFFER - log->used < length)
        log_end(log);
    return log->buffer + log->used;
}

void log_advance(LogWriter *log, const char *end)
{
    const char *begin = log->buffer + log->used;
    invariant(end >= begin && end <= log->buffer + LOG_BUFFER);
    if (!log->is_open || end == begin)
        return;
    log->used += (size_t)(end - begin);
    log->length += end - begin;
    log->modified_ns = log->at_ns;
}

void log_bytes(LogWriter *log, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t part = length < LOG_BUFFER ? length : LOG_BUFFER;
        char *room = log_room(log, part);
        memcpy(room, bytes, part);
        log_advance(log, room + part);
        bytes += part;
        length -= part;
    }
}

void log_text(LogWriter *log, const char *text)
{
    log_bytes(log, text, strlen(text));
}

void log_printf(LogWriter *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    char small[512];
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    invariant(length >= 0);
    if ((size_t)length < sizeof small) {
        log_bytes(log, small, (size_t)length);
    } else { // a long command line
        Arena *arena = arena_create();
        char *large = arena_alloc(arena, (size_t)length + 1);
        vsnprintf(large, (size_t)length + 1, format, again);
        log_bytes(log, large, (size_t)length);
        arena_destroy(arena);
    }
    va_end(again);
}

/* --- Times --- */

bool epoch_has_begun(const JobView *view, int64_t epoch)
{
    const Job *job = view->job;
    const Training *training = job->attempt->training;
    if (job->attempt->training_ns == INT64_MAX || epoch >= training->plan.epochs)
        return false;
    if (epoch < training->epoch)
        return true;
    return epoch == training->epoch && view->scenario->fidelity != FIDELITY_JOB;
}

/* The span from the epoch's first step to its last: as simulated, or as predicted while the
 * epoch lasts. */
static int64_t epoch_span_ns(const JobView *view, EpochTimes times, int64_t drawn_ns)
{
    if (times.end_ns != INT64_MAX)
        return times.end_ns - times.begin_ns;
    if (view->scenario->fidelity == FIDELITY_STEP)
        return drawn_ns;
    return step_parts_sum(view->job->attempt->training->epoch_parts);
}

void epoch_step_ends(const JobView *view, int64_t epoch, int64_t *step_end_ns)
{
    const Training *training = view->job->attempt->training;
    const int64_t *known_ns = job_step_ends(view->job, epoch);
    EpochTimes times = job_epoch_times(view->job, epoch);
    const int64_t steps = plan_epoch_steps(&training->plan, epoch);
    const int64_t before = epoch * training->plan.steps_per_epoch;
    if (known_ns) {
        memcpy(step_end_ns, known_ns, (size_t)steps * sizeof *step_end_ns);
        return;
    }
    int64_t drawn_ns = 0;
    for (int64_t i = 0; i < steps; i++) {
        if (i >= training_steps_before(training, epoch))
            drawn_ns += step_duration_ns(&training->plan, training->seed, training->step_address,
                                         before + i);
        step_end_ns[i] = drawn_ns;
    }
    int64_t span_ns = epoch_span_ns(view, times, drawn_ns);
    for (int64_t i = 0; i < steps; i++)
        step_end_ns[i] =
            times.begin_ns +
            (span_ns == drawn_ns ? step_end_ns[i] : mul_div(step_end_ns[i], span_ns, drawn_ns));
}

void log_duration(LogWriter *log, int64_t ns)
{
    Text text = {0};
    duration_print(&text, ns);
    log_text(log, text_string(&text));
    text_free(&text);
}

void log_size(LogWriter *log, int64_t bytes)
{
    Text text = {0};
    bytes_print(&text, bytes);
    log_text(log, text_string(&text));
    text_free(&text);
}
