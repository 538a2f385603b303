/* Private to sim/study (study_reader.h): how long and how often a study runs each point: its
 * horizon and its seeds. */
#include <string.h>

#include "sim/study/goal.h"
#include "sim/study/study_reader.h"

/* --- The horizon --- */

static bool read_auto(const StudyReader *reader, const BoundText *text, int64_t least_ns,
                      int64_t *ns)
{
    Status status = {0};
    *ns = HORIZON_AUTO;
    if (strcmp(text->value, "auto") == 0)
        return true;
    const Place at = json_at(text->node);
    if (duration_parse(text->value, at, ns, &status) && *ns >= least_ns)
        return true;
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, at,
                             "\"%s\" is neither \"auto\" nor a duration%s", text->value,
                             least_ns > 0 ? " above 0" : ""),
                "as in \"30d\"");
    return false;
}

/* Workloads of a system that never ends arrive at random, at one rate. */
static bool check_workloads(const StudyReader *reader)
{
    const Scenario *scenario = &reader->study->scenario->scenario;
    const Place at = json_at(reader->text->horizon->kind.node);
    if (scenario->workload_count == 0)
        problems_add(reader->problems, STATUS_BAD_INPUT, at,
                     "a steady study needs a scenario with \"workloads\"");
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        const Workload *workload = &scenario->workloads[i];
        if (workload->list == NULL && workload->arrivals != ARRIVALS_DIURNAL)
            continue;
        problems_add(reader->problems, STATUS_BAD_INPUT, at,
                     "workload \"%s\" has no steady state: it %s", workload->name,
                     workload->list != NULL ? "is a list of jobs, which ends"
                                            : "has a rate that depends on the hour or the weekday");
        return false;
    }
    return scenario->workload_count > 0;
}

/* Whether a part of a run has a value of the metric: it is about the jobs of that part. */
static bool has_batches(const StudyMetric *metric)
{
    static const char ending[] = "_s.mean";
    const size_t length = strlen(metric->name);
    return metric->kind == MEASURE_SHARE ||
           (length > strlen(ending) && strcmp(metric->name + length - strlen(ending), ending) == 0);
}

static bool check_batches(const StudyReader *reader)
{
    const Study *study = reader->study;
    const SeedsText *seeds = reader->text->seeds;
    if (study->horizon.method != STEADY_BY_BATCHES)
        return true;
    for (int32_t m = 0; m < study->metric_count; m++) {
        if (has_batches(&study->metrics[m]))
            continue;
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, study->metrics[m].at,
                                 "\"%s\" has no batch means", study->metrics[m].name),
                    "means of times and shares of jobs have, such as \"queue_s.mean\"");
        return false;
    }
    const Json *count = seeds == NULL                  ? NULL
                        : seeds->at_least.node != NULL ? seeds->at_least.node
                                                       : seeds->at_most.node;
    if (count != NULL)
        problems_add(reader->problems, STATUS_BAD_INPUT, count->key_at,
                     "batch means are of one run, so there is no \"%s\"", count->key);
    return count == NULL;
}

bool study_read_horizon(const StudyReader *reader)
{
    const HorizonText *text = reader->text->horizon;
    Study *study = reader->study;
    if (text == NULL || text->kind.value == HORIZON_TERMINATING) {
        const Json *node = text == NULL                 ? NULL
                           : text->warm_up.node != NULL ? text->warm_up.node
                           : text->length.node != NULL  ? text->length.node
                           : text->method.node != NULL  ? text->method.node
                                                        : text->jobs.node;
        if (node != NULL)
            status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, node->key_at,
                                     "\"%s\" belongs to a steady study", node->key),
                        "\"kind\": \"steady\"");
        return node == NULL;
    }
    study->horizon.kind = HORIZON_STEADY;
    study->horizon.method = (SteadyMethod)text->method.value;
    study->horizon.jobs_most = text->jobs.value;
    return check_batches(reader) &&
           read_auto(reader, &text->warm_up, 0, &study->horizon.warm_up_ns) &&
           read_auto(reader, &text->length, 1, &study->horizon.length_ns) &&
           check_workloads(reader);
}

/* --- Seeds --- */

