#include "sim/output/explain/why_wait.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"

void why_add_clock(Text *out, int64_t at_ns)
{
    text_add(out, CLOCK_BEGIN);
    duration_print(out, at_ns);
    text_add(out, CLOCK_END);
}

void why_add_indent(Text *out)
{
    text_add(out, CLOCK_BEGIN CLOCK_END);
}

void why_add_count(Text *out, int64_t count, const char *noun)
{
    text_printf(out, "%" PRId64 " %s%s", count, noun, plural(count));
}

static void begin_reason(Text *out)
{
    why_add_indent(out);
    text_add(out, "- ");
}

/* --- Events --- */

void wait_note(Arena *arena, Wait *wait, int64_t at_ns, Text *text)
{
    int32_t i = 0;
    while (i < wait->note_count && strcmp(wait->notes[i].text, text_string(text)) != 0)
        i++;
    if (i == NOTES_MAX) {
        wait->notes_left_out++;
    } else {
        if (i == wait->note_count)
            wait->notes[wait->note_count++] =
                (Note){arena_strdup(arena, text_string(text)), at_ns, at_ns, 0};
        wait->notes[i].count++;
        wait->notes[i].last_ns = at_ns;
    }
    text_free(text);
}

static bool asks_for_gpus(const Wait *wait, WaitView view)
{
    return wait->request.kind != REQUEST_NODES && view.room.gpus_per_node > 0;
}

/* Whether enough slots of a kind of nodes that the job allows are free. */
static bool has_slots(JobRequest request, const Room *room)
{
    for (const Room *kind = room; kind != NULL; kind = kind->next)
        if (request_allows(request, kind->kind) &&
            room_slots_of_kind(kind) >= request_slots_on(request, kind))
            return true;
    return false;
}

static WaitReason reason_of(const Wait *wait, WaitView view)
{
    static const WaitReason of_shortage[] = {
        [SHORT_OF_CORES] = WAIT_FOR_CORES,         [SHORT_OF_MEMORY] = WAIT_FOR_MEMORY,
        [SHORT_OF_LIMIT] = WAIT_FOR_LIMIT,         [SHORT_OF_NOTICE] = WAIT_FOR_NOTICE,
        [SHORT_OF_GUARANTEE] = WAIT_FOR_GUARANTEE, [SHORT_OF_MAINTENANCE] = WAIT_FOR_MAINTENANCE};
    if (wait->is_deferred)
        return WAIT_FOR_MAINTENANCE;
    if (wait->shortage != SHORT_OF_GPUS)
        return of_shortage[wait->shortage];
    const int32_t *nodes = view.nodes, queued = view.queued;
    const int64_t idle = nodes[NODE_IDLE], coming = idle + nodes[NODE_PREPARING];
    const int64_t working = coming + nodes[NODE_RUNNING];
    const int64_t with_earlier = wait->needed + wait->earlier_nodes;
    if (asks_for_gpus(wait, view) && request_fits(&wait->request, &(SlotLimit){0}, &view.room))
        return wait->earlier_now > 0 || queued > 1 ? WAIT_FOR_EARLIER : WAIT_FOR_SERVICE;
    if (asks_for_gpus(wait, view) && has_slots(wait->request, &view.room))
        return WAIT_FOR_GPUS;
    if (idle >= with_earlier && (wait->earlier_now > 0 || queued <= 1))
        return WAIT_FOR_SERVICE;
    if (idle >= wait->needed)
        return wait->earlier_now > 0 || queued > 1 ? WAIT_FOR_EARLIER : WAIT_FOR_SERVICE;
    if (coming >= wait->needed)
        return coming >= with_earlier ? WAIT_FOR_PREPARATION : WAIT_FOR_EARLIER;
    if (working >= wait->needed)
        return WAIT_FOR_RUNNING;
    return working + nodes[NODE_UNUSABLE] >= wait->needed ? WAIT_FOR_REPAIR : WAIT_FOR_NODES;
}

