#include "sim/output/summary_text.h"

#include <inttypes.h>

#include "sim/base/table.h"
#include "sim/base/units.h"
#include "sim/output/decimal.h"

#define COLUMNS(table) ((int32_t)(sizeof(table) / sizeof((table)[0])))

/* --- Cells: "-" where the summary has nothing --- */

static const char *text_cell(const Json *value)
{
    return value != NULL && value->kind == JSON_STRING ? value->text : "-";
}

static const char *integer_cell(Arena *arena, const Json *value)
{
    int64_t integer;
    return json_scaled(value, 0, &integer) ? arena_printf(arena, "%" PRId64, integer) : "-";
}

/* Takes `text`. */
static const char *cell_of(Arena *arena, Text *text)
{
    const char *cell = arena_strdup(arena, text_string(text));
    text_free(text);
    return cell;
}

static const char *seconds_cell(Arena *arena, const Json *value)
{
    int64_t ns;
    if (!json_scaled(value, 9, &ns))
        return "-";
    Text text = {0};
    duration_print(&text, ns);
    return cell_of(arena, &text);
}

static const char *usd_cell(Arena *arena, const Json *value)
{
    int64_t micro_usd;
    if (!json_scaled(value, 6, &micro_usd))
        return "-";
    Text text = {0};
    decimal_print_usd(&text, micro_usd);
    text_add(&text, " USD");
    return cell_of(arena, &text);
}

static const char *percent_cell(Arena *arena, const Json *value)
{
    int64_t ppm;
    if (!json_scaled(value, 6, &ppm))
        return "-";
    Text text = {0};
    decimal_print_rounded(&text, ppm, 4, 1);
    text_add(&text, " %");
    return cell_of(arena, &text);
}

/* --- Parts --- */

static void print_clusters(Text *out, Arena *arena, const Json *clusters)
{
    static const TableColumn columns[] = {
        {"Cluster", TABLE_TEXT},     {"VM size", TABLE_TEXT},   {"Nodes", TABLE_NUMBER},
        {"Ready after", TABLE_TEXT}, {"Node time", TABLE_TEXT}, {"Cost", TABLE_NUMBER},
    };
    Table *table = table_create(arena, columns, COLUMNS(columns));
    for (const Json *cluster = clusters->first; cluster != NULL; cluster = cluster->next) {
        const char *const cells[] = {
            cluster->key,
            text_cell(json_member(cluster, "vm_size")),
            integer_cell(arena, json_member(cluster, "nodes_max")),
            seconds_cell(arena, json_member(cluster, "ready_s")),
            seconds_cell(arena, json_member(cluster, "node_s")),
            usd_cell(arena, json_member(cluster, "cost_usd")),
        };
        table_row(table, cells);
    }
    table_print(table, out);
    text_add(out, "\n");
}

static void print_jobs(Text *out, Arena *arena, const Json *jobs)
{
    static const TableColumn columns[] = {
        {"Job", TABLE_TEXT},         {"State", TABLE_TEXT},    {"Queued", TABLE_TEXT},
        {"Preparation", TABLE_TEXT}, {"Training", TABLE_TEXT}, {"Run time", TABLE_TEXT},
        {"Accuracy", TABLE_NUMBER},
    };
    Table *table = table_create(arena, columns, COLUMNS(columns));
    for (const Json *job = jobs->first; job != NULL; job = job->next) {
        const char *const cells[] = {
            job->key,
            text_cell(json_member(job, "state")),
            seconds_cell(arena, json_member(job, "queue_s")),
            seconds_cell(arena, json_member(job, "prep_s")),
            seconds_cell(arena, json_member(job, "train_s")),
            seconds_cell(arena, json_member(job, "run_s")),
            percent_cell(arena, json_member(job, "val_accuracy")),
        };
        table_row(table, cells);
    }
    table_print(table, out);
    text_add(out, "\n");
}

static void print_bill(Text *out, Arena *arena, const Json *summary)
{
    const Json *cost = json_member(summary, "cost_usd");
    const Json *storage = json_member(cost, "storage");
    const Json *utilisation = json_member(summary, "utilisation");
    int64_t micro_usd, ppm;
    text_printf(out, "Cost: %s", usd_cell(arena, json_member(cost, "total")));
    if (json_scaled(storage, 6, &micro_usd) && micro_usd > 0)
        text_printf(out, ", of which storage %s", usd_cell(arena, storage));
    text_add(out, ".");
    if (json_scaled(utilisation, 6, &ppm)) // null when no node was ever held
        text_printf(out, " Nodes ran jobs %s of the time they were held.",
                    percent_cell(arena, utilisation));
    text_add(out, "\n");
}

static void print_problems(Text *out, const Json *problems)
{
    if (problems == NULL || problems->count == 0)
        return;
    text_add(out, "What went wrong:\n");
    for (const Json *problem = problems->first; problem != NULL; problem = problem->next)
        text_printf(out, "- %s\n", text_cell(problem));
}

void summary_text_print(Text *out, const Json *summary)
{
    Arena *arena = arena_create();
    const Json *clusters = json_member(summary, "clusters"), *jobs = json_member(summary, "jobs");
    text_printf(out, "%s: %s simulated in %s events\n\n",
                text_cell(json_member(summary, "scenario")),
                seconds_cell(arena, json_member(summary, "simulated_s")),
                integer_cell(arena, json_member(summary, "events")));
    if (clusters != NULL && clusters->count > 0)
        print_clusters(out, arena, clusters);
    if (jobs != NULL && jobs->count > 0)
        print_jobs(out, arena, jobs);
    print_bill(out, arena, summary);
    print_problems(out, json_member(summary, "problems"));
    arena_destroy(arena);
}
