#include "sim/output/explain/narrator.h"

#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/output/share/az_tables.h"
#include "sim/output/summary/text.h"

struct Narrator {
    FILE *stream;
    const World *world;
};

Narrator *narrator_create(Arena *run, FILE *stream)
{
    Narrator *narrator = ARENA_NEW(run, Narrator);
    narrator->stream = stream;
    return narrator;
}

void narrator_watch(Narrator *narrator, const World *world)
{
    narrator->world = world;
}

static void add_clock(Text *out, const World *world, int64_t at_ns)
{
    char clock[CIVIL_TEXT];
    iso_time_print(world_unix_ms(world, at_ns), clock);
    text_printf(out, "%s, after ", clock);
    duration_print(out, at_ns);
    text_add(out, "\n$ ");
}

static ShowQuery query_of(const TraceRecord *record)
{
    if (record->name == NULL)
        return QUERY_TABLE;
    for (ShowQuery query = QUERY_TABLE; query < QUERY_COUNT; query++)
        if (strcmp(show_query_name(query), record->name) == 0)
            return query;
    invariant_broken("a query of a known name", __FILE__, __LINE__);
}

static void add_cluster(Text *out, const Cluster *cluster, ShowQuery query)
{
    az_cluster_show(out, cluster, query);
    text_add(out, "\n");
    if (query == QUERY_TABLE)
        az_cluster_table(out, cluster);
    else
        az_cluster_counts(out, cluster);
}

static void add_job(Text *out, const Job *job, const Cluster *cluster, ShowQuery query)
{
    az_job_show(out, job, query);
    text_add(out, "\n");
    if (query == QUERY_TABLE)
        az_job_table(out, job, cluster);
    else
        az_job_state(out, job);
}

static void add_files(Text *out, const World *world, const Job *job, int64_t at_ns)
{
    Arena *arena = arena_create();
    int32_t count;
    const FileEntry *entries = job_files_list(world, job, at_ns, arena, &count);
    az_job_file_list(out, job);
    text_add(out, "\n");
    if (count > 0)
        az_file_table(out, entries, count);
    arena_destroy(arena);
}

static void add_usages(Text *out, const World *world)
{
    az_list_usages(out, world_scenario(world));
    text_add(out, "\n");
    az_usage_table(out, world);
}

static void narrate(void *listener, const TraceRow *row)
{
    const Narrator *narrator = listener;
    const TraceRecord *record = &row->record;
    if (record->kind != TRACE_CLUSTER_SHOWN && record->kind != TRACE_JOB_SHOWN &&
        record->kind != TRACE_JOB_FILES_SHOWN && record->kind != TRACE_USAGES_SHOWN)
        return;
    const World *world = narrator->world;
    invariant(world != NULL);
    Text out = {0};
    add_clock(&out, world, record->at_ns);
    if (record->kind == TRACE_CLUSTER_SHOWN) {
        add_cluster(&out, world_cluster(world, record->cluster), query_of(record));
    } else if (record->kind == TRACE_JOB_SHOWN) {
        add_job(&out, world_job(world, record->job), world_cluster(world, record->cluster),
                query_of(record));
    } else if (record->kind == TRACE_USAGES_SHOWN) {
        add_usages(&out, world);
    } else {
        add_files(&out, world, world_job(world, record->job), record->at_ns);
    }
    text_add(&out, "\n");
    fputs(text_string(&out), narrator->stream);
    text_free(&out);
}

TraceListener narrator_listener(Narrator *narrator)
{
    return (TraceListener){.listener = narrator, .level = TRACE_LEVEL_JOBS, .row = narrate};
}

void narrator_conclude(const Narrator *narrator, const Json *summary)
{
    Text out = {0};
    summary_text_print(&out, summary);
    fputs(text_string(&out), narrator->stream);
    text_free(&out);
}
