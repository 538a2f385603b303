#include "sim/output/summary/summary.h"

#include <string.h>

#include "sim/base/capped.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/output/summary/jobs.h"
#include "sim/output/summary/making.h"
#include "sim/output/summary/names.h"
#include "sim/output/summary/problems.h"
#include "sim/output/summary/workloads.h"

// Prices per month are for 730 hours, the month of Azure's price lists (365 * 24 / 12).
#define MONTH_NS (730 * NS_PER_HOUR)

static const char rng_name[] = "philox4x32-10/v1"; // as sim/engine/rng.h has it

static bool lists_any_job(const Making *making)
{
    uint32_t i = 0;
    if (making->facts == NULL)
        return true;
    while (i < making->run->job_count && making->facts->jobs[i].workload != 0)
        i++;
    return i < making->run->job_count;
}

static void name_resources(Making *making)
{
    const RunMetrics *run = making->run;
    const char **clusters = ARENA_ARRAY(making->arena, const char *, run->cluster_count);
    for (uint32_t i = 0; i < run->cluster_count; i++)
        clusters[i] = run->clusters[i].path;
    making->cluster_names = summary_names(making->arena, clusters, run->cluster_count);
    const char **jobs = ARENA_ARRAY(making->arena, const char *, run->job_count);
    // Jobs of workloads are not listed: they need no names.
    for (uint32_t i = 0; i < run->job_count; i++)
        jobs[i] = making->facts == NULL || making->facts->jobs[i].workload == 0
                      ? run_job(run, i)->path
                      : NULL;
    making->job_names = lists_any_job(making)
                            ? summary_names(making->arena, jobs, run->job_count)
                            : ARENA_ARRAY(making->arena, const char *, run->job_count);
}

/* --- Clusters --- */

const char *making_cluster_state(const ClusterMetrics *cluster)
{
    const char *record = cluster->provisioning;
    const bool is_going =
        record != NULL && (strcmp(record, provisioning_state_name(PROVISIONING_DELETING)) == 0 ||
                           strcmp(record, provisioning_state_name(PROVISIONING_DELETED)) == 0);
    return is_going ? record : cluster->allocation;
}

/* Makes uses that do not apply unknown: stranded GPUs if no job asks for GPUs, and the others in
 * the table if they took no time. */
static void hide_uses(SummaryUses *uses, bool counts_gpus)
{
    static const NodeUse optional[] = {USE_STRANDED, USE_SHORT_CORES, USE_SHORT_MEMORY,
                                       USE_LIMITED,  USE_MAINTENANCE, USE_DRAINED};
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if (optional[i] == USE_STRANDED ? !counts_gpus : uses->ns[optional[i]] == 0)
            uses->ns[optional[i]] = uses->micro_usd[optional[i]] = SUMMARY_NEVER;
}

static void hide_money(SummaryUses *uses)
{
    for (int use = 0; use < USE_COUNT; use++)
        uses->micro_usd[use] = SUMMARY_NEVER;
}

/* A sum of bills; unknown if the price of a part is. */
static int64_t known_micro_usd(int64_t micro_usd, bool is_unpriced)
{
    return is_unpriced ? SUMMARY_NEVER : micro_usd;
}

/* Time and bill by use; the bill is divided in proportion to time. */
static SummaryUses uses_of(const ClusterMetrics *cluster)
{
    SummaryUses uses;
    (void)cluster_uses(cluster, uses.ns); // a contradiction is one of the problems
    attribution_divide(cluster_total(cluster).cost_micro_usd, uses.ns, uses.micro_usd);
    if (cluster_total(cluster).is_unpriced)
        hide_money(&uses);
    hide_uses(&uses, cluster_total(cluster).gpus_per_node > 0);
    return uses;
}

/* Cores, memory, notices and limits of queues, and maintenance are unknown where no job waited for
 * them. */
static const WaitCause optional_waits[] = {WAIT_CORES, WAIT_MEMORY, WAIT_NOTICE, WAIT_LIMIT,
                                           WAIT_MAINTENANCE};
enum { OPTIONAL_WAITS = sizeof optional_waits / sizeof optional_waits[0] };

static void hide_waits(SummaryWaits *waits)
{
    for (int i = 0; i < OPTIONAL_WAITS; i++)
        if (waits->ns[optional_waits[i]] == 0)
            waits->ns[optional_waits[i]] = SUMMARY_NEVER;
}

static SummaryWaits waits_of(const RunFacts *facts, uint32_t id)
{
    SummaryWaits waits = {.is_known = facts != NULL && facts->waits != NULL};
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
        waits.ns[cause] = !waits.is_known          ? SUMMARY_NEVER
                          : id < facts->wait_count ? facts->waits[id].ns[cause]
                                                   : 0;
    hide_waits(&waits);
    return waits;
}

