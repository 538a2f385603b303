#include "sim/output/share/az_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/table.h"

#define COLUMNS(table) ((int32_t)(sizeof(table) / sizeof((table)[0])))

enum { NUMBER_TEXT = 24 };

static void number_cell(char cell[NUMBER_TEXT], int64_t value)
{
    snprintf(cell, NUMBER_TEXT, "%" PRId64, value);
}

void az_cluster_table(Text *out, const Cluster *cluster)
{
    // az prints the counts in another order than the service.
    static const NodeState counts[] = {NODE_IDLE, NODE_RUNNING, NODE_PREPARING, NODE_LEAVING,
                                       NODE_UNUSABLE};
    static const TableColumn columns[] = {
        {"Name", TABLE_TEXT},       {"Resource Group", TABLE_TEXT}, {"Workspace", TABLE_TEXT},
        {"VM Size", TABLE_TEXT},    {"State", TABLE_TEXT},          {"Idle", TABLE_NUMBER},
        {"Running", TABLE_NUMBER},  {"Preparing", TABLE_NUMBER},    {"Leaving", TABLE_NUMBER},
        {"Unusable", TABLE_NUMBER},
    };
    Arena *arena = arena_create();
    const bool is_deleting = cluster->provisioning >= PROVISIONING_DELETING;
    char number[COLUMNS(counts)][NUMBER_TEXT];
    for (int32_t i = 0; i < COLUMNS(counts); i++)
        number_cell(number[i], cluster->node_count[counts[i]]);
    const char *const cells[] = {
        cluster->path.name,
        cluster->path.group,
        cluster->path.workspace,
        vm_sizes_in_capitals(arena, cluster->spec),
        is_deleting ? "deleting" : allocation_state_name(cluster->allocation),
        number[0],
        number[1],
        number[2],
        number[3],
        number[4],
    };
    Table *table = table_create(arena, columns, COLUMNS(columns));
    table_row(table, cells);
    table_print(table, out);
    arena_destroy(arena);
}

void az_job_table(Text *out, const Job *job, const Cluster *cluster)
{
    // tabulate aligns a column as numbers only if all its cells are numbers: a blank exit code is
    // aligned left.
    const bool has_exit_code = job->exit_code >= 0;
    const TableColumn columns[] = {
        {"Name", TABLE_TEXT},       {"Cluster", TABLE_TEXT},
        {"Cluster RG", TABLE_TEXT}, {"Cluster Workspace", TABLE_TEXT},
        {"Tool", TABLE_TEXT},       {"Nodes", TABLE_NUMBER},
        {"State", TABLE_TEXT},      {"Exit code", has_exit_code ? TABLE_NUMBER : TABLE_TEXT},
    };
    char nodes[NUMBER_TEXT], exit_code[NUMBER_TEXT] = "";
    number_cell(nodes, job->request.nodes);
    if (has_exit_code)
        number_cell(exit_code, job->exit_code);
    const char *const cells[] = {
        job->path.name,
        cluster->path.name,
        cluster->path.group,
        cluster->path.workspace,
        job->spec->tool,
        nodes,
        job_state_name(job->state),
        exit_code,
    };
    Arena *arena = arena_create();
    Table *table = table_create(arena, columns, COLUMNS(columns));
    table_row(table, cells);
    table_print(table, out);
    arena_destroy(arena);
}

void az_file_table(Text *out, const FileEntry *entries, int32_t count)
{
    static const TableColumn columns[] = {
        {"Name", TABLE_TEXT},
        {"Type", TABLE_TEXT},
        {"Size", TABLE_NUMBER},
        {"Modified", TABLE_TEXT},
    };
    Arena *arena = arena_create();
    Table *table = table_create(arena, columns, COLUMNS(columns));
    for (int32_t i = 0; i < count; i++) {
        char bytes[NUMBER_TEXT], modified[CIVIL_TEXT];
        number_cell(bytes, entries[i].bytes);
        az_time_print(entries[i].modified_unix_ms, modified);
        const char *const cells[] = {
            entries[i].name, entries[i].is_directory ? "directory" : "file", bytes, modified};
        table_row(table, cells);
    }
    table_print(table, out);
    arena_destroy(arena);
}

