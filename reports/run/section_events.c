/* Private to reports/run: the table of notable events. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/clock.h"
#include "reports/run/sections.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"

/* If there are more events, the first and the last are shown. */
enum { FIRST_SHOWN = 60, LAST_SHOWN = 20 };

static const char *cluster_name(const Facts *facts, const TraceRow *row)
{
    const uint32_t cluster = row->record.cluster.index;
    return cluster != ID_NONE ? facts->run->clusters[cluster].name : row->cluster;
}

static const char *job_name(const Facts *facts, const TraceRow *row)
{
    const uint32_t job = row->record.job.index;
    return job != ID_NONE ? facts->run->jobs[job].name : row->job;
}

static bool is_called(const TraceRow *row, const char *name)
{
    return row->record.name != NULL && strcmp(row->record.name, name) == 0;
}

static void allocation_told(Text *out, const Facts *facts, const TraceRow *row)
{
    const int64_t current = row->record.cluster_allocation.current,
                  target = row->record.cluster_allocation.target;
    text_printf(out, "Cluster %s is ", cluster_name(facts, row));
    if (is_called(row, allocation_state_name(ALLOCATION_STEADY))) {
        text_add(out, "steady with ");
        count_print(out, current, "node", "nodes");
    } else {
        text_printf(out, "resizing from %" PRId64 " to ", current);
        count_print(out, target, "node", "nodes");
    }
}

/* " (crash)", where there is a cause. */
static void cause_told(Text *out, const TraceRow *row)
{
    if (row->record.cause == CAUSE_NONE)
        return;
    text_add(out, " (");
    for (const char *letter = trace_cause_name(row->record.cause); *letter != '\0'; letter++)
        text_append(out, *letter == '_' ? " " : letter, 1);
    text_add(out, ")");
}

static void job_state_told(Text *out, const Facts *facts, const TraceRow *row)
{
    static const struct {
        JobState state;
        const char *words;
    } states[] = {
        {JOB_QUEUED, "is in the queue"},
        {JOB_RUNNING, "runs: it has its nodes"},
        {JOB_TERMINATING, "is being stopped"},
        {JOB_SUCCEEDED, "succeeded"},
        {JOB_FAILED, "failed"},
    };
    _Static_assert(sizeof(states) / sizeof(states[0]) == JOB_STATE_COUNT, "one row per state");
    for (int32_t i = 0; i < JOB_STATE_COUNT; i++)
        if (is_called(row, job_state_name(states[i].state)))
            text_printf(out, "Job %s %s", job_name(facts, row), states[i].words);
    cause_told(out, row);
    const uint32_t job = row->record.job.index;
    if (is_called(row, job_state_name(JOB_FAILED)) && job != ID_NONE &&
        facts->run->jobs[job].error_message != NULL)
        text_printf(out, ": %s", facts->run->jobs[job].error_message);
}

static void provisioning_told(Text *out, const Facts *facts, const TraceRow *row)
{
    if (is_called(row, provisioning_state_name(PROVISIONING_CREATING)))
        text_printf(out, "Cluster %s is asked for", cluster_name(facts, row));
    if (is_called(row, provisioning_state_name(PROVISIONING_FAILED)))
        text_printf(out, "Cluster %s could not be created", cluster_name(facts, row));
    if (is_called(row, provisioning_state_name(PROVISIONING_DELETED)))
        text_printf(out, "Cluster %s is deleted", cluster_name(facts, row));
}

/* A node that is released without having been leaving was lost. */
static bool is_lost(const TraceRow *row)
{
    return is_called(row, node_state_name(NODE_STATE_COUNT)) &&
           row->record.node_state.was != NODE_LEAVING &&
           row->record.node_state.was != NODE_STATE_COUNT;
}

static void node_told(Text *out, const Facts *facts, const TraceRow *row)
{
    const bool is_unusable = is_called(row, node_state_name(NODE_UNUSABLE));
    if (!is_unusable && !is_lost(row))
        return;
    text_printf(out, "Node %s of cluster %s %s", row->node, cluster_name(facts, row),
                is_unusable ? "became unusable" : "was lost");
    cause_told(out, row);
}