static void note_free_gpus(Wait *wait, Room room)
{
    const Room *first = NULL; // of the kinds that the job allows
    int64_t gpus = 0;
    int32_t nodes = 0;
    for (const Room *kind = &room; kind != NULL; kind = kind->next) {
        if (!request_allows(wait->request, kind->kind))
            continue;
        first = first != NULL ? first : kind;
        gpus += room_slots_of_kind(kind);
        for (int32_t free = 1; free <= kind->gpus_per_node; free++)
            nodes += kind->places[free].count;
    }
    if (first == NULL || (wait->gpus_per_node > 0 && gpus <= wait->free_gpus))
        return;
    wait->gpus_per_node = first->gpus_per_node;
    wait->free_gpus = gpus;
    wait->free_nodes = nodes;
}

void wait_passes(Wait *wait, WaitView view, int64_t span_ns)
{
    const int32_t usable = view.nodes[NODE_IDLE] + view.nodes[NODE_RUNNING];
    if (usable > wait->usable_max)
        wait->usable_max = usable;
    if (wait->needed == 0)
        return;
    const WaitReason reason = reason_of(wait, view);
    wait->reason_ns[reason] += span_ns; // no wait is longer than the run
    if (asks_for_gpus(wait, view) && (reason == WAIT_FOR_GPUS || reason == WAIT_FOR_RUNNING))
        note_free_gpus(wait, view.room);
}

void wait_has_earlier(Wait *wait, OtherJob job)
{
    if (wait->earlier_count < NAMES_SHOWN)
        wait->earlier[wait->earlier_count] = job;
    wait->earlier_count++;
    wait->earlier_now++;
    wait->earlier_nodes += job.nodes;
}

void wait_earlier_leaves(Wait *wait, OtherJob job, bool has_started)
{
    wait->earlier_now--;
    wait->earlier_nodes -= job.nodes;
    wait->earlier_started += has_started;
    wait->earlier_left_ns = job.at_ns;
    for (int32_t i = 0; i < wait->earlier_count && i < NAMES_SHOWN; i++)
        if (wait->earlier[i].id == job.id)
            wait->earlier[i] = job;
}

void wait_is_overtaken(Wait *wait, OtherJob job)
{
    if (wait->overtakers == 0 || job.at_ns > wait->overtaken_ns)
        wait->overtakers_at_last = 0;
    wait->overtaken_ns = job.at_ns;
    wait->overtakers_at_last++;
    if (wait->overtakers < NAMES_SHOWN)
        wait->overtaken_by[wait->overtakers] = job;
    wait->overtakers++;
}

void wait_job_ended(Wait *wait, OtherJob job)
{
    wait->ended[wait->ended_count++ % NAMES_SHOWN] = job;
}

/* --- Printing --- */

static const char *const reason_words[] = {
    [WAIT_FOR_NODES] = "the cluster had too few nodes",
    [WAIT_FOR_REPAIR] = "too many nodes were unusable",
    [WAIT_FOR_GPUS] = "the free GPUs were on too many nodes",
    [WAIT_FOR_PREPARATION] = "nodes were being prepared",
    [WAIT_FOR_RUNNING] = "running jobs held the nodes",
    [WAIT_FOR_EARLIER] = "other jobs were ahead of it in the queue",
    [WAIT_FOR_CORES] = "nodes with enough free GPUs had too few free cores",
    [WAIT_FOR_MEMORY] = "nodes with enough free GPUs had too little free memory",
    [WAIT_FOR_NOTICE] = "running jobs had notice that they would be stopped for its queue",
    [WAIT_FOR_LIMIT] = "its queue had as many GPUs as it may have",
    [WAIT_FOR_MAINTENANCE] = "it was expected to run into planned maintenance",
    [WAIT_FOR_GUARANTEE] = "free GPUs were kept for a queue that waited for its guarantee",
    [WAIT_FOR_SERVICE] = "nothing was in its way but the service's own delay",
};
_Static_assert(sizeof reason_words / sizeof reason_words[0] == WAIT_REASON_COUNT, "all reasons");

static void add_times(Text *out, const Wait *wait)
{
    int count = 0;
    for (int reason = 0; reason < WAIT_REASON_COUNT; reason++)
        count += wait->reason_ns[reason] > 0;
    if (count == 0 || (count == 1 && wait->reason_ns[WAIT_FOR_SERVICE] > 0))
        return;
    begin_reason(out);
    const char *separator = "";
    for (int reason = 0; reason < WAIT_REASON_COUNT; reason++) {
        if (wait->reason_ns[reason] == 0)
            continue;
        text_add(out, separator);
        if (count == 1) {
            text_add(out, "all the time ");
        } else {
            text_add(out, "for ");
            duration_print(out, wait->reason_ns[reason]);
            text_add(out, " ");
        }
        text_add(out, reason == WAIT_FOR_EARLIER && wait->earlier_count == 1
                          ? "another job was ahead of it in the queue"
                          : reason_words[reason]);
        separator = ", ";
    }
    text_add(out, "\n");
}