/* --- Usages --- */

static void usage_row(Table *table, const char *name, int64_t usage, int64_t limit)
{
    char used[NUMBER_TEXT], most[NUMBER_TEXT];
    number_cell(used, usage);
    number_cell(most, limit);
    const char *const cells[] = {name, used, most};
    table_row(table, cells);
}

/* The total over all families, then each family. */
static void usage_rows(Table *table, Arena *arena, const World *world, bool is_low_priority)
{
    static const char total[] = "total";
    const Scenario *scenario = world_scenario(world);
    const char *priority = is_low_priority ? "Low Priority" : "Dedicated";
    int64_t limit = -1;
    for (int32_t i = 0; i < scenario->quota_count; i++)
        if (strcmp(world_quota(world, i)->family, total) == 0)
            limit = quota_vcpus(world_quota(world, i), is_low_priority);
    usage_row(table, arena_printf(arena, "Total Cluster %s Regional vCPUs", priority),
              world_vcpus_used(world, total, is_low_priority), limit);
    for (int32_t i = 0; i < scenario->quota_count; i++) {
        const CoreQuota *quota = world_quota(world, i);
        if (strcmp(quota->family, total) != 0)
            usage_row(
                table,
                arena_printf(arena, "Standard %s Family Cluster %s vCPUs", quota->family, priority),
                world_vcpus_used(world, quota->family, is_low_priority),
                quota_vcpus(quota, is_low_priority));
    }
}

void az_usage_table(Text *out, const World *world)
{
    static const TableColumn columns[] = {
        {"Value", TABLE_TEXT}, {"Usage", TABLE_NUMBER}, {"Limit", TABLE_NUMBER}};
    Arena *arena = arena_create();
    Table *table = table_create(arena, columns, COLUMNS(columns));
    usage_row(table, "Clusters", world_living_clusters(world), -1);
    usage_rows(table, arena, world, false);
    usage_rows(table, arena, world, true);
    table_print(table, out);
    arena_destroy(arena);
}

void az_cluster_counts(Text *out, const Cluster *cluster)
{
    static const NodeState by_name[] = {NODE_IDLE, NODE_LEAVING, NODE_PREPARING, NODE_RUNNING,
                                        NODE_UNUSABLE};
    _Static_assert(sizeof by_name / sizeof by_name[0] == NODE_STATE_COUNT, "every state once");
    text_add(out, "{\n");
    for (int32_t i = 0; i < NODE_STATE_COUNT; i++)
        text_printf(out, "  \"%sNodeCount\": %" PRId32 "%s\n", node_state_name(by_name[i]),
                    cluster->node_count[by_name[i]], i + 1 < NODE_STATE_COUNT ? "," : "");
    text_add(out, "}\n");
}

void az_job_state(Text *out, const Job *job)
{
    text_printf(out, "\"%s\"\n", job_state_name(job->state));
}

/* The last words of a show command's line. */
static void add_query(Text *out, ShowQuery query)
{
    if (query == QUERY_TABLE)
        text_add(out, " --output table");
    else
        text_printf(out, " --query \"%s\"", show_query_name(query));
}

void az_cluster_show(Text *out, const Cluster *cluster, ShowQuery query)
{
    text_printf(out, "az batchai cluster show --name %s --workspace %s --resource-group %s",
                cluster->path.name, cluster->path.workspace, cluster->path.group);
    add_query(out, query);
}

void az_job_show(Text *out, const Job *job, ShowQuery query)
{
    text_printf(out,
                "az batchai job show --experiment %s --name %s --resource-group %s --workspace %s",
                job->path.experiment, job->path.name, job->path.group, job->path.workspace);
    add_query(out, query);
}

void az_job_file_list(Text *out, const Job *job)
{
    text_printf(out,
                "az batchai job file list --experiment %s --job %s --resource-group %s "
                "--workspace %s --output table",
                job->path.experiment, job->path.name, job->path.group, job->path.workspace);
}

void az_list_usages(Text *out, const Scenario *scenario)
{
    text_printf(out, "az batchai list-usages --location %s --output table", scenario->region);
}