/* "2 epochs", or "2 epochs and 5 steps". */
static void point_print(Text *out, TrainingPoint point)
{
    if (point.epochs > 0 || point.steps == 0)
        count_print(out, point.epochs, "epoch", "epochs");
    if (point.epochs > 0 && point.steps > 0)
        text_add(out, " and ");
    if (point.steps > 0)
        count_print(out, point.steps, "step", "steps");
}

/* The sentence for a failure or for a change that no command caused. */
static void mishap_print(Text *out, const Facts *facts, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_NODE_STATE)
        node_told(out, facts, row);
    if (record->kind == TRACE_CLUSTER_ERROR)
        text_printf(out, "Cluster %s reports %s", cluster_name(facts, row), record->name);
    if (record->kind == TRACE_NODE_ERROR)
        text_printf(out, "Node %s of cluster %s reports %s", row->node, cluster_name(facts, row),
                    record->name);
    if (record->kind == TRACE_NODE_DRAINED)
        text_printf(out, "Node %s of cluster %s takes no new job: %s", row->node,
                    cluster_name(facts, row), record->name);
    if (record->kind == TRACE_NODE_RESUMED)
        text_printf(out, "Node %s of cluster %s is no longer drained", row->node,
                    cluster_name(facts, row));
    if (record->kind == TRACE_CLUSTER_SCALING)
        text_printf(out, "Cluster %s is scaled %s", cluster_name(facts, row),
                    strcmp(record->name, "automatic") == 0 ? "automatically from now on"
                                                           : "by hand from now on");
    if (record->kind == TRACE_GROUP_STRUCK) {
        text_printf(out, "%s fails with ", record->name);
        count_print(out, record->group_struck.nodes, "node", "nodes");
        cause_told(out, row);
    }
    if (record->kind == TRACE_JOB_STALLED)
        text_printf(out, "Job %s stalls: node %s is silent", job_name(facts, row), row->node);
    if (record->kind == TRACE_JOB_SAVED) {
        text_printf(out, "Job %s has written a checkpoint on notice: ", job_name(facts, row));
        point_print(out, record->job_saved.point);
    }
    if (record->kind == TRACE_JOB_WORK_SAVED) {
        text_printf(out, "Job %s has written a checkpoint on notice, of ", job_name(facts, row));
        duration_print(out, record->job_work_saved.work_ns);
        text_add(out, " of work");
    }
    if (record->kind == TRACE_JOB_WORK_RESUMED) {
        text_printf(out, "Job %s continues from its checkpoint: ", job_name(facts, row));
        duration_print(out, record->job_work_resumed.work_ns);
        text_add(out, " of work need not be done again");
    }
    const bool is_within = record->kind == TRACE_JOB_RESUMED_WITHIN;
    if (record->kind == TRACE_JOB_RESUMED || is_within) {
        text_printf(out, "Job %s continues from its checkpoint: ", job_name(facts, row));
        if (is_within)
            point_print(out, record->job_resumed_within.point);
        else
            point_print(out, (TrainingPoint){.epochs = record->job_resumed.epochs});
        text_add(out, " need not be done again");
    }
    if (record->kind == TRACE_SHARE_STATE)
        text_printf(out, "Share %s is %s", row->share, record->name);
}

static void queue_change_print(Text *out, const TraceRow *row)
{
    text_printf(out, "Queue %s is guaranteed ", row->record.name);
    count_print(out, row->record.queue_changed.gpus, "slot", "slots");
    if (row->record.queue_changed.gpus_max >= 0)
        text_printf(out, ", and has at most %" PRId64, row->record.queue_changed.gpus_max);
}

static void maintenance_print(Text *out, const Facts *facts, const TraceRow *row)
{
    const int64_t running = row->record.cluster_maintenance.running;
    text_printf(out, "Maintenance of ");
    count_print(out, row->record.cluster_maintenance.nodes, "node", "nodes");
    text_printf(out, " of cluster %s %s", cluster_name(facts, row), row->record.name);
    if (running == 0 || strcmp(row->record.name, "begins") != 0)
        return;
    text_add(out, ", while ");
    count_print(out, running, "node still runs jobs", "nodes still run jobs");
}

static void notice_print(Text *out, const Facts *facts, const TraceRow *row)
{
    const int64_t grace_ns = row->record.job_notice.grace_ns;
    text_printf(out, "Job %s ", job_name(facts, row));
    if (grace_ns < 0) {
        text_add(out, "need not be stopped any more");
        return;
    }
    text_printf(out, "gets notice: for queue %s it is stopped in ", row->record.name);
    duration_print(out, grace_ns);
}