static void add_job(Text *out, const OtherJob *job)
{
    text_add(out, job->name);
    if (job->nodes > 0) {
        text_add(out, " (");
        why_add_count(out, job->nodes, "node");
        text_add(out, ")");
    }
}

static void add_jobs(Text *out, const OtherJob *jobs, int64_t count)
{
    const int64_t shown = count < NAMES_SHOWN ? count : NAMES_SHOWN;
    for (int64_t i = 0; i < shown; i++) {
        text_add(out, i > 0 ? ", " : "");
        add_job(out, &jobs[i]);
    }
    if (count > shown)
        text_printf(out, " and %" PRId64 " more", count - shown);
}

static void add_one_earlier(Text *out, const OtherJob *job, bool has_started)
{
    begin_reason(out);
    add_job(out, job);
    if (job->at_ns == INT64_MAX) {
        text_printf(out, " %s ahead of it in the queue%s\n", has_started ? "was" : "is",
                    has_started ? " and was passed over" : " still");
        return;
    }
    text_add(out, " was ahead of it in the queue until ");
    duration_print(out, job->at_ns);
    text_printf(out, ", when %s\n", job->how);
}

static void add_many_earlier(Text *out, const Wait *wait, bool has_started)
{
    const int32_t left = wait->earlier_count - wait->earlier_now;
    const int32_t gone = left - wait->earlier_started;
    begin_reason(out);
    text_printf(out, "%" PRId32 " jobs were ahead of it in the queue: ", wait->earlier_count);
    add_jobs(out, wait->earlier, wait->earlier_count);
    text_add(out, "; ");
    if (wait->earlier_started > 0)
        text_printf(out, "%" PRId32 " started", wait->earlier_started);
    if (gone > 0)
        text_printf(out, "%s%" PRId32 " ended without", wait->earlier_started > 0 ? ", " : "",
                    gone);
    if (left > 0) {
        text_add(out, ", the last at ");
        duration_print(out, wait->earlier_left_ns);
    }
    if (wait->earlier_now > 0)
        text_printf(out, "%s%" PRId32 " %s", left > 0 ? ", " : "", wait->earlier_now,
                    has_started ? "passed over" : "still there");
    text_add(out, "\n");
}

/* Whether the jobs ahead of it may have delayed the job: not if there were nodes for all. */
static bool depended_on_earlier(const Wait *wait)
{
    for (int reason = 0; reason < WAIT_REASON_COUNT; reason++)
        if (reason != WAIT_FOR_SERVICE && wait->reason_ns[reason] > 0)
            return true;
    return wait->needed == 0;
}

static void add_earlier(Text *out, const Wait *wait, bool has_started)
{
    if (wait->earlier_count == 0 || !depended_on_earlier(wait))
        return;
    if (wait->earlier_count > NAMES_SHOWN) {
        add_many_earlier(out, wait, has_started);
        return;
    }
    for (int32_t i = 0; i < wait->earlier_count; i++)
        add_one_earlier(out, &wait->earlier[i], has_started);
}

static void add_note(Text *out, const Note *note)
{
    begin_reason(out);
    duration_print(out, note->first_ns);
    text_printf(out, ": %s", note->text);
    if (note->count > 1) {
        text_printf(out, " (%" PRId32 " times, the last at ", note->count);
        duration_print(out, note->last_ns);
        text_add(out, ")");
    }
    text_add(out, "\n");
}

static void add_notes(Text *out, const Wait *wait)
{
    for (int32_t i = 0; i < wait->note_count; i++)
        add_note(out, &wait->notes[i]);
    if (wait->notes_left_out > 0) {
        begin_reason(out);
        text_printf(out, "and %" PRId64 " more such event%s\n", wait->notes_left_out,
                    plural(wait->notes_left_out));
    }
}

