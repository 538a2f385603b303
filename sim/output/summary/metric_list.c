/* Private to sim/output/summary: all metrics of a scenario, and their reference (metric.h). */
#include <string.h>

#include "sim/base/array.h"
#include "sim/output/summary/metric_path.h"

typedef struct {
    Arena *arena;
    MetricNames *names;
    const char *times; /* what the spread that is being listed is about; NULL: not in a spread */
    MetricList list;
    const char *item; /* whose members are listed; NULL: none */
} Lister;

static const char completed_doc[] = "the mean, in which a time that has not ended counts twice";

static void add_entry(Lister *lister, MetricEntry entry)
{
    MetricList *list = &lister->list;
    if (lister->times != NULL)
        entry.doc = arena_printf(lister->arena, "%s: %s", lister->times, entry.doc);
    list->items = array_room(lister->arena, list->items, list->count + 1, &list->capacity,
                             sizeof *list->items);
    list->items[list->count++] = entry;
}

static const char *joined(Lister *lister, const char *prefix, const char *name)
{
    return *prefix != '\0' ? arena_printf(lister->arena, "%s.%s", prefix, name) : name;
}

static void list_type(Lister *lister, const char *prefix, const ObjectType *type);

static void list_items(Lister *lister, const char *prefix, const Field *list)
{
    const char *owner = lister->item;
    const NameList names = metric_item_names(lister->names, list->name, owner);
    const Field *value = metric_key_field(list->type) + 1;
    for (int32_t i = 0; i < names.preferred_count; i++) {
        const char *name = joined(lister, prefix, names.items[i]);
        lister->item = names.items[i];
        if (list->kind == VALUE_NAMED)
            list_type(lister, name, list->type);
        else
            add_entry(lister, (MetricEntry){name, value->unit, value->doc, false});
        lister->item = owner;
    }
}

static void list_field(Lister *lister, const char *prefix, const Field *field)
{
    const char *name = joined(lister, prefix, field->name);
    if (field->kind == VALUE_DECIMAL || field->kind == VALUE_TEXT)
        add_entry(lister, (MetricEntry){name, field->unit, field->doc, field->kind == VALUE_TEXT});
    if (metric_is_list(field))
        list_items(lister, name, field);
    if (field->kind != VALUE_OBJECT)
        return;
    lister->times = field->type == &summary_spread_type ? field->doc : NULL;
    list_type(lister, name, field->type);
    lister->times = NULL;
}

static void list_classes(Lister *lister, const char *prefix, const Workload *workload)
{
    for (int kind = 0; kind < JOB_CLASS_COUNT; kind++) {
        const JobClasses classes = metric_job_classes(
            lister->arena, metric_names_scenario(lister->names), workload, (JobClassKind)kind);
        const char *of_kind = joined(lister, prefix, job_class_key((JobClassKind)kind));
        for (int32_t i = 0; i < classes.count; i++)
            list_type(lister, joined(lister, of_kind, classes.names[i]), &summary_class_type);
    }
}

static void list_type(Lister *lister, const char *prefix, const ObjectType *type)
{
    for (const Field *field = type->fields; field->name != NULL; field++)
        list_field(lister, prefix, field);
    for (int i = 0; i < METRIC_FUNCTION_COUNT; i++)
        if (metric_function_spread(type, i) != NULL)
            add_entry(lister, (MetricEntry){joined(lister, prefix, metric_functions[i].example),
                                            "1", metric_functions[i].doc, false});
    if (type == &summary_spread_type) {
        add_entry(lister, (MetricEntry){joined(lister, prefix, "p90"), "s",
                                        "any other percentile, such as p99.9", false});
        add_entry(lister, (MetricEntry){joined(lister, prefix, METRIC_COMPLETED_KEY), "s",
                                        completed_doc, false});
    }
    if (type == &summary_workload_type)
        list_classes(
            lister, prefix,
            metric_workload(metric_names_scenario(lister->names), prefix + strlen("workloads.")));
}

MetricList metric_list(Arena *arena, const Scenario *scenario)
{
    Lister lister = {.arena = arena, .names = metric_names_create(arena, scenario)};
    list_type(&lister, "", &summary_type);
    return lister.list;
}

void metric_reference(Text *out)
{
    text_add(out,
             "\n## Metrics\n\n"
             "\"metric\" of an expectation, and studies, name a metric of a run: keys of "
             "summary.json joined by dots, such as `cost_usd.total`, `clusters.gpu.idle_s` or "
             "`workloads.day.queue_s.p95`. `trainyard explain SCENARIO --metrics` lists all of a "
             "scenario. Beyond the members of summary.json there are:\n\n"
             "| metric | meaning |\n| --- | --- |\n");
    for (int i = 0; i < METRIC_FUNCTION_COUNT; i++)
        text_printf(out, "| `workloads.day.%s` | %s |\n", metric_functions[i].example,
                    metric_functions[i].doc);
    text_add(out,
             "| `waited_within(20m)` | the same of all jobs of the run |\n"
             "| `workloads.day.queue_s.p99.9` | any percentile of a spread |\n"
             "| `workloads.day.queue_s." METRIC_COMPLETED_KEY
             "` | the mean, in which a time that has not ended counts twice: where a queue "
             "neither grows nor shrinks, a wait that is found in progress is half over on "
             "average. It is not a lower bound, unless a job has waited for half of the run or "
             "more. `plan` and `advise` test a mean that may be at most a time with it |\n"
             "| `cost_usd.total / workloads.day.succeeded` | a ratio of two sums or counts; a "
             "study divides the totals of its runs |\n");
    static const char *const examples[] = {"8", "anna", "research"};
    _Static_assert(sizeof examples / sizeof examples[0] == JOB_CLASS_COUNT, "one of each kind");
    for (int kind = 0; kind < JOB_CLASS_COUNT; kind++)
        text_printf(out, "| `workloads.day.%s.%s.queue_s.p95` | %s |\n",
                    job_class_key((JobClassKind)kind), examples[kind],
                    job_class_doc((JobClassKind)kind));
    text_add(out,
             "\n### When a run ends\n\n"
             "A run ends when nothing is left to happen, or at `until`. A time that has not ended "
             "then counts up to the end. It can only become longer, so a mean or percentile that "
             "depends on it is a lower bound: summary.json names it in `at_least`, and people "
             "read \"> 3 d\".\n\n"
             "- A job that waits counts in `queue_s` with its wait so far, and a job that has not "
             "ended counts in `turnaround_s` with the time since its submission. `run_s` is about "
             "jobs that have ended.\n"
             "- `waited_within(x)` counts a job that still waits as not within x, whether or not "
             "it has waited longer: the share is never too large. It is a lower bound while a "
             "job may still start within x.\n"
             "- A job that was terminated while it waited counts with its wait. A job that runs "
             "counts with its waits so far.\n"
             "- Nodes that are still held are billed up to the end; `held_nodes` counts "
             "them.\n");
}
