/* For any bytes in a trace.tsv, reading ends with rows or with problems. Rows can be folded,
 * summarized, drawn and written, and the written text is read and written back unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/output/explain/why.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/summary/summary.h"
#include "sim/output/summary/text.h"
#include "sim/output/trace/fingerprint.h"
#include "sim/output/trace/timeline.h"
#include "sim/output/trace/tsv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    Text text;
    TraceListener metrics, timeline, fingerprint, why;
} Listeners;

static void tell_all(void *listener, const TraceRow *row)
{
    Listeners *all = listener;
    trace_tsv_print_row(&all->text, row);
    all->metrics.row(all->metrics.listener, row);
    all->timeline.row(all->timeline.listener, row);
    all->fingerprint.row(all->fingerprint.listener, row);
    if (trace_kind_level(row->record.kind) <= all->why.level)
        all->why.row(all->why.listener, row);
}

static void rewrite(void *listener, const TraceRow *row)
{
    trace_tsv_print_row(listener, row);
}

/* The output of the writer must be a fixed point of reading and writing. */
static void check_rewritten(Arena *arena, const Text *written, const TraceHeader *header)
{
    Text whole = {0}, again = {0};
    trace_tsv_print_header(&whole, header);
    text_append(&whole, text_string(written), written->length);
    TraceHeader read;
    Problems problems = problems_create(arena);
    const bool is_right = trace_tsv_read(
        arena, "again", whole.data, whole.length, &read,
        (TraceListener){.listener = &again, .level = TRACE_LEVEL_STEPS, .row = rewrite}, &problems);
    invariant(is_right);
    invariant(strcmp(text_string(&again), text_string(written)) == 0);
    text_free(&whole);
    text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    FILE *nowhere = fopen("/dev/null", "w");
    invariant(nowhere != NULL);
    MetricsFold *fold = metrics_fold_create(arena);
    TimelineWriter *timeline = timeline_writer_create(arena, nowhere, TRACE_LEVEL_STEPS);
    Fingerprint fingerprint = fingerprint_start();
    Why *why = why_create(arena, "j");
    Listeners all = {.metrics = metrics_fold_listener(fold, TRACE_LEVEL_STEPS),
                     .timeline = timeline_writer_listener(timeline),
                     .fingerprint = fingerprint_listener(&fingerprint, TRACE_LEVEL_STEPS),
                     .why = why_listener(why)};
    TraceHeader header = {0};
    Problems problems = problems_create(arena);
    const bool is_right = trace_tsv_read(
        arena, "fuzz", (const char *)data, size, &header,
        (TraceListener){.listener = &all, .level = TRACE_LEVEL_STEPS, .row = tell_all}, &problems);
    invariant(is_right == (problems.count == 0));
    if (is_right) {
        Text text = {0};
        const Json *summary =
            summary_json(arena, summary_of_run(arena, NULL, metrics_fold_result(fold), NULL));
        summary_text_print(&text, summary);
        json_print(&text, summary, JSON_COMPACT);
        text_free(&text);
        check_rewritten(arena, &all.text, &header);
    }
    Text story = {0};
    Status status = {0};
    invariant(why_print(&story, why, &status) || status.code == STATUS_NOT_FOUND);
    text_free(&story);
    timeline_writer_finish(timeline);
    fclose(nowhere);
    text_free(&all.text);
    arena_destroy(arena);
    return 0;
}