static bool read_rule(const StudyReader *reader, const Json *member, StopRule *rule)
{
    const Study *study = reader->study;
    Status status = {0};
    rule->metric = study_find_metric(study, member->key);
    if (rule->metric < 0) {
        const char **names = ARENA_ARRAY(reader->arena, const char *, study->metric_count);
        for (int32_t i = 0; i < study->metric_count; i++)
            names[i] = study->metrics[i].name;
        bind_unknown_name(reader->problems, member->key_at, "metric of this study", member->key,
                          names, study->metric_count);
        return false;
    }
    const char *ratio = member->kind == JSON_STRING ? member->text : "";
    if (strchr(ratio, '%') == NULL
            ? goal_amount_read(member, study->metrics[rule->metric].unit, &rule->width_nano) &&
                  rule->width_nano > 0
            : ratio_parse(ratio, member->at, &rule->width_ppm, &status) && rule->width_ppm > 0)
        return true;
    const char *unit = study->metrics[rule->metric].unit;
    Status *problem = problems_add(reader->problems, STATUS_BAD_INPUT, member->at,
                                   "the half-width of \"%s\" is neither a part of its value nor "
                                   "an amount above 0",
                                   member->key);
    if (goal_unit_is_none(unit))
        status_hint(problem, "as in \"5%%\", or a number such as 0.02");
    else
        status_hint(problem, "as in \"5%%\" or \"%s\"",
                    strcmp(unit, "s") == 0 ? "30s" : arena_printf(reader->arena, "2 %s", unit));
    return false;
}

static bool read_rules(const StudyReader *reader, const Json *until)
{
    SeedPlan *seeds = &reader->study->seeds;
    if (until == NULL)
        return true;
    if (until->kind != JSON_OBJECT) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, until->at,
                                 "\"until\" is not an object of half-widths by metric"),
                    "as in {\"cost_usd.total\": \"2%%\"}");
        return false;
    }
    StopRule *rules = ARENA_ARRAY(reader->arena, StopRule, until->count);
    seeds->rules = rules;
    bool is_sound = true;
    for (const Json *member = until->first; member != NULL; member = member->next)
        is_sound &= read_rule(reader, member, &rules[seeds->rule_count++]);
    return is_sound;
}

bool study_read_seeds(const StudyReader *reader)
{
    enum { STEADY_EXTENSION = 4 }; // where the pilot has forecast too few jobs
    const SeedsText *text = reader->text->seeds;
    SeedPlan *seeds = &reader->study->seeds;
    const bool is_one_run = reader->study->horizon.method == STEADY_BY_BATCHES;
    const int32_t least = is_one_run ? 1 : SEEDS_AT_LEAST;
    *seeds = (SeedPlan){.first = 1, .at_least = least, .at_most = least};
    if (text == NULL)
        return true;
    seeds->first = (uint64_t)text->first.value;
    seeds->is_independent = text->independent.value != 0;
    if (is_one_run)
        return read_rules(reader, text->until);
    seeds->at_least = (int32_t)text->at_least.value;
    seeds->at_most = text->at_most.node != NULL ? (int32_t)text->at_most.value
                     : reader->study->horizon.kind == HORIZON_STEADY && text->until != NULL
                         ? STEADY_EXTENSION * seeds->at_least
                         : seeds->at_least;
    if (seeds->at_most < seeds->at_least) {
        problems_add(reader->problems, STATUS_BAD_INPUT, text->at_most.node->at,
                     "at_most is less than at_least, %d", (int)seeds->at_least);
        return false;
    }
    if (text->until == NULL && seeds->at_most > seeds->at_least && !goal_is_wanted(reader->text)) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, text->at_most.node->at,
                                 "at_most needs \"until\", which says when fewer are enough"),
                    "as in \"until\": {\"%s\": \"5%%\"}", reader->study->metrics[0].name);
        return false;
    }
    return read_rules(reader, text->until);
}

/* A length can only be chosen for a purpose. */
bool study_check_length(const StudyReader *reader)
{
    const Study *study = reader->study;
    if (study->horizon.kind != HORIZON_STEADY || study->horizon.length_ns != HORIZON_AUTO ||
        study->seeds.rule_count > 0)
        return true;
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT,
                             json_at(reader->text->horizon->kind.node),
                             "the length of steady runs needs \"until\" in \"seeds\": how narrow "
                             "which interval shall be"),
                "as in \"until\": {\"%s\": \"5%%\"}; or give \"length\"", study->metrics[0].name);
    return false;
}