static void add_prepared(Text *out, const Wait *wait)
{
    if (wait->prepared == 0)
        return;
    begin_reason(out);
    why_add_count(out, wait->prepared, "node");
    text_printf(out, " %s prepared, %s ", wait->prepared == 1 ? "was" : "were",
                wait->prepared == 1 ? "at" : "the last at");
    duration_print(out, wait->prepared_ns);
    text_add(out, "\n");
}

/* "8 GPUs on one node", "4 GPUs on each of 2 nodes and 3 on another one" */
static void add_request(Text *out, JobRequest request, int32_t gpus_per_node)
{
    if (request.kinds != 0)
        request = request_on(request, gpus_per_node);
    const int32_t first = request_part(request, 0, gpus_per_node);
    const int32_t last = request_part(request, request.nodes - 1, gpus_per_node);
    const int32_t large = first == last ? request.nodes : request.large_nodes;
    why_add_count(out, first, "GPU");
    if (large == 1)
        text_add(out, " on one node");
    else
        text_printf(out, " on each of %" PRId32 " nodes", large);
    if (request.nodes - large == 1)
        text_printf(out, " and %" PRId32 " on another one", last);
    else if (request.nodes > large)
        text_printf(out, " and %" PRId32 " on each of %" PRId32 " others", last,
                    request.nodes - large);
}

/* "it needed 8 GPUs on one node; at most 11 were free, on 5 nodes" */
static void add_free_gpus(Text *out, const Wait *wait)
{
    if (wait->gpus_per_node == 0)
        return;
    begin_reason(out);
    text_add(out, "it needed ");
    add_request(out, wait->request, wait->gpus_per_node);
    if (wait->free_gpus == 0) {
        text_add(out, "; none was free\n");
        return;
    }
    text_printf(out, "; at most %" PRId64 " %s free, on ", wait->free_gpus,
                wait->free_gpus == 1 ? "was" : "were");
    why_add_count(out, wait->free_nodes, "node");
    text_add(out, "\n");
}

/* Jobs that ended are a reason if the job waited for their nodes. */
static void add_ended(Text *out, const Wait *wait)
{
    if (wait->ended_count == 0 ||
        (wait->reason_ns[WAIT_FOR_RUNNING] == 0 && wait->reason_ns[WAIT_FOR_GPUS] == 0 &&
         wait->reason_ns[WAIT_FOR_NOTICE] == 0))
        return;
    const int32_t shown = wait->ended_count < NAMES_SHOWN ? wait->ended_count : NAMES_SHOWN;
    begin_reason(out);
    if (wait->ended_count > shown)
        text_printf(out, "%" PRId32 " jobs gave their nodes back, the last: ", wait->ended_count);
    else
        text_add(out, "nodes were given back by ");
    for (int32_t i = 0; i < shown; i++) {
        const OtherJob *job = &wait->ended[(wait->ended_count - shown + i) % NAMES_SHOWN];
        text_add(out, i > 0 ? ", " : "");
        add_job(out, job);
        text_add(out, " at ");
        duration_print(out, job->at_ns);
    }
    text_add(out, "\n");
}

/* A job that starts at the same instant does not start before it. */
static int32_t add_overtakers(Text *out, const Wait *wait, int64_t at_ns)
{
    const int32_t count =
        wait->overtakers - (wait->overtaken_ns == at_ns ? wait->overtakers_at_last : 0);
    if (count == 0)
        return 0;
    begin_reason(out);
    why_add_count(out, count, "other job");
    text_add(out, " started meanwhile: ");
    add_jobs(out, wait->overtaken_by, count);
    text_add(out, "\n");
    return count;
}

void wait_add_reasons(Text *out, const Wait *wait, uint32_t nodes, int64_t at_ns)
{
    const bool has_started = nodes > 0;
    add_times(out, wait);
    add_free_gpus(out, wait);
    add_earlier(out, wait, has_started);
    add_notes(out, wait);
    add_prepared(out, wait);
    add_ended(out, wait);
    const int32_t overtakers = add_overtakers(out, wait, at_ns);
    const bool has_reason = wait->note_count > 0 || wait->prepared > 0 || overtakers > 0 ||
                            (wait->earlier_count > 0 && depended_on_earlier(wait));
    const bool is_service = wait->needed > 0 ? !depended_on_earlier(wait) : !has_reason;
    if (is_service && has_started && wait->idle >= (int32_t)nodes) {
        begin_reason(out);
        text_add(out, "enough nodes were idle: the service takes so long to start a job\n");
    }
}