static int64_t utilisation_of(const ClusterMetrics *cluster)
{
    const Wide held_ns = cluster_total(cluster).held_ns;
    return held_ns > 0 ? wide_proportion(cluster_busy_ns(cluster), PPM, held_ns) : SUMMARY_NEVER;
}

static const char *priority_name(bool is_low_priority)
{
    return is_low_priority ? "lowpriority" : "dedicated";
}

static void add_queues(const Making *making, uint32_t id, SummaryCluster *cluster)
{
    const ClusterMetrics *metrics = &making->run->clusters[id];
    if (making->facts == NULL)
        return;
    const ClusterFacts *facts = &making->facts->clusters[id];
    cluster->queue_count = facts->queue_count;
    cluster->queues = ARENA_ARRAY(making->arena, SummaryQueue, facts->queue_count);
    for (uint32_t q = 0; q < facts->queue_count; q++) {
        const QueueMetrics queue =
            q < metrics->queue_count ? metrics->queues[q] : (QueueMetrics){0};
        cluster->queues[q] = (SummaryQueue){.name = facts->queues[q].name,
                                            .has_grace = facts->queues[q].grace_ns > 0,
                                            .reclaims = queue.reclaims,
                                            .notices = queue.notices,
                                            .notices_withdrawn = queue.notices_withdrawn,
                                            .stopped = queue.stopped,
                                            .lost_ns = queue.lost_ns};
    }
}

static void add_kinds(const Making *making, uint32_t id, SummaryCluster *cluster)
{
    const ClusterMetrics *metrics = &making->run->clusters[id];
    cluster->kind_count = metrics->kind_count;
    cluster->kinds = ARENA_ARRAY(making->arena, SummaryKind, metrics->kind_count);
    for (uint32_t k = 0; k < metrics->kind_count; k++) {
        const ClusterMetrics *kind = &metrics->kinds[k];
        cluster->kinds[k] = (SummaryKind){
            .name = kind->kind_name != NULL ? kind->kind_name : "",
            .nodes_max = kind->nodes_max,
            .held_ns = kind->held_ns,
            .running_ns = kind->state_ns[NODE_RUNNING],
            .utilisation_ppm = utilisation_of(kind),
            .cost_micro_usd = known_micro_usd(kind->cost_micro_usd, kind->is_unpriced),
            .uses = uses_of(kind)};
        if (making->facts == NULL || k >= making->facts->clusters[id].kind_count)
            continue;
        const KindFacts *facts = &making->facts->clusters[id].kinds[k];
        cluster->kinds[k].name = facts->name;
        cluster->kinds[k].vm_size = facts->vm_size;
        cluster->kinds[k].priority = priority_name(facts->is_low_priority);
    }
}

static SummaryCluster cluster_summary(const Making *making, uint32_t id)
{
    const ClusterMetrics total = cluster_total(&making->run->clusters[id]);
    const ClusterMetrics *metrics = &total;
    SummaryCluster cluster = {
        .name = making->cluster_names[id],
        .path = metrics->path,
        .state = making_cluster_state(metrics),
        .created_ns = metrics->created_ns,
        .steady_ns = metrics->steady_ns,
        .ready_ns = metrics->ready_ns,
        .deleted_ns = metrics->deleted_ns,
        .nodes_max = metrics->nodes_max,
        .held_ns = metrics->held_ns,
        .billed_ns = metrics->billed_ns,
        .cost_micro_usd = known_micro_usd(metrics->cost_micro_usd, metrics->is_unpriced),
        .uses = uses_of(&making->run->clusters[id]),
        .waits = waits_of(making->facts, id),
    };
    for (int state = 0; state < NODE_STATE_COUNT; state++)
        cluster.state_ns[state] = metrics->state_ns[state];
    if (making->facts != NULL) {
        const ClusterFacts *facts = &making->facts->clusters[id];
        cluster.vm_size = facts->vm_size;
        cluster.priority = facts->priority;
    }
    add_kinds(making, id, &cluster);
    add_queues(making, id, &cluster);
    cluster.micro_kwh = SUMMARY_NEVER;
    if (making->facts != NULL)
        making_add_energy_of(making, id, &cluster);
    return cluster;
}

static void add_clusters(Making *making)
{
    const RunMetrics *run = making->run;
    Summary *summary = making->summary;
    summary->clusters = ARENA_ARRAY(making->arena, SummaryCluster, run->cluster_count);
    for (uint32_t i = 0; i < run->cluster_count; i++)
        if (making->cluster_names[i] != NULL)
            summary->clusters[summary->cluster_count++] = cluster_summary(making, i);
}

