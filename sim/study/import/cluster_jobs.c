#include "sim/study/import/cluster_jobs.h"

#include <inttypes.h>
#include <string.h>

int32_t import_cluster_find(const ImportClusters *clusters, const char *name)
{
    for (int32_t i = 0; i < clusters->count; i++)
        if (strcmp(clusters->clusters[i].name, name) == 0)
            return i;
    return -1;
}

const char *import_cluster_name(const ImportClusters *clusters, int32_t index)
{
    return clusters->are_kinds ? "gpu" : clusters->clusters[index].name;
}

/* --- Sizes --- */

static int64_t gpus_of(const ImportCluster *cluster)
{
    return (int64_t)cluster->nodes * cluster->gpus_per_node;
}

/* The most GPUs that a cluster ever has. */
static int64_t gpus_most(const ImportClusters *clusters, int32_t index)
{
    int64_t most = gpus_of(&clusters->clusters[index]);
    for (uint32_t i = 0; i < clusters->resize_count; i++) {
        const ImportResize *change = &clusters->resizes[i];
        const int64_t gpus = (int64_t)change->nodes * clusters->clusters[index].gpus_per_node;
        if (change->cluster == index && gpus > most)
            most = gpus;
    }
    return most;
}

static void choose_main(ImportClusters *clusters)
{
    for (int32_t i = 1; i < clusters->count; i++)
        if (gpus_most(clusters, i) > gpus_most(clusters, clusters->main))
            clusters->main = i;
}

/* --- Jobs --- */

/* [jobs] the cluster of each; -1: none. */
static int32_t *clusters_of_jobs(Arena *arena, const JobList *list, const ImportClusters *clusters)
{
    int32_t *of_queues = ARENA_ARRAY(arena, int32_t, list->queues.count);
    int32_t *of_jobs = ARENA_ARRAY(arena, int32_t, list->count);
    for (int32_t i = 0; i < list->queues.count; i++)
        of_queues[i] = import_cluster_find(clusters, list->queues.texts[i]);
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t queue = list->queue != NULL ? list->queue[i] : -1;
        of_jobs[i] = !clusters->is_per_queue ? clusters->main : queue >= 0 ? of_queues[queue] : -1;
    }
    return of_jobs;
}

static Place place_of(const Import *import, int64_t job)
{
    return place_in(import->request->files[0].path, import->selection.jobs[job]->line, 1);
}

static bool add_missing_cluster(const Import *import, int64_t job, Problems *problems)
{
    const JobList *list = &import->selection.list;
    const int32_t queue = list->queue != NULL ? list->queue[job] : -1;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_of(import, job),
                             "the queue \"%s\" of this job has no cluster",
                             queue >= 0 ? list->queues.texts[queue] : ""),
                "--queue NAME imports only some queues, --pool runs all on one cluster");
    return false;
}

/* --- Kinds of GPUs that have no effect --- */

/* Adds "a100 (5 jobs), v100 (1 job)" for the kinds that `jobs` ask for. Returns how many there
 * are. */
static int32_t add_kinds(const JobList *list, const int64_t *jobs, Text *out)
{
    enum { KINDS_SHOWN = 8 };
    int32_t count = 0;
    for (int32_t i = 0; i < list->gpu_types.count; i++)
        if (jobs[i] > 0 && count++ < KINDS_SHOWN)
            text_printf(out, "%s%s (%" PRId64 " job%s)", count > 1 ? ", " : "",
                        list->gpu_types.texts[i], jobs[i], plural(jobs[i]));
    if (count > KINDS_SHOWN)
        text_printf(out, " and %" PRId32 " more", count - KINDS_SHOWN);
    return count;
}

/* Without "gpu_type": "bind" in the scenario, which needs a kind of nodes for each kind of GPUs.
 * A single kind on nodes whose kind is not stated loses nothing. */
static void note_kinds(Arena *arena, Import *import, const ImportClusters *clusters,
                       const int32_t *of_jobs)
{
    const JobList *list = &import->selection.list;
    if (list->gpu_type == NULL || clusters->types_bind)
        return;
    for (int32_t cluster = 0; cluster < clusters->count; cluster++) {
        int64_t *jobs = ARENA_ARRAY(arena, int64_t, list->gpu_types.count);
        Text kinds = {0};
        for (int64_t i = 0; i < list->count; i++)
            if (of_jobs[i] == cluster && list->gpu_type[i] >= 0)
                jobs[list->gpu_type[i]]++;
        const int32_t count = add_kinds(list, jobs, &kinds);
        if (count > 1 || (count == 1 && clusters->are_kinds))
            import_note(&import->log,
                        "Jobs of the cluster \"%s\" ask for kinds of GPUs, which has no effect: "
                        "%s. They run on any of its nodes, as long as in the log. --map-gpu-type "
                        "FROM=TO gives kinds that are alike one name; `trainyard validate` says "
                        "how a scenario gives each kind its own nodes.",
                        import_cluster_name(clusters, cluster), text_string(&kinds));
        text_free(&kinds);
    }
}

bool import_cluster_jobs_check(Arena *arena, Import *import, ImportClusters *clusters,
                               Problems *problems)
{
    const JobList *list = &import->selection.list;
    choose_main(clusters);
    const int32_t *of_jobs = clusters_of_jobs(arena, list, clusters);
    int64_t *most = ARENA_ARRAY(arena, int64_t, clusters->count);
    for (int32_t i = 0; i < clusters->count; i++)
        most[i] = gpus_most(clusters, i);
    for (int64_t i = 0; i < list->count; i++) {
        if (of_jobs[i] < 0)
            return add_missing_cluster(import, i, problems);
        if (list->gpus[i] > most[of_jobs[i]])
            import_count_at(&import->log, RULE_WIDER, place_of(import, i));
    }
    note_kinds(arena, import, clusters, of_jobs);
    return true;
}
