#include "sim/study/import/clusters.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/ascii.h"
#include "sim/base/piece.h"
#include "sim/base/units.h"
#include "sim/study/import/cluster_jobs.h"
#include "sim/study/import/stamp.h"

enum { GPUS_PER_NODE = 8, GPUS_MOST = 1000000 };

typedef struct {
    Arena *arena;
    const Import *import;
    ImportLog *import_log; /* of `import` */
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

/* For nodes whose GPUs only gpus_per_node states. */
static void note_gpus_per_node(const Reader *reader)
{
    if (reader->choices->gpus_per_node == 0)
        import_note(reader->import_log,
                    "Nodes are assumed to have %d GPUs, as nothing states it; see --gpus-per-node.",
                    GPUS_PER_NODE);
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

/* --- Machines: a kind of nodes for each --- */

/* A machine as a list states it. */
typedef struct {
    Cell model; /* of its GPUs; empty: not stated */
    int32_t gpus, cpus, memory_mib;
} Machine;

static bool is_of_kind(const ImportCluster *kind, const Machine *machine)
{
    const size_t length = (size_t)machine->model.length;
    return kind->gpus_per_node == machine->gpus && kind->cpus == machine->cpus &&
           kind->memory_mib == machine->memory_mib &&
           (kind->gpu != NULL ? strlen(kind->gpu) : 0) == length &&
           (length == 0 || strncmp(kind->gpu, machine->model.text, length) == 0);
}

/* "V100-8", or "V100-8-96c-736g" if another kind has that name already. Names have letters, digits,
 * '-' and '_'. */
static const char *name_of_kind(Reader *reader, const Machine *machine)
{
    const Cell model = machine->model;
    char *name = arena_printf(reader->arena, "%.*s%s%d", model.length, model.text,
                              model.length > 0 ? "-" : "gpu", machine->gpus);
    for (char *c = name; *c != '\0'; c++)
        if (!ascii_is_alphanumeric(*c) && *c != '-')
            *c = '_';
    if (import_cluster_find(reader->clusters, name) < 0)
        return name;
    name =
        arena_printf(reader->arena, "%s-%dc-%dg", name, machine->cpus, machine->memory_mib / 1024);
    return import_cluster_find(reader->clusters, name) < 0
               ? name
               : arena_printf(reader->arena, "%s-%d", name, reader->clusters->count);
}

static void add_machine(Reader *reader, Machine machine)
{
    ImportClusters *clusters = reader->clusters;
    int32_t index = 0;
    if (machine.gpus <= 0)
        return;
    while (index < clusters->count && !is_of_kind(&clusters->clusters[index], &machine))
        index++;
    if (index == clusters->count) {
        index = add_cluster(reader, name_of_kind(reader, &machine), machine.gpus);
        ImportCluster *kind = &clusters->clusters[index];
        kind->cpus = machine.cpus;
        kind->memory_mib = machine.memory_mib;
        if (machine.model.length > 0)
            kind->gpu =
                arena_strndup(reader->arena, machine.model.text, (size_t)machine.model.length);
    }
    clusters->clusters[index].nodes++;
}

static void add_philly_machine(void *parser, const Cell *cells)
{
    Reader *reader = parser;
    Machine machine = {0};
    if (import_count_of(&reader->log, cells[1], "number of GPUs", &machine.gpus))
        add_machine(reader, machine);
}

/* A number of a column that may be absent or empty; 0 then. */
static bool optional_number(Reader *reader, Cell cell, const char *column, int32_t decimals,
                            int64_t *number)
{
    *number = 0;
    return cell.length == 0 ||
           import_number(&reader->log, cell, column, decimals, INT32_MAX, number);
}

static void add_pai2023_node(void *parser, const Cell *cells)
{
    Reader *reader = parser;
    Machine machine = {.model = cells[2]};
    int64_t cpu_milli, memory_mib;
    if (!import_count_of(&reader->log, cells[1], "gpu", &machine.gpus) ||
        !optional_number(reader, cells[3], "cpu_milli", 0, &cpu_milli) ||
        !optional_number(reader, cells[4], "memory_mib", 0, &memory_mib))
        return;
    machine.cpus = (int32_t)(cpu_milli / 1000);
    machine.memory_mib = (int32_t)memory_mib;
    add_machine(reader, machine);
}

/* A row of the table machine_spec: "machine,gpu_type,cap_cpu,cap_mem,cap_gpu", which has no header.
 * Memory is in GiB. */
static void add_pai2020_machine(void *parser, const Cell *cells, int32_t count)
{
    enum { MACHINE_TYPE = 1, MACHINE_CPU, MACHINE_MEMORY, MACHINE_GPU, MACHINE_COLUMNS };
    Reader *reader = parser;
    Machine machine = {0};
    int64_t cpus, gib;
    if (count != MACHINE_COLUMNS) {
        import_bad_line(&reader->log, count, "5 of a machine");
        return;
    }
    if (!import_count_of(&reader->log, cells[MACHINE_GPU], "cap_gpu", &machine.gpus) ||
        !optional_number(reader, cells[MACHINE_CPU], "cap_cpu", 0, &cpus) ||
        !optional_number(reader, cells[MACHINE_MEMORY], "cap_mem", 0, &gib))
        return;
    machine.model = cells[MACHINE_TYPE];
    machine.cpus = (int32_t)cpus;
    machine.memory_mib = gib < INT32_MAX / 1024 ? (int32_t)(gib * 1024) : INT32_MAX;
    add_machine(reader, machine);
}

static void read_philly_machines(Reader *reader)
{
    static const WantedColumn columns[] = {{"machineId", true}, {"number of GPUs", true}};
    import_read_table(&reader->log, *reader->choices->machines, ',', columns, 2, reader,
                      add_philly_machine);
}

static void read_pai2023_nodes(Reader *reader)
{
    static const WantedColumn columns[] = {
        {"sn", true}, {"gpu", true}, {"model", false}, {"cpu_milli", false}, {"memory_mib", false}};
    import_read_table(&reader->log, *reader->choices->machines, ',', columns, 5, reader,
                      add_pai2023_node);
}

static void read_pai2020_machines(Reader *reader)
{
    const PlainTable table = {.separator = ',', .parser = reader, .add_row = add_pai2020_machine};
    import_read_plain(&table, &reader->log, *reader->choices->machines);
}

/* Whether the words of a kind of GPU, "A|B", name one that a machine has. */
static bool has_type(const ImportClusters *clusters, const char *words)
{
    for (const char *word = words; word != NULL;) {
        const char *bar = strchr(word, '|');
        const size_t length = bar != NULL ? (size_t)(bar - word) : strlen(word);
        for (int32_t i = 0; i < clusters->count; i++) {
            const char *gpu = clusters->clusters[i].gpu;
            if (gpu != NULL && strlen(gpu) == length && ascii_same_start(gpu, word, length))
                return true;
        }
        word = bar != NULL ? bar + 1 : NULL;
    }
    return false;
}

/* The machines are one cluster, whose nodes are of several kinds. */
static void join_kinds(Reader *reader, Problems *problems)
{
    ImportClusters *clusters = reader->clusters;
    const JobList *list = &reader->import->selection.list;
    clusters->are_kinds = clusters->count > 1 && !clusters->is_per_queue;
    clusters->types_bind = clusters->are_kinds && list->gpu_type != NULL;
    for (int32_t i = 0; i < list->gpu_types.count; i++)
        clusters->types_bind &= has_type(clusters, list->gpu_types.texts[i]);
    for (int32_t i = 0; i < clusters->count; i++)
        clusters->cores_bind |=
            (clusters->clusters[i].cpus > 0 && list->cpus != NULL) ||
            (clusters->clusters[i].memory_mib > 0 && list->memory_bytes != NULL);
    if (clusters->are_kinds && clusters->count > NODE_KINDS_MAX)
        problems_add(problems, STATUS_BAD_INPUT, place_in(reader->choices->machines->path, 0, 0),
                     "%" PRId32 " kinds of machines, but a cluster has at most %d", clusters->count,
                     (int)NODE_KINDS_MAX);
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
    note_gpus_per_node(reader);
    import_read_plain(&table, &reader->log, *reader->choices->machines);
}

static const struct {
    const char *format;
    void (*read)(Reader *reader);
} layouts[] = {{"philly", read_philly_machines},
               {"philly-csv", read_philly_machines},
               {"helios", read_helios_sizes},
               {"pai-2020", read_pai2020_machines},
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
        join_kinds(reader, problems);
        return problems->count == problems_before;
    }
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--cluster", 0, 0),
                             "the format %s has no file of machines", format),
                "--nodes N and --gpus-per-node G give the size of the cluster");
    return false;
}