/* --- Money --- */

static int64_t storage_micro_usd(const RunFacts *facts, const RunMetrics *run)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < facts->share_count; i++) {
        const ShareFacts *share = &facts->shares[i];
        const Wide stored_gib_ns = i < run->share_count ? run->shares[i].stored_gib_ns : 0;
        const Wide paid_gib_ns = (Wide)share->existed_ns * share->paid_bytes / GIB;
        sum = capped_sum(sum, wide_proportion(share->paid_bytes > 0 ? paid_gib_ns : stored_gib_ns,
                                              share->micro_usd_per_gib_month, (Wide)MONTH_NS));
    }
    return sum;
}

/* File servers of one name, deleted and created again, share one bill. */
static SummaryFileServer *file_server(Summary *summary, const char *name)
{
    uint32_t i = 0;
    while (i < summary->file_server_count && strcmp(summary->file_servers[i].name, name) != 0)
        i++;
    if (i == summary->file_server_count)
        summary->file_servers[summary->file_server_count++] = (SummaryFileServer){.name = name};
    return &summary->file_servers[i];
}

/* The bills of file servers, and their sum. */
static int64_t add_file_servers(Making *making)
{
    const RunMetrics *run = making->run;
    Summary *summary = making->summary;
    int64_t sum = 0;
    summary->file_servers = ARENA_ARRAY(making->arena, SummaryFileServer, run->file_server_count);
    for (uint32_t i = 0; i < run->file_server_count; i++) {
        const FileServerMetrics *metrics = &run->file_servers[i];
        SummaryFileServer *server = file_server(summary, metrics->name);
        server->cost_micro_usd = metrics->is_unpriced || server->cost_micro_usd == SUMMARY_NEVER
                                     ? SUMMARY_NEVER
                                     : capped_sum(server->cost_micro_usd, metrics->cost_micro_usd);
        sum = capped_sum(sum, metrics->cost_micro_usd);
    }
    return sum;
}

static int64_t micro_usd_per_trillion_tokens(const Summary *summary)
{
    Wide tokens = 0;
    for (uint32_t i = 0; i < summary->job_count; i++)
        if (summary->jobs[i].tokens != SUMMARY_NEVER)
            tokens += summary->jobs[i].tokens;
    return tokens > 0 && summary->cost_micro_usd != SUMMARY_NEVER
               ? wide_proportion(summary->cost_micro_usd, 1000000000000, tokens)
               : SUMMARY_NEVER;
}

static void add_costs(Making *making)
{
    const RunMetrics *run = making->run;
    const RunFacts *facts = making->facts;
    Summary *summary = making->summary;
    int64_t sum = 0;
    for (uint32_t i = 0; i < run->cluster_count; i++)
        sum = capped_sum(sum, cluster_total(&run->clusters[i]).cost_micro_usd);
    sum = capped_sum(sum, add_file_servers(making));
    summary->storage_micro_usd = facts != NULL ? storage_micro_usd(facts, run) : SUMMARY_NEVER;
    if (facts != NULL)
        sum = capped_sum(sum, summary->storage_micro_usd);
    const bool pays_energy = facts != NULL && facts->energy.micro_usd_per_kwh > 0;
    const bool is_known = !pays_energy || summary->energy.micro_usd != SUMMARY_NEVER;
    if (pays_energy && is_known)
        sum = capped_sum(sum, summary->energy.micro_usd);
    summary->cost_micro_usd = known_micro_usd(sum, run->is_unpriced || !is_known);
    summary->micro_usd_per_trillion_tokens = micro_usd_per_trillion_tokens(summary);
}

/* --- The whole --- */

/* The sum over clusters. */
static void add_uses(Making *making)
{
    SummaryUses *sum = &making->summary->uses;
    bool counts_gpus = false;
    for (uint32_t i = 0; i < making->run->cluster_count; i++) {
        const SummaryUses uses = uses_of(&making->run->clusters[i]);
        for (int use = 0; use < USE_COUNT; use++) {
            if (uses.ns[use] == SUMMARY_NEVER)
                continue;
            sum->ns[use] += uses.ns[use];
            sum->micro_usd[use] = capped_sum(sum->micro_usd[use], uses.micro_usd[use]);
        }
        counts_gpus |= cluster_total(&making->run->clusters[i]).gpus_per_node > 0;
    }
    if (making->run->is_unpriced)
        hide_money(sum);
    hide_uses(sum, counts_gpus);
}

