#include "sim/output/explain/why.h"

#include <string.h>

#include "sim/output/explain/why_job_rows.h"
#include "sim/output/explain/why_wait_rows.h"
#include "sim/output/summary/names.h"

enum { CLOCK_WIDTH = 16 }; // least width of the time before a sentence

/* --- The fold --- */

/* The clusters had their present nodes and queues for `span_ns`. */
static void time_passes(Why *why, int64_t span_ns)
{
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        const ClusterView *cluster = why_cluster(why, story->cluster);
        if (story->wait.since_ns != INT64_MAX)
            wait_passes(&story->wait,
                        (WaitView){.nodes = cluster->nodes,
                                   .queued = cluster->queued,
                                   .room = gpu_rooms_of(why->rooms, story->cluster)},
                        span_ns);
    }
}

static void end_moment(Why *why, Story *story)
{
    story_end_moment(story, why_cluster(why, story->cluster), why_job_spec(why, story->job));
}

static void end_moments_before(Why *why, int64_t at_ns)
{
    for (uint32_t i = 0; i < why->story_count; i++)
        if (why->stories[i]->now.is_open && why->stories[i]->now.at_ns < at_ns)
            end_moment(why, why->stories[i]);
}

static void fold_row(void *listener, const TraceRow *row)
{
    Why *why = listener;
    const TraceRecord *record = &row->record;
    if (record->at_ns > why->now_ns) {
        end_moments_before(why, record->at_ns);
        time_passes(why, record->at_ns - why->now_ns);
    }
    if (record->kind == TRACE_GROUP_STRUCK) {
        why->struck_group = record->name;
        why->struck_ns = record->at_ns;
    }
    why->now_ns = record->at_ns;
    if (row->job != NULL)
        (void)why_job(why, row);
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        if (row->job != NULL && record->job.index == story->job)
            why_add_job_row(why, story, row);
        why_add_wait_row(why, story, row);
        why_add_node_row(why, story, row); // after the wait, which asks whether it has the node
    }
    why_view_add_row(why, row); // counted last: a submission reports the state before it
}

Why *why_create(Arena *run, const char *job)
{
    Why *why = ARENA_NEW(run, Why);
    *why = (Why){.arena = run, .wanted = job, .rooms = gpu_rooms_create(run)};
    return why;
}

void why_watch(Why *why, const World *world)
{
    why->world = world;
}

TraceListener why_listener(Why *why)
{
    return (TraceListener){.listener = why, .level = TRACE_LEVEL_JOBS, .row = fold_row};
}

/* --- The end --- */

static bool fail_unknown(const Why *why, Status *status)
{
    Arena *scratch = arena_create();
    const char **names = ARENA_ARRAY(scratch, const char *, why->job_count);
    int32_t count = 0;
    for (uint32_t i = 0; i < why->job_count; i++)
        if (why->jobs[i].path != NULL)
            names[count++] = summary_short_name(why->jobs[i].path);
    const char *nearest = nearest_name(why->wanted, names, count);
    status_fail(status, STATUS_NOT_FOUND, place_in(NULL, 0, 0),
                "there was no job \"%s\" in this run", why->wanted);
    if (nearest != NULL)
        status_hint(status, "did you mean \"%s\"?", nearest);
    else if (count == 0)
        status_hint(status, "no job was ever submitted");
    else
        status_hint(status, "names are written as in \"%s\"", names[0]);
    arena_destroy(scratch);
    return false;
}

/* The width of the longest time. */
static int clock_width(const char *text)
{
    int widest = CLOCK_WIDTH;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const int width = (int)(strchr(line, CLOCK_END[0]) - line) - 1;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Prints the lines that why_add_clock began, with the times in a column. */
static void print_lines(Text *out, const char *text)
{
    const int widest = clock_width(text);
    for (const char *line = text; *line != '\0';) {
        const char *words = strchr(line, CLOCK_END[0]) + 1, *next = strchr(line, '\n') + 1;
        text_printf(out, "%*.*s  ", widest, (int)(words - line) - 2, line + 1);
        text_append(out, words, (size_t)(next - words));
        line = next;
    }
}

bool why_print(Text *out, Why *why, Status *status)
{
    if (why->story_count == 0)
        return fail_unknown(why, status);
    for (uint32_t i = 0; i < why->story_count; i++) {
        Story *story = why->stories[i];
        end_moment(why, story);
        story_end_unfinished(story, why_cluster(why, story->cluster), why->now_ns);
        text_printf(out, "%sThe story of job %s:\n\n", i > 0 ? "\n" : "", story->path);
        print_lines(out, text_string(&story->text));
        text_free(&story->text);
    }
    return true;
}