/* --- Clusters by number --- */

/* An option --nodes: [QUEUE=]N[xGPUS]. */
typedef struct {
    const char *queue;    /* NULL: of all others */
    uint64_t nodes, gpus; /* gpus 0: not given */
} NodesOption;

static bool read_nodes(Arena *arena, const char *text, NodesOption *option)
{
    const char *equals = strrchr(text, '=');
    const char *number = equals != NULL ? equals + 1 : text;
    Piece rest = piece_of("--nodes", number, strlen(number)), nodes;
    *option = (NodesOption){
        .queue = equals != NULL ? arena_strndup(arena, text, (size_t)(equals - text)) : NULL};
    if (equals == text || !piece_cut(&rest, 'x', &nodes) ||
        !piece_digits(nodes, GPUS_MOST, &option->nodes) || option->nodes == 0)
        return false;
    return rest.text == NULL || (piece_digits(rest, GPUS_MOST, &option->gpus) && option->gpus > 0);
}

static bool add_nodes_problem(Problems *problems, const char *message, const char *name,
                              const char *hint)
{
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--nodes", 0, 0), message, name),
                "%s", hint);
    return false;
}

static bool add_queue_problem(const Reader *reader, const char *queue, Problems *problems)
{
    const ImportClusters *clusters = reader->clusters;
    const char **names = ARENA_ARRAY(reader->arena, const char *, clusters->count);
    for (int32_t i = 0; i < clusters->count; i++)
        names[i] = clusters->clusters[i].name;
    status_hint_names(problems_add(problems, STATUS_BAD_INPUT, place_in("--nodes", 0, 0),
                                   "there are no jobs of a queue \"%s\"", queue),
                      queue, names, clusters->count);
    return false;
}