/* The sum over clusters, also of those without a record, where no job ever ran. */
static void add_waits(Making *making)
{
    const RunFacts *facts = making->facts;
    SummaryWaits *sum = &making->summary->waits;
    *sum = waits_of(facts, UINT32_MAX);
    for (int i = 0; sum->is_known && i < OPTIONAL_WAITS; i++)
        sum->ns[optional_waits[i]] = 0;
    for (uint32_t i = 0; sum->is_known && i < facts->wait_count; i++)
        for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
            sum->ns[cause] += facts->waits[i].ns[cause];
    hide_waits(sum);
}

static int64_t utilisation_ppm(const RunMetrics *run)
{
    Wide held_ns = 0, running_ns = 0;
    for (uint32_t i = 0; i < run->cluster_count; i++) {
        held_ns += cluster_total(&run->clusters[i]).held_ns;
        running_ns += cluster_busy_ns(&run->clusters[i]);
    }
    return held_ns > 0 ? wide_proportion(running_ns, PPM, held_ns) : SUMMARY_NEVER;
}

static SummaryMeasured measured_of(const RunMetrics *run)
{
    if (!run->is_measured)
        return (SummaryMeasured){SUMMARY_NEVER, SUMMARY_NEVER, SUMMARY_NEVER,
                                 SUMMARY_NEVER, SUMMARY_NEVER, SUMMARY_NEVER};
    const MeasureWindow window = run->measure;
    const Wide held_ns = run->measured_held_ns, running_ns = run->measured_running_ns;
    return (SummaryMeasured){
        .from_ns = window.from_ns,
        .until_ns = window.until_ns > 0 && window.until_ns < run->ended_ns ? window.until_ns
                                                                           : run->ended_ns,
        .held_ns = held_ns,
        .running_ns = running_ns,
        .utilisation_ppm =
            held_ns > 0 ? wide_proportion(run_measured_busy_ns(run), PPM, held_ns) : SUMMARY_NEVER,
        .micro_usd = known_micro_usd(run->measured_micro_usd, run->is_unpriced)};
}

static void add_errors(Making *making)
{
    const RunMetrics *run = making->run;
    Summary *summary = making->summary;
    summary->errors = ARENA_ARRAY(making->arena, SummaryError, run->error_count);
    summary->error_count = run->error_count;
    for (uint32_t i = 0; i < run->error_count; i++) {
        const ErrorMetrics *error = &run->errors[i];
        summary->errors[i] = (SummaryError){
            .cluster = making->cluster_names[error->cluster.index],
            .of = error->is_of_nodes ? "nodes" : "cluster",
            .what = error->what,
            .cause = error->cause != CAUSE_NONE ? trace_cause_name(error->cause) : NULL,
            .count = error->count,
            .first_ns = error->first_ns,
            .last_ns = error->last_ns,
        };
    }
}

static void add_facts(Making *making)
{
    const RunFacts *facts = making->facts;
    Summary *summary = making->summary;
    char start[CIVIL_TEXT];
    if (facts == NULL)
        return;
    iso_time_print(facts->start_unix_ms, start);
    const bool has_description = facts->description != NULL && facts->description[0] != '\0';
    summary->scenario = facts->scenario;
    summary->description = has_description ? facts->description : NULL;
    if (facts->given != NULL)
        summary->given = *facts->given;
    summary->seed = (int64_t)facts->seed;
    summary->version = facts->version;
    summary->rng = rng_name;
    if (facts->wait_target_ns > 0)
        summary->wait_target_ns = facts->wait_target_ns;
    summary->fidelity = facts->fidelity;
    summary->start = arena_strdup(making->arena, start);
}

Summary *summary_of_run(Arena *arena, const RunFacts *facts, const RunMetrics *metrics,
                        const char *fingerprint)
{
    Summary *summary = ARENA_NEW(arena, Summary);
    *summary = (Summary){
        .seed = SUMMARY_NEVER,
        .end_ns = metrics->ended_ns,
        .wait_target_ns = SUMMARY_NEVER,
        .events = metrics->events,
        .draws = metrics->draws,
        .held_nodes = metrics->held_nodes,
        .held_micro_usd_per_hour =
            known_micro_usd(metrics->held_micro_usd_per_hour, metrics->is_unpriced),
        .utilisation_ppm = utilisation_ppm(metrics),
        .measured = measured_of(metrics),
        .fingerprint = fingerprint,
    };
    Making making = {.arena = arena, .facts = facts, .run = metrics, .summary = summary};
    name_resources(&making);
    add_facts(&making);
    add_clusters(&making);
    summary_add_jobs(&making);
    summary_add_workloads(&making);
    making_add_energy(&making);
    add_costs(&making);
    add_uses(&making);
    add_waits(&making);
    summary_add_problems(&making);
    add_errors(&making);
    return summary;
}