/* Prints the sentence for a notable row, nothing for the others. */
static void event_print(Text *out, const Facts *facts, const TraceRow *row)
{
    const TraceKind kind = row->record.kind;
    if (kind == TRACE_COMMAND_REFUSED)
        text_printf(out, "Refused: %s", row->record.name != NULL ? row->record.name : "");
    if (kind == TRACE_COMMAND_SKIPPED)
        text_printf(out, "Never happened: %s", row->record.name != NULL ? row->record.name : "");
    if (kind == TRACE_CLUSTER_PROVISIONING)
        provisioning_told(out, facts, row);
    if (kind == TRACE_CLUSTER_ALLOCATION)
        allocation_told(out, facts, row);
    if (kind == TRACE_CLUSTER_READY) {
        text_printf(out, "Cluster %s is ready: ", cluster_name(facts, row));
        count_print(out, row->record.cluster_ready.nodes, "node", "nodes");
        text_add(out, " prepared");
    }
    mishap_print(out, facts, row);
    if (kind == TRACE_QUEUE_RECLAIMS) {
        text_printf(out, "Queue %s reclaims its guarantee for job %s: ", row->record.name,
                    job_name(facts, row));
        count_print(out, row->record.queue_reclaims.jobs, "job", "jobs");
        text_add(out, row->record.queue_reclaims.jobs == 1 ? " of other queues stops"
                                                           : " of other queues stop");
    }
    if (kind == TRACE_QUEUE_CHANGED)
        queue_change_print(out, row);
    if (kind == TRACE_CLUSTER_MAINTENANCE)
        maintenance_print(out, facts, row);
    if (kind == TRACE_JOB_NOTICE)
        notice_print(out, facts, row);
    if (kind == TRACE_JOB_STATE)
        job_state_told(out, facts, row);
    if (kind == TRACE_JOB_TRAINING) {
        text_printf(out, "Job %s begins its first step with ", job_name(facts, row));
        count_print(out, row->record.job_training.ranks, "rank", "ranks");
    }
    if (kind == TRACE_JOB_TRAINED)
        text_printf(out, "Job %s has trained its last epoch", job_name(facts, row));
    if (kind == TRACE_RUN_ENDED)
        text_add(out, "The simulation ends");
}

static uint32_t events_count(const Facts *facts)
{
    uint32_t count = 0;
    Text event = {0};
    for (uint32_t i = 0; i < facts->row_count; i++) {
        text_clear(&event);
        event_print(&event, facts, &facts->rows[i]);
        count += event.length > 0;
    }
    text_free(&event);
    return count;
}

static void event_row_print(Text *html, const Facts *facts, int64_t at_ns, const char *event)
{
    text_add(html, "<tr><td class=\"t\">");
    duration_print(html, at_ns);
    text_add(html, "</td><td class=\"t clock\">");
    clock_print(html, facts, at_ns);
    text_add(html, "</td><td>");
    markup_print(html, event);
    text_add(html, "</td></tr>\n");
}

void section_events_table(Text *html, const Facts *facts)
{
    const uint32_t count = events_count(facts);
    uint32_t index = 0;
    Text event = {0};
    text_add(html, "<table class=\"events\"><thead><tr><th scope=\"col\">After</th>"
                   "<th scope=\"col\">Simulated clock (UTC)</th><th scope=\"col\">What</th></tr>"
                   "</thead>\n<tbody>\n");
    for (uint32_t i = 0; i < facts->row_count; i++) {
        text_clear(&event);
        event_print(&event, facts, &facts->rows[i]);
        if (event.length == 0)
            continue;
        if (index < FIRST_SHOWN || index + LAST_SHOWN >= count)
            event_row_print(html, facts, facts->rows[i].record.at_ns, text_string(&event));
        else if (index == FIRST_SHOWN)
            text_printf(html,
                        "<tr><td></td><td class=\"clock\"></td><td class=\"note\">%" PRIu32
                        " events are left out here; trace.tsv has them all</td></tr>\n",
                        count - FIRST_SHOWN - LAST_SHOWN);
        index++;
    }
    text_free(&event);
    text_add(html, "</tbody></table>\n");
}
