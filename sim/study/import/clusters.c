#include "sim/study/import/clusters.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/units.h"
#include "sim/study/import/stamp.h"

enum { GPUS_PER_NODE = 8, GPUS_MOST = 1000000 };

typedef struct {
    Arena *arena;
    const Import *import;
    const ImportClusterChoices *choices;
    ImportClusters *clusters;
    ImportLog log; /* of the file of machines: its places and its problems */
    uint32_t capacity, resize_capacity;
    int32_t column_clusters[CELLS_MAX]; /* helios: the cluster of each column, or -1 */
} Reader;

static int32_t gpus_per_node(const Reader *reader)
{
    return reader->choices->gpus_per_node > 0 ? reader->choices->gpus_per_node : GPUS_PER_NODE;
}

static int32_t add_cluster(Reader *reader, const char *name, int32_t gpus)
{
    ImportClusters *clusters = reader->clusters;
    clusters->clusters =
        array_room(reader->arena, clusters->clusters, (uint32_t)clusters->count + 1,
                   &reader->capacity, sizeof *clusters->clusters);
    clusters->clusters[clusters->count] = (ImportCluster){.name = name, .gpus_per_node = gpus};
    return clusters->count++;
}

static int32_t find_cluster(const ImportClusters *clusters, const char *name)
{
    for (int32_t i = 0; i < clusters->count; i++)
        if (strcmp(clusters->clusters[i].name, name) == 0)
            return i;
    return -1;
}

/* --- Machines: a cluster for each kind --- */

/* Adds a machine with `gpus` GPUs to the cluster of its kind. Names of clusters have letters,
 * digits, '-' and '_'. */
static void add_machine(Reader *reader, Cell model, int32_t gpus)
{
    if (gpus <= 0)
        return;
    char *name = arena_printf(reader->arena, "%.*s%s%d", model.length, model.text,
                              model.length > 0 ? "-" : "gpu", gpus);
    for (char *c = name; *c != '\0'; c++)
        if (!ascii_is_alphanumeric(*c) && *c != '-')
            *c = '_';
    int32_t index = find_cluster(reader->clusters, name);
    if (index < 0)
        index = add_cluster(reader, name, gpus);
    reader->clusters->clusters[index].nodes++;
}

static void add_philly_machine(void *parser, const Cell *cells)
{
    Reader *reader = parser;
    int32_t gpus;
    if (import_count_of(&reader->log, cells[1], "number of GPUs", &gpus))
        add_machine(reader, (Cell){0}, gpus);
}

static void add_pai2023_node(void *parser, const Cell *cells)
{
    Reader *reader = parser;
    int32_t gpus;
    if (import_count_of(&reader->log, cells[1], "gpu", &gpus))
        add_machine(reader, cells[2], gpus);
}

static void read_philly_machines(Reader *reader)
{
    static const WantedColumn columns[] = {{"machineId", true}, {"number of GPUs", true}};
    import_read_table(&reader->log, *reader->choices->machines, ',', columns, 2, reader,
                      add_philly_machine);
}

static void read_pai2023_nodes(Reader *reader)
{
    static const WantedColumn columns[] = {{"sn", true}, {"gpu", true}, {"model", false}};
    import_read_table(&reader->log, *reader->choices->machines, ',', columns, 3, reader,
                      add_pai2023_node);
}

/* --- Virtual clusters whose sizes change from day to day --- */

static void resize(Reader *reader, int32_t index, int64_t at_ns, int32_t nodes)
{
    ImportClusters *clusters = reader->clusters;
    ImportCluster *cluster = &clusters->clusters[index];
    if (at_ns <= 0) {
        cluster->nodes = nodes;
        return;
    }
    int32_t before = cluster->nodes;
    for (uint32_t i = 0; i < clusters->resize_count; i++)
        if (clusters->resizes[i].cluster == index)
            before = clusters->resizes[i].nodes;
    if (before == nodes)
        return;
    clusters->resizes = array_room(reader->arena, clusters->resizes, clusters->resize_count + 1,
                                   &reader->resize_capacity, sizeof *clusters->resizes);
    clusters->resizes[clusters->resize_count++] = (ImportResize){at_ns, index, nodes};
}

/* "date,vc1,vc2,...,total": an empty cell means that the virtual cluster does not exist. */
static void add_helios_header(Reader *reader, const Cell *cells, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        reader->column_clusters[i] = -1;
        if (!cell_is(cells[i], "total"))
            reader->column_clusters[i] = add_cluster(
                reader, arena_strndup(reader->arena, cells[i].text, (size_t)cells[i].length),
                gpus_per_node(reader));
    }
}

static void add_helios_row(void *parser, const Cell *cells, int32_t count)
{
    Reader *reader = parser;
    int64_t date_ns, gpus;
    if (reader->clusters->count == 0) {
        add_helios_header(reader, cells, count);
        return;
    }
    if (!import_stamp(&reader->log, cells[0], "date", 0, &date_ns))
        return;
    for (int32_t i = 1; i < count; i++) {
        if (reader->column_clusters[i] < 0)
            continue;
        if (!import_number(&reader->log, cells[i], "the number of GPUs", 0, GPUS_MOST, &gpus))
            return;
        const int32_t per_node = gpus_per_node(reader);
        const int32_t nodes = gpus <= 0 ? 0 : (int32_t)(gpus / per_node + (gpus % per_node > 0));
        resize(reader, reader->column_clusters[i], date_ns - reader->import->selection.origin_ns,
               nodes);
    }
}