static bool read_all_nodes(const Reader *reader, NodesOption *options, Problems *problems)
{
    const ImportTexts *texts = &reader->choices->nodes;
    for (int32_t i = 0; i < texts->count; i++) {
        if (!read_nodes(reader->arena, texts->items[i], &options[i]))
            return add_nodes_problem(problems, "\"%s\" is not [QUEUE=]N or [QUEUE=]NxGPUS",
                                     texts->items[i],
                                     "as in --nodes 24, --nodes dev=2 or --nodes old=10x4");
        if (options[i].queue != NULL && import_cluster_find(reader->clusters, options[i].queue) < 0)
            return add_queue_problem(reader, options[i].queue, problems);
    }
    return true;
}

/* The last option of the queue, or the last one for all queues; NULL: there is none. */
static const NodesOption *nodes_of(const NodesOption *options, int32_t count, const char *queue)
{
    const NodesOption *found = NULL;
    for (int32_t i = 0; i < count; i++) {
        const bool is_own = options[i].queue != NULL && strcmp(options[i].queue, queue) == 0;
        if (is_own || (options[i].queue == NULL && (found == NULL || found->queue == NULL)))
            found = &options[i];
    }
    return found;
}

static bool give_nodes(const Reader *reader, Problems *problems)
{
    const int32_t count = reader->choices->nodes.count;
    NodesOption *options = ARENA_ARRAY(reader->arena, NodesOption, count);
    if (!read_all_nodes(reader, options, problems))
        return false;
    for (int32_t i = 0; i < reader->clusters->count; i++) {
        ImportCluster *cluster = &reader->clusters->clusters[i];
        const NodesOption *own = nodes_of(options, count, cluster->name);
        if (own == NULL)
            return add_nodes_problem(
                problems, "the nodes of the queue \"%s\" are not known", cluster->name,
                arena_printf(reader->arena, "--nodes %s=N states them, --nodes N those of all",
                             cluster->name));
        cluster->nodes = (int32_t)own->nodes;
        if (own->gpus > 0)
            cluster->gpus_per_node = (int32_t)own->gpus;
        else
            note_gpus_per_node(reader);
    }
    return true;
}

static bool make_clusters(Reader *reader, Problems *problems)
{
    const JobList *list = &reader->import->selection.list;
    if (reader->choices->nodes.count == 0) {
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
    return give_nodes(reader, problems);
}

bool import_clusters_read(Arena *arena, Import *import, const ImportClusterChoices *choices,
                          ImportClusters *clusters, Problems *problems)
{
    Reader reader = {.arena = arena,
                     .import = import,
                     .import_log = &import->log,
                     .choices = choices,
                     .clusters = clusters,
                     .log = import_log_create(arena, &import->options, problems)};
    *clusters = (ImportClusters){0};
    const bool is_read = choices->machines != NULL ? read_machines(&reader, problems)
                                                   : make_clusters(&reader, problems);
    import_log_free(&reader.log);
    if (!is_read)
        return false;
    return import_cluster_jobs_check(arena, import, clusters, problems);
}
