#include "sim/output/summary/metric_names.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/output/summary/names.h"
#include "sim/output/summary/run_facts.h"

/* --- Items of lists --- */

/* The path in a summary of the resource that `command` creates. */
static const char *created_path(Arena *arena, const Command *command)
{
    const ResourcePath path = command->path;
    if (command->kind == COMMAND_JOB_CREATE)
        return arena_printf(arena, "%s/%s/%s", path.workspace, path.experiment, path.name);
    if (command->kind == COMMAND_CLUSTER_CREATE)
        return arena_printf(arena, "%s/%s", path.workspace, path.name);
    return path.name;
}

static NameList no_names(Arena *arena, int64_t capacity)
{
    return (NameList){.items = ARENA_ARRAY(arena, const char *, capacity),
                      .places = name_table_create(arena)};
}

static void add_name(NameList *list, const char *name)
{
    if (!name_table_find(list->places, name, NULL))
        name_table_set(list->places, name, (uint32_t)list->count);
    list->items[list->count++] = name;
}

static NameList created_paths(Arena *arena, const Scenario *scenario, CommandKind kind)
{
    NameList paths = no_names(arena, scenario->command_count);
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind == kind)
            add_name(&paths, created_path(arena, &scenario->commands[i]));
    return paths;
}

static NameList workload_names(Arena *arena, const Scenario *scenario)
{
    NameList names = no_names(arena, scenario->workload_count);
    for (int32_t i = 0; i < scenario->workload_count; i++)
        add_name(&names, scenario->workloads[i].name);
    return names;
}

/* Names inside a cluster. */
typedef enum { PART_NONE, PART_KINDS, PART_QUEUES } ClusterPart;

/* The part of a cluster that a list of this name has. */
static ClusterPart part_of_key(const char *key)
{
    return strcmp(key, "kinds") == 0    ? PART_KINDS
           : strcmp(key, "queues") == 0 ? PART_QUEUES
                                        : PART_NONE;
}

static int32_t part_count(const ClusterSpec *spec, ClusterPart part)
{
    return part == PART_KINDS ? spec->kind_count : spec->queue_count;
}

/* The kinds of nodes, or the queues, of the cluster that has this name in a summary. */
static NameList part_names(Arena *arena, const Scenario *scenario, const char *cluster,
                           ClusterPart part)
{
    const Command *command;
    int32_t most = 0;
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;)
        most += part_count(command->as.cluster_create, part);
    NameList names = no_names(arena, most);
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;) {
        const char *path = created_path(arena, command);
        const ClusterSpec *spec = command->as.cluster_create;
        const bool is_meant =
            strcmp(path, cluster) == 0 || strcmp(summary_short_name(path), cluster) == 0;
        for (int32_t k = 0; is_meant && k < part_count(spec, part); k++)
            add_name(&names, part == PART_KINDS ? spec->kinds[k].name : spec->queues[k].name);
    }
    names.preferred_count = names.count;
    return names;
}

/* The lists of a summary and the commands that create their items. */
static const struct {
    const char *key;
    CommandKind creates;
} created_lists[] = {{"clusters", COMMAND_CLUSTER_CREATE},
                     {"jobs", COMMAND_JOB_CREATE},
                     {"file_servers", COMMAND_FILE_SERVER_CREATE}};

enum { CREATED_LISTS = sizeof created_lists / sizeof created_lists[0] };

struct MetricNames {
    Arena *arena;
    const Scenario *scenario;
    NameList lists[CREATED_LISTS + 1]; /* as in created_lists, then workloads */
};

MetricNames *metric_names_create(Arena *arena, const Scenario *scenario)
{
    MetricNames *names = ARENA_NEW(arena, MetricNames);
    names->arena = arena;
    names->scenario = scenario;
    return names;
}

const Scenario *metric_names_scenario(const MetricNames *names)
{
    return names->scenario;
}

/* All forms of the names of a list. */
static NameList all_forms(Arena *arena, const NameList *paths)
{
    enum { FORMS = 3 };
    const char **preferred = summary_names(arena, paths->items, (uint32_t)paths->count);
    NameList names = no_names(arena, FORMS * (int64_t)paths->count);
    for (int32_t i = 0; i < paths->count; i++)
        add_name(&names, preferred[i]);
    names.preferred_count = names.count;
    for (int32_t i = 0; i < paths->count; i++) {
        add_name(&names, paths->items[i]);
        add_name(&names, summary_short_name(paths->items[i]));
    }
    return names;
}

NameList metric_item_names(MetricNames *names, const char *key, const char *owner)
{
    Arena *arena = names->arena;
    const ClusterPart part = part_of_key(key);
    if (part != PART_NONE)
        return part_names(arena, names->scenario, owner, part);
    int32_t i = 0;
    while (i < CREATED_LISTS && strcmp(created_lists[i].key, key) != 0)
        i++;
    invariant(i < CREATED_LISTS || strcmp(key, "workloads") == 0);
    NameList *list = &names->lists[i];
    if (list->places == NULL) {
        const NameList paths = i < CREATED_LISTS
                                   ? created_paths(arena, names->scenario, created_lists[i].creates)
                                   : workload_names(arena, names->scenario);
        *list = all_forms(arena, &paths);
    }
    return *list;
}