static void read_helios_sizes(Reader *reader)
{
    const PlainTable table = {.separator = ',', .parser = reader, .add_row = add_helios_row};
    for (int32_t i = 0; i < CELLS_MAX; i++)
        reader->column_clusters[i] = -1;
    reader->clusters->is_per_queue = true;
    import_read_plain(&table, &reader->log, *reader->choices->machines);
}

static const struct {
    const char *format;
    void (*read)(Reader *reader);
} layouts[] = {{"philly", read_philly_machines},
               {"philly-csv", read_philly_machines},
               {"helios", read_helios_sizes},
               {"pai-2023", read_pai2023_nodes}};

static bool read_machines(Reader *reader, Problems *problems)
{
    const char *format = reader->import->request->format->name;
    const int32_t problems_before = problems->count;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (strcmp(layouts[i].format, format) != 0)
            continue;
        layouts[i].read(reader);
        if (problems->count == problems_before && reader->clusters->count == 0)
            problems_add(problems, STATUS_BAD_INPUT,
                         place_in(reader->choices->machines->path, 0, 0),
                         "the file has no machine with GPUs");
        return problems->count == problems_before;
    }
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--cluster", 0, 0),
                             "the format %s has no file of machines", format),
                "--nodes N and --gpus-per-node G give the size of the cluster");
    return false;
}

/* --- Clusters by number --- */

static bool make_clusters(Reader *reader, Problems *problems)
{
    const JobList *list = &reader->import->selection.list;
    if (reader->choices->nodes == 0) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--scenario", 0, 0),
                                 "the size of the cluster is not known"),
                    "--nodes N gives it, or --cluster FILE");
        return false;
    }
    reader->clusters->is_per_queue = list->queue != NULL && !reader->choices->is_pool;
    if (!reader->clusters->is_per_queue)
        add_cluster(reader, "gpu", gpus_per_node(reader));
    bool *has_jobs = ARENA_ARRAY(reader->arena, bool, list->queues.count);
    for (int64_t i = 0; reader->clusters->is_per_queue && i < list->count; i++)
        if (list->queue[i] >= 0)
            has_jobs[list->queue[i]] = true;
    for (int32_t i = 0; reader->clusters->is_per_queue && i < list->queues.count; i++)
        if (has_jobs[i])
            add_cluster(reader, list->queues.texts[i], gpus_per_node(reader));
    for (int32_t i = 0; i < reader->clusters->count; i++)
        reader->clusters->clusters[i].nodes = reader->choices->nodes;
    return true;
}

/* --- Jobs on clusters --- */

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

/* The cluster of each queue; -1: none. */
static int32_t *clusters_of_queues(Arena *arena, const JobList *list,
                                   const ImportClusters *clusters)
{
    int32_t *of_queues = ARENA_ARRAY(arena, int32_t, list->queues.count);
    for (int32_t i = 0; i < list->queues.count; i++)
        of_queues[i] = find_cluster(clusters, list->queues.texts[i]);
    return of_queues;
}

static bool check_jobs(Reader *reader, Import *import, Problems *problems)
{
    const ImportClusters *clusters = reader->clusters;
    const JobList *list = &import->selection.list;
    int32_t *of_queues = clusters_of_queues(reader->arena, list, clusters);
    int64_t *most = ARENA_ARRAY(reader->arena, int64_t, clusters->count);
    for (int32_t i = 0; i < clusters->count; i++)
        most[i] = gpus_most(clusters, i);
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t queue = list->queue != NULL ? list->queue[i] : -1;
        const int32_t index = !clusters->is_per_queue ? clusters->main
                              : queue >= 0            ? of_queues[queue]
                                                      : -1;
        if (index < 0) {
            status_hint(problems_add(problems, STATUS_BAD_INPUT,
                                     place_in(import->request->files[0].path,
                                              import->selection.jobs[i]->line, 1),
                                     "the queue \"%s\" of this job has no cluster",
                                     queue >= 0 ? list->queues.texts[queue] : ""),
                        "--queue NAME imports only some queues, --pool runs all on one cluster");
            return false;
        }
        if (list->gpus[i] > most[index])
            import_count_at(
                &import->log, RULE_WIDER,
                place_in(import->request->files[0].path, import->selection.jobs[i]->line, 1));
    }
    return true;
}

bool import_clusters_read(Arena *arena, Import *import, const ImportClusterChoices *choices,
                          ImportClusters *clusters, Problems *problems)
{
    Reader reader = {.arena = arena,
                     .import = import,
                     .choices = choices,
                     .clusters = clusters,
                     .log = import_log_create(arena, &import->options, problems)};
    *clusters = (ImportClusters){0};
    const bool is_read = choices->machines != NULL ? read_machines(&reader, problems)
                                                   : make_clusters(&reader, problems);
    import_log_free(&reader.log);
    if (!is_read)
        return false;
    for (int32_t i = 1; i < clusters->count; i++)
        if (gpus_most(clusters, i) > gpus_most(clusters, clusters->main))
            clusters->main = i;
    return check_jobs(&reader, import, problems);
}
