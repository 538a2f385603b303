#include "sim/output/summary/text.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/capped.h"
#include "sim/base/table.h"
#include "sim/base/units.h"
#include "sim/engine/sample.h"
#include "sim/json/decimal.h"
#include "sim/output/metrics/attribution.h"

#define COLUMNS(table) ((int32_t)(sizeof(table) / sizeof((table)[0])))

/* --- Cells: "-" for a missing value --- */

static const char *text_cell(const Json *value)
{
    return value != NULL && value->kind == JSON_STRING ? value->text : "-";
}

static const char *integer_cell(Arena *arena, const Json *value)
{
    int64_t integer;
    return json_scaled(value, 0, &integer) ? arena_printf(arena, "%" PRId64, integer) : "-";
}

/* Takes ownership of `text`. */
static const char *cell_of(Arena *arena, Text *text)
{
    const char *cell = arena_strdup(arena, text_string(text));
    text_free(text);
    return cell;
}

/* Node time of a fleet may exceed the range of a duration: then it is printed in whole years. */
static const char *seconds_cell(Arena *arena, const Json *value)
{
    Wide ns;
    if (!decimal_read(value, 9, &ns))
        return "-";
    Text text = {0};
    if (ns <= INT64_MAX) {
        duration_print(&text, wide_capped(ns));
    } else {
        decimal_print(&text, ns / NS_PER_YEAR, 0);
        text_add(&text, " years");
    }
    return cell_of(arena, &text);
}

static const char *micro_usd_cell(Arena *arena, int64_t micro_usd)
{
    Text text = {0};
    decimal_print_amount(&text, micro_usd);
    text_add(&text, " USD");
    return cell_of(arena, &text);
}