/* --- Classes --- */

typedef struct {
    const char *key, *word, *doc;
} ClassText;

static const ClassText class_texts[] = {
#define X(name, key, one, what) {key, one, what},
    JOB_CLASSES(X)
#undef X
};

const char *job_class_key(JobClassKind kind)
{
    return class_texts[kind].key;
}

const char *job_class_word(JobClassKind kind)
{
    return class_texts[kind].word;
}

const char *job_class_doc(JobClassKind kind)
{
    return class_texts[kind].doc;
}

const Workload *metric_workload(const Scenario *scenario, const char *name)
{
    for (int32_t i = 0; i < scenario->workload_count; i++)
        if (strcmp(scenario->workloads[i].name, name) == 0)
            return &scenario->workloads[i];
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The cluster that the scenario creates for the workload; NULL: none. */
static const ClusterSpec *cluster_of(const Scenario *scenario, const Workload *workload)
{
    const Command *command;
    for (int32_t i = 0; (command = scenario_next_cluster(scenario, &i)) != NULL;)
        if (is_same(command->path.workspace, workload->cluster.workspace) &&
            is_same(command->path.name, workload->cluster.name))
            return command->as.cluster_create;
    return NULL;
}

static bool has_value(const int32_t *values, int32_t count, int32_t value)
{
    int32_t i = 0;
    while (i < count && values[i] != value)
        i++;
    return i < count;
}

/* In ascending order. */
static void insert_value(int32_t *values, int32_t count, int32_t value)
{
    int32_t place = count;
    for (; place > 0 && values[place - 1] > value; place--)
        values[place] = values[place - 1];
    values[place] = value;
}

/* Adds a size unless it is there. `values` has room for one more. */
static void add_size(JobClasses *classes, int32_t *values, int32_t size)
{
    if (!has_value(values, classes->count, size))
        insert_value(values, classes->count++, size);
}

/* Adds the sizes of a shape's jobs on all kinds of nodes that they allow. */
static void add_sizes(JobClasses *classes, int32_t *values, const JobSpec *spec,
                      const ClusterSpec *cluster)
{
    for (int32_t k = 0; k < cluster_spec_kind_count(cluster); k++) {
        const VmSize *vm_size = cluster_spec_kind(cluster, k).vm_size;
        if (spec->kinds == 0 || (spec->kinds >> k & 1) != 0)
            add_size(classes, values, job_size(job_spec_request(spec, vm_size->gpus), vm_size));
    }
}

static JobClasses sizes_of(Arena *arena, const Scenario *scenario, const Workload *workload)
{
    const ClusterSpec *cluster = cluster_of(scenario, workload);
    const JobList *list = workload->list;
    const int64_t kinds = cluster != NULL ? cluster_spec_kind_count(cluster) : 1;
    const int64_t most = list != NULL ? list->count : workload->spec_count * kinds;
    int32_t *values = ARENA_ARRAY(arena, int32_t, most);
    JobClasses classes = {.values = values};
    for (int64_t row = 0; list != NULL && row < list->count; row++)
        add_size(&classes, values, list->gpus[row]);
    for (int32_t i = 0; list == NULL && cluster != NULL && i < workload->spec_count; i++)
        add_sizes(&classes, values, workload->specs[i], cluster);
    classes.names = ARENA_ARRAY(arena, const char *, classes.count);
    for (int32_t i = 0; i < classes.count; i++)
        classes.names[i] = arena_printf(arena, "%" PRId32, values[i]);
    return classes;
}

/* The values of a column of words. */
static JobClasses words_of(Arena *arena, const int32_t *column, JobListWords words)
{
    if (column == NULL)
        return (JobClasses){0};
    int32_t *values = ARENA_ARRAY(arena, int32_t, words.count);
    JobClasses classes = {.names = ARENA_ARRAY(arena, const char *, words.count),
                          .values = values,
                          .count = words.count};
    for (int32_t i = 0; i < words.count; i++) {
        classes.names[i] = words.texts[i];
        values[i] = i;
    }
    return classes;
}

static JobClasses classes_of(Arena *arena, const Scenario *scenario, const Workload *workload,
                             JobClassKind kind)
{
    const JobList *list = workload->list;
    switch (kind) {
    case CLASS_OF_SIZE:
        return sizes_of(arena, scenario, workload);
    case CLASS_OF_USER:
        return list != NULL ? words_of(arena, list->user, list->users) : (JobClasses){0};
    case CLASS_OF_QUEUE:
        return list != NULL ? words_of(arena, list->queue, list->queues) : (JobClasses){0};
    case JOB_CLASS_COUNT:
        break;
    }
    return (JobClasses){0};
}

JobClasses metric_job_classes(Arena *arena, const Scenario *scenario, const Workload *workload,
                              JobClassKind kind)
{
    JobClasses classes = classes_of(arena, scenario, workload, kind);
    classes.places = name_table_create(arena);
    for (int32_t i = 0; i < classes.count; i++)
        name_table_set(classes.places, classes.names[i], (uint32_t)i);
    return classes;
}
