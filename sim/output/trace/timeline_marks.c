#include "sim/output/trace/timeline_marks.h"

#include <inttypes.h>
#include <string.h>

void timeline_mark(TimelineWriter *timeline, ChromeTrack track, const TraceRow *row,
                   const char *name)
{
    char detail[96];
    const TraceCause cause = row->record.cause;
    snprintf(detail, sizeof detail, "\"record\":\"%s\"%s%s%s", trace_kind_name(row->record.kind),
             cause != CAUSE_NONE ? ",\"cause\":\"" : "", trace_cause_name(cause),
             cause != CAUSE_NONE ? "\"" : "");
    chrome_trace_mark(&timeline->trace, track, name, row->record.at_ns, detail);
}

/* --- Names that depend on more than the record's name --- */

/* "scaling automatic 0 to 4" */
static void print_scaling(Text *out, const TraceRecord *record)
{
    text_printf(out, "scaling %s %" PRId64 " to %" PRId64, record->name,
                record->cluster_scaling.minimum, record->cluster_scaling.maximum);
}

static void print_speed(Text *out, const TraceRecord *record)
{
    text_printf(out, "speed %" PRId64 " ppm", record->node_speed.speed_ppm);
}

/* "reclaims 2 jobs" */
static void print_reclaims(Text *out, const TraceRecord *record)
{
    const int64_t jobs = record->queue_reclaims.jobs;
    text_printf(out, "reclaims %" PRId64 " job%s", jobs, plural(jobs));
}

static void print_notice(Text *out, const TraceRecord *record)
{
    text_add(out, record->job_notice.grace_ns >= 0 ? "notice" : "notice withdrawn");
}

static void print_deferred(Text *out, const TraceRecord *record)
{
    text_add(out, record->job_deferred.begins_ns >= 0 ? "deferred by maintenance"
                                                      : "not deferred any more");
}

/* --- By kind of record --- */

typedef enum { ON_NOTHING, ON_CLUSTER, ON_NODE, ON_JOB } MarkLine;

static const struct {
    MarkLine on;
    const char *name; /* with the record's name in place of "%"; NULL: `print` prints it */
    void (*print)(Text *out, const TraceRecord *record);
} marks[TRACE_KIND_COUNT] = {
    [TRACE_CLUSTER_SCALING] = {ON_CLUSTER, NULL, print_scaling},
    [TRACE_CLUSTER_ERROR] = {ON_CLUSTER, "%", NULL},
    [TRACE_CLUSTER_MAINTENANCE] = {ON_CLUSTER, "maintenance %", NULL},
    [TRACE_QUEUE_CHANGED] = {ON_CLUSTER, "queue % changes", NULL},
    [TRACE_NODE_ERROR] = {ON_NODE, "%", NULL},
    [TRACE_NODE_NOTICE] = {ON_NODE, "preemption notice", NULL},
    [TRACE_NODE_SPEED] = {ON_NODE, NULL, print_speed},
    [TRACE_NODE_REPAIR] = {ON_NODE, "repair %", NULL},
    [TRACE_NODE_DRAINED] = {ON_NODE, "%", NULL},
    [TRACE_NODE_RESUMED] = {ON_NODE, "no longer drained", NULL},
    [TRACE_JOB_STALLED] = {ON_JOB, "stalled", NULL},
    [TRACE_JOB_RESUMED] = {ON_JOB, "resumed", NULL},
    [TRACE_JOB_RESUMED_WITHIN] = {ON_JOB, "resumed", NULL},
    [TRACE_JOB_WORK_RESUMED] = {ON_JOB, "resumed", NULL},
    [TRACE_JOB_ERROR] = {ON_JOB, "%", NULL},
    [TRACE_JOB_NOTICE] = {ON_JOB, NULL, print_notice},
    [TRACE_JOB_DEFERRED] = {ON_JOB, NULL, print_deferred},
    [TRACE_JOB_RECLAIMED] = {ON_JOB, "reclaimed", NULL},
    [TRACE_QUEUE_RECLAIMS] = {ON_JOB, NULL, print_reclaims},
};

void timeline_mark_row(TimelineWriter *timeline, const TraceRow *row)
{
    const TraceKind kind = row->record.kind;
    const MarkLine on = marks[kind].on;
    const char *name = marks[kind].name;
    const size_t before = name != NULL ? strcspn(name, "%") : 0;
    Text text = {0};
    if (on == ON_NOTHING)
        return;
    const ChromeTrack track = on == ON_CLUSTER ? timeline_cluster(timeline, row)->track
                              : on == ON_NODE  ? timeline_node(timeline, row)->track
                                               : timeline_job(timeline, row)->track;
    if (name == NULL)
        marks[kind].print(&text, &row->record);
    else if (name[before] == '\0')
        text_add(&text, name);
    else
        text_printf(&text, "%.*s%s%s", (int)before, name, row->record.name, name + before + 1);
    timeline_mark(timeline, track, row, text_string(&text));
    text_free(&text);
}