static const char *usd_cell(Arena *arena, const Json *value)
{
    int64_t micro_usd;
    return json_scaled(value, 6, &micro_usd) ? micro_usd_cell(arena, micro_usd) : "-";
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

/* "3,939,002" */
static const char *thousands_cell(Arena *arena, const Json *value)
{
    int64_t integer;
    if (!json_scaled(value, 0, &integer))
        return "-";
    Text text = {0};
    thousands_print(&text, integer);
    return cell_of(arena, &text);
}

/* "1.000 T", "337.920 B" */
static const char *tokens_cell(Arena *arena, const Json *value)
{
    enum { BILLION = 9, TRILLION = 12, SHOWN = 3 };
    int64_t tokens;
    if (!json_scaled(value, 0, &tokens))
        return "-";
    Text text = {0};
    const bool is_trillion = tokens >= INT64_C(1000000000000);
    decimal_print_rounded(&text, tokens, is_trillion ? TRILLION : BILLION, SHOWN);
    text_add(&text, is_trillion ? " T" : " B");
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

/* Columns about lost work are left out of a run without any. */
static bool any_is_lost(const Json *jobs)
{
    int64_t number;
    for (const Json *job = jobs->first; job != NULL; job = job->next)
        if ((json_scaled(json_member(job, "restarts"), 0, &number) && number > 0) ||
            (json_scaled(json_member(job, "lost_node_s"), 9, &number) && number > 0))
            return true;
    return false;
}

static void print_jobs(Text *out, Arena *arena, const Json *jobs)
{
    static const TableColumn columns[] = {
        {"Job", TABLE_TEXT},         {"State", TABLE_TEXT},      {"Queued", TABLE_TEXT},
        {"Preparation", TABLE_TEXT}, {"Training", TABLE_TEXT},   {"Run time", TABLE_TEXT},
        {"Accuracy", TABLE_NUMBER},  {"Restarts", TABLE_NUMBER}, {"Lost node time", TABLE_TEXT},
    };
    const int32_t of_losses = 2; // the last columns
    const int32_t count = COLUMNS(columns) - (any_is_lost(jobs) ? 0 : of_losses);
    Table *table = table_create(arena, columns, count);
    for (const Json *job = jobs->first; job != NULL; job = job->next) {
        const char *const cells[] = {
            job->key,
            text_cell(json_member(job, "state")),
            seconds_cell(arena, json_member(job, "queue_s")),
            seconds_cell(arena, json_member(job, "prep_s")),
            seconds_cell(arena, json_member(job, "train_s")),
            seconds_cell(arena, json_member(job, "run_s")),
            percent_cell(arena, json_member(job, "val_accuracy")),
            integer_cell(arena, json_member(job, "restarts")),
            seconds_cell(arena, json_member(job, "lost_node_s")),
        };
        table_row(table, cells);
    }
    table_print(table, out);
    if (count == COLUMNS(columns))
        text_add(out, "Preparation, training and run time are of the last attempt.\n");
    text_add(out, "\n");
}

/* Jobs that train transformers; nothing without one. */
static void print_transformers(Text *out, Arena *arena, const Json *jobs)
{
    static const TableColumn columns[] = {
        {"Transformer", TABLE_TEXT},    {"Tokens", TABLE_NUMBER},    {"Tokens/s", TABLE_NUMBER},
        {"MFU", TABLE_NUMBER},          {"Goodput", TABLE_NUMBER},   {"Restarts", TABLE_NUMBER},
        {"Lost node time", TABLE_TEXT}, {"Checkpoints", TABLE_TEXT},
    };
    Table *table = table_create(arena, columns, COLUMNS(columns));
    bool has_rows = false;
    for (const Json *job = jobs->first; job != NULL; job = job->next) {
        if (json_member(job, "tokens") == NULL)
            continue;
        const char *const cells[] = {
            job->key,
            tokens_cell(arena, json_member(job, "tokens")),
            thousands_cell(arena, json_member(job, "tokens_per_s")),
            percent_cell(arena, json_member(job, "mfu")),
            percent_cell(arena, json_member(job, "goodput")),
            integer_cell(arena, json_member(job, "restarts")),
            seconds_cell(arena, json_member(job, "lost_node_s")),
            seconds_cell(arena, json_member(job, "checkpoint_node_s")),
        };
        table_row(table, cells);
        has_rows = true;
    }
    if (!has_rows)
        return;
    table_print(table, out);
    text_add(out, "\n");
}

static bool is_at_least(const Json *spread, const char *which)
{
    const Json *bounds = json_member(spread, "at_least");
    for (const Json *bound = bounds != NULL ? bounds->first : NULL; bound != NULL;
         bound = bound->next)
        if (strcmp(bound->text, which) == 0)
            return true;
    return false;
}

static const char *spread_cell(Arena *arena, const Json *owner, const char *times,
                               const char *which)
{
    const Json *spread = json_member(owner, times);
    const char *cell = seconds_cell(arena, json_member(spread, which));
    return is_at_least(spread, which) ? arena_printf(arena, "> %s", cell) : cell;
}

static bool any_is_rejected(const Json *workloads)
{
    int64_t number;
    for (const Json *workload = workloads->first; workload != NULL; workload = workload->next)
        if (json_scaled(json_member(workload, "rejected"), 0, &number) && number > 0)
            return true;
    return false;
}

/* Removes an element from an array of `count` elements. */
#define REMOVE(array, count, index)                                                                \
    memmove((array) + (index), (array) + (index) + 1,                                              \
            (size_t)((count) - (index)-1) * sizeof *(array))

/* The column of rejected jobs is left out of a run without any. */
static void print_workloads(Text *out, Arena *arena, const Json *workloads)
{
    enum { REJECTED = 4 };
    TableColumn columns[] = {
        {"Workload", TABLE_TEXT},           {"Jobs", TABLE_NUMBER},
        {"Succeeded", TABLE_NUMBER},        {"Failed", TABLE_NUMBER},
        {"Rejected", TABLE_NUMBER},         {"Unfinished", TABLE_NUMBER},
        {"Restarts", TABLE_NUMBER},         {"Median queue", TABLE_TEXT},
        {"95 % queue at most", TABLE_TEXT}, {"Median run", TABLE_TEXT},
        {"Goodput", TABLE_NUMBER},
    };
    const bool has_rejected = any_is_rejected(workloads);
    if (!has_rejected)
        REMOVE(columns, COLUMNS(columns), REJECTED);
    Table *table = table_create(arena, columns, COLUMNS(columns) - !has_rejected);
    for (const Json *workload = workloads->first; workload != NULL; workload = workload->next) {
        const char *cells[] = {
            workload->key,
            integer_cell(arena, json_member(workload, "jobs")),
            integer_cell(arena, json_member(workload, "succeeded")),
            integer_cell(arena, json_member(workload, "failed")),
            integer_cell(arena, json_member(workload, "rejected")),
            integer_cell(arena, json_member(workload, "unfinished")),
            integer_cell(arena, json_member(workload, "restarts")),
            spread_cell(arena, workload, "queue_s", "p50"),
            spread_cell(arena, workload, "queue_s", "p95"),
            spread_cell(arena, workload, "run_s", "p50"),
            percent_cell(arena, json_member(workload, "goodput")),
        };
        if (!has_rejected)
            REMOVE(cells, COLUMNS(cells), REJECTED);
        table_row(table, cells);
    }
    table_print(table, out);
    text_add(out, "\n");
}

/* --- Where node time went --- */

typedef struct {
    Wide ns[USE_COUNT], micro_usd[USE_COUNT];
    Wide sum_ns;
    bool has_money; /* the prices of all nodes are known */
} Uses;

static Wide use_part(Arena *arena, const Json *uses, int use, const char *unit, int32_t decimals)
{
    const char *key = arena_printf(arena, "%s_%s", node_use_name((NodeUse)use), unit);
    Wide value;
    return decimal_read(json_member(uses, key), decimals, &value) && value > 0 ? value : 0;
}

static Uses uses_of(Arena *arena, const Json *summary)
{
    const Json *attribution = json_member(summary, "attribution");
    Uses uses = {0};
    for (int use = 0; use < USE_COUNT; use++) {
        uses.ns[use] = use_part(arena, attribution, use, "s", 9);
        uses.micro_usd[use] = use_part(arena, attribution, use, "usd", 6);
        uses.sum_ns += uses.ns[use];
        uses.has_money |= uses.micro_usd[use] > 0;
    }
    return uses;
}

/* Uses without time are left out. */
static void print_uses(Text *out, Arena *arena, const Json *summary)
{
    static const TableColumn columns[] = {
        {"Node time went to", TABLE_TEXT},
        {"Share", TABLE_NUMBER},
        {"Node time", TABLE_TEXT},
        {"Cost", TABLE_NUMBER},
    };
    const Uses uses = uses_of(arena, summary);
    if (uses.sum_ns == 0)
        return;
    int64_t tenths_of_percent[USE_COUNT]; // rounded as shown, so that they add up
    attribution_divide(1000, uses.ns, tenths_of_percent);
    Table *table = table_create(arena, columns, COLUMNS(columns));
    for (int use = 0; use < USE_COUNT; use++) {
        if (uses.ns[use] == 0 && uses.micro_usd[use] == 0)
            continue;
        const int64_t ppm = tenths_of_percent[use] * (PPM / 1000);
        const char *const cells[] = {
            node_use_words((NodeUse)use),
            percent_cell(arena, decimal_json(arena, ppm, 6)),
            seconds_cell(arena, decimal_json(arena, uses.ns[use], 9)),
            uses.has_money ? usd_cell(arena, decimal_json(arena, uses.micro_usd[use], 6)) : "-",
        };
        table_row(table, cells);
    }
    table_print(table, out);
    text_add(out, "\n");
}

/* The first cluster without a price, and the setting that states it. */
static void print_no_price(Text *out, const Json *summary)
{
    const Json *cluster = json_member(summary, "clusters")->first;
    int64_t micro_usd;
    text_add(out, "Cost: unknown");
    while (cluster != NULL && (json_member(cluster, "vm_size") == NULL ||
                               json_scaled(json_member(cluster, "cost_usd"), 6, &micro_usd)))
        cluster = cluster->next;
    if (cluster == NULL)
        return;
    const char *size = text_cell(json_member(cluster, "vm_size"));
    const bool is_low = strcmp(text_cell(json_member(cluster, "priority")), "lowpriority") == 0;
    text_printf(out,
                ": no price of %s is known; state one with --set '/assume={\"vm_sizes/%s/%s\": "
                "\"1.20USD\"}'",
                size, size, is_low ? "low_priority_price_per_hour" : "dedicated_price_per_hour");
}

/* Returns millionths of a dollar: those of a number, the sum of an object, 0 without a value. */
static int64_t micro_usd_of(const Json *value)
{
    int64_t micro_usd = 0;
    if (value == NULL || value->kind != JSON_OBJECT)
        return json_scaled(value, 6, &micro_usd) ? micro_usd : 0;
    for (const Json *member = value->first; member != NULL; member = member->next)
        micro_usd = capped_sum(micro_usd, micro_usd_of(member));
    return micro_usd;
}

/* The parts of the bill that are not in the table of clusters. */
static void print_other_costs(Text *out, Arena *arena, const Json *cost)
{
    static const struct {
        const char *key, *name;
    } parts[] = {{"file_servers", "file servers"}, {"storage", "storage"}, {"energy", "energy"}};
    const char *separator = ", of which ";
    for (int32_t i = 0; i < COLUMNS(parts); i++) {
        const int64_t micro_usd = micro_usd_of(json_member(cost, parts[i].key));
        if (micro_usd == 0)
            continue;
        text_printf(out, "%s%s %s", separator, parts[i].name, micro_usd_cell(arena, micro_usd));
        separator = ", ";
    }
}

static void print_bill(Text *out, Arena *arena, const Json *summary)
{
    const Json *cost = json_member(summary, "cost_usd");
    const Json *utilisation = json_member(summary, "utilisation");
    int64_t micro_usd, ppm;
    if (json_scaled(json_member(cost, "total"), 6, &micro_usd))
        text_printf(out, "Cost: %s", usd_cell(arena, json_member(cost, "total")));
    else
        print_no_price(out, summary);
    print_other_costs(out, arena, cost);
    if (json_scaled(json_member(cost, "per_trillion_tokens"), 6, &micro_usd))
        text_printf(out, "; %s for 10^12 tokens",
                    usd_cell(arena, json_member(cost, "per_trillion_tokens")));
    text_add(out, ".");
    if (json_scaled(utilisation, 6, &ppm)) // null when no node was ever held
        text_printf(out, " Nodes ran jobs %s of the time they were held.",
                    percent_cell(arena, utilisation));
    text_add(out, "\n");
}

static const char *amount_cell(Arena *arena, const Json *value, const char *unit)
{
    int64_t millionths;
    if (!json_scaled(value, 6, &millionths))
        return "-";
    Text text = {0};
    decimal_print_amount(&text, millionths);
    return arena_printf(arena, "%s %s", text_move(arena, &text), unit);
}

static void print_energy(Text *out, Arena *arena, const Json *summary)
{
    const Json *energy = json_member(summary, "energy");
    const Json *total = json_member(energy, "total_kwh"),
               *carbon = json_member(energy, "carbon_kg");
    if (total == NULL)
        return;
    text_printf(out, "Energy: %s", amount_cell(arena, total, "kWh"));
    if (carbon != NULL)
        text_printf(out, ", %s of CO2e", amount_cell(arena, carbon, "kg"));
    text_printf(out, ". The site must provide up to %s.\n",
                amount_cell(arena, json_member(energy, "peak_kw"), "kW"));
}

/* The part of the run that "measure" selects, if it selects one. */
static void print_measured(Text *out, Arena *arena, const Json *summary)
{
    const Json *measured = json_member(summary, "measured");
    if (measured == NULL)
        return;
    text_printf(out,
                "Measured from %s to %s: jobs are counted if they were submitted then. Nodes ran "
                "jobs %s of the time they were held then, at a price of %s.\n",
                seconds_cell(arena, json_member(measured, "from_s")),
                seconds_cell(arena, json_member(measured, "until_s")),
                percent_cell(arena, json_member(measured, "utilisation")),
                usd_cell(arena, json_member(measured, "node_cost_usd")));
}

/* Nodes that are still held, and billed, after the end. */
static void print_held(Text *out, Arena *arena, const Json *summary)
{
    int64_t nodes, micro_usd;
    if (!json_scaled(json_member(summary, "held_nodes"), 0, &nodes) || nodes == 0)
        return;
    text_printf(out, "%" PRId64 " node%s still held when the run ended", nodes,
                nodes == 1 ? " was" : "s were");
    if (json_scaled(json_member(summary, "held_usd_per_h"), 6, &micro_usd))
        text_printf(out, ", at %s an hour",
                    usd_cell(arena, json_member(summary, "held_usd_per_h")));
    text_add(out, ".\n");
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
    if (jobs != NULL)
        print_transformers(out, arena, jobs);
    const Json *workloads = json_member(summary, "workloads");
    if (workloads != NULL && workloads->count > 0)
        print_workloads(out, arena, workloads);
    print_uses(out, arena, summary);
    print_bill(out, arena, summary);
    print_measured(out, arena, summary);
    print_energy(out, arena, summary);
    print_held(out, arena, summary);
    print_problems(out, json_member(summary, "problems"));
    arena_destroy(arena);
}
