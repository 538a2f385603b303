#include "sim/scenario/command/workload_read.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/model/week_hours.h"
#include "sim/scenario/catalog/value.h"
#include "sim/scenario/command/check.h"
#include "sim/scenario/command/trace_read.h"
#include "sim/scenario/config/maintenance_config.h"

enum { NAME_LENGTH_MAX = 54 }; /* names of jobs have 64; a number follows */
/* Keeps the number of draws inside their address. */
static const ArrivalRate rate_max = {.micro = INT64_C(10000000000000), .period_ns = NS_PER_DAY};

typedef struct {
    const CommandBinder *binder;
    const ConfigContext *context; /* the binder's */
    const ScenarioText *text;
    ScenarioWorkloads out;
    WorkloadShape *shapes; /* the shapes of `out`, while they are made */
} Reader;

static Status *problem(const Reader *reader, const Json *at, const char *message)
{
    return problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(at), "%s", message);
}

/* --- Names --- */

ResourcePath workload_path(const ScenarioText *text, const WorkloadText *workload)
{
    return scenario_scope(text, workload->resource_group, workload->workspace,
                          workload->experiment);
}

/* Whether `end` is "-17": a hyphen and a number from 1 without leading zeros. */
static bool is_number_of_job(const char *end)
{
    size_t digits = end[0] == '-' ? strspn(end + 1, "0123456789") : 0;
    return digits > 0 && end[1] != '0' && end[1 + digits] == '\0';
}

bool workload_job_path(const ScenarioText *text, const char *name, ResourcePath *path)
{
    for (int32_t i = 0; i < text->workloads.count; i++) {
        const WorkloadText *workload = text->workloads.items[i];
        size_t length = workload->name.value != NULL ? strlen(workload->name.value) : 0;
        if (length == 0 || strncmp(name, workload->name.value, length) != 0 ||
            !is_number_of_job(name + length))
            continue;
        *path = workload_path(text, workload);
        path->name = name;
        return true;
    }
    return text->workloads.is_refused;
}

bool workload_makes(const ScenarioText *text, const char *name)
{
    ResourcePath path;
    for (int32_t i = 0; i < text->workloads.count; i++) {
        const WorkloadText *workload = text->workloads.items[i];
        if (workload->name.value == NULL || workload->name.value[0] == '\0')
            return true; // a workload whose name was refused may have any name
    }
    return workload_job_path(text, name, &path);
}

static void check_name(const Reader *reader, const WorkloadText *text)
{
    name_check(reader->context, text->name, "-_", NAME_LENGTH_MAX);
    for (int32_t i = 0; reader->text->workloads.items[i] != text; i++) {
        const WorkloadText *other = reader->text->workloads.items[i];
        if (other->name.value != NULL && ascii_same(other->name.value, text->name.value))
            status_hint(problems_add(reader->context->problems, STATUS_BAD_INPUT,
                                     json_at(text->name.node), "there is a workload \"%s\" already",
                                     text->name.value),
                        "their jobs would have the same names");
    }
}

/* Refuses commands that create a job with the name of one of the workload's jobs. */
static void check_commands(const Reader *reader, const WorkloadText *text)
{
    size_t length = strlen(text->name.value);
    for (int32_t i = 0; i < reader->text->commands.count; i++) {
        const CommandText *command = scenario_command(reader->text, i);
        const char *name = command->name.value;
        if (command_is(command, COMMAND_JOB_CREATE) && name != NULL &&
            ascii_same_start(name, text->name.value, length) && is_number_of_job(name + length))
            problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(command->name.node),
                         "\"%s\" is the name of a job of workload \"%s\"", name, text->name.value);
    }
}

/* --- When --- */

static void read_rate(const Reader *reader, BoundText rate, Workload *workload)
{
    if (rate.is_refused)
        return;
    Problems *problems = reader->context->problems;
    if (!arrival_rate_parse(rate.value, &workload->rate))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(rate.node),
                                 "\"%s\" is not a rate", rate.value),
                    "a number with up to six decimals and a period: \"12/h\", \"200/week\", "
                    "\"200/7d\", \"0.5/min\"");
    else if (workload->rate.micro == 0 || arrival_rate_compare(workload->rate, rate_max) > 0)
        problems_add(problems, STATUS_BAD_INPUT, json_at(rate.node),
                     "a rate of %s, expected more than 0 and at most 10,000,000/day", rate.value);
}

/* Whether the workload states how many of its jobs arrive, in one of the two ways. */
static bool check_how_many(const Reader *reader, const WorkloadText *text)
{
    const Json *rate = text->rate.node, *count = text->count.node, *within = text->within.node;
    if (rate != NULL && (count != NULL || within != NULL))
        problem(reader, count != NULL ? count : within,
                "\"count\" and \"within\" replace \"rate\", and here are both");
    else if (rate == NULL && count == NULL && within == NULL)
        status_hint(problem(reader, text->node, "this workload does not say how many jobs arrive"),
                    "add \"rate\": \"12/h\", or \"count\": 200 and \"within\": \"7d\"");
    else if (rate == NULL && (count == NULL || within == NULL))
        problem(reader, text->node,
                count == NULL ? "\"within\" needs \"count\", which is missing"
                              : "\"count\" needs \"within\", which is missing");
    else
        return true;
    return false;
}

/* A period of exact counts has all factors: a shorter one may have no hour above 0, and would have
 * as many arrivals on a Sunday as on a Monday. */
static void check_within(const Reader *reader, const WorkloadText *text, const Workload *workload)
{
    const int32_t cycle_hours = week_factors_cycle(workload->factors);
    if (workload->within_ns < cycle_hours * NS_PER_HOUR)
        problem(reader, text->within.node,
                cycle_hours == HOURS_A_DAY
                    ? "\"within\" of diurnal arrivals is at least a day"
                    : "\"within\" of arrivals whose rate depends on the weekday is at least 7d");
}

static void read_count(const Reader *reader, const WorkloadText *text, Workload *workload)
{
    const ArrivalRate rate = {PPM * text->count.value, text->within.value};
    if (text->count.is_refused || text->within.is_refused)
        return;
    workload->count = text->count.value;
    workload->within_ns = text->within.value;
    if (rate.period_ns == 0 || arrival_rate_compare(rate, rate_max) > 0)
        problem(reader, text->within.node, "more than 10,000,000 arrivals a day");
    else if (workload->factors != NULL)
        check_within(reader, text, workload);
}

/* The factor of each hour of the week: the hour's times the weekday's. */
static void read_factors(const Reader *reader, const WorkloadText *text, Workload *workload)
{
    Status status = {0};
    int64_t *factors = ARENA_ARRAY(reader->context->arena, int64_t, HOURS_A_WEEK);
    int64_t hour_ppm[HOURS_A_WEEK], weekday_ppm[DAYS_A_WEEK];
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        hour_ppm[hour] = PPM;
    for (int32_t day = 0; day < DAYS_A_WEEK; day++)
        weekday_ppm[day] = PPM;
    if ((text->hours != NULL && !hour_factors_read(text->hours, hour_ppm, &status)) ||
        (text->weekdays != NULL && !weekday_factors_read(text->weekdays, weekday_ppm, &status))) {
        problems_add_status(reader->context->problems, &status);
        return;
    }
    _Static_assert(FACTOR_ONE == PPM * PPM, "a product of two factors in ppm");
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        factors[hour] = hour_ppm[hour] * weekday_ppm[hour / HOURS_A_DAY];
    if (week_factors_most(factors) == 0)
        problem(reader, text->weekdays != NULL ? text->weekdays : text->hours,
                "all hours of the week have the factor 0: no job would ever arrive");
    else
        workload->factors = factors;
}

/* Checks a member of one kind of arrivals: it is required there, and not allowed elsewhere. */
static void check_member(const Reader *reader, const WorkloadText *text, ArrivalKind kind,
                         const char *key, const Json *node)
{
    static const char *const words[] = {
#define X(name, word) word,
        ARRIVALS(X)
#undef X
    };
    bool is_needed = text->arrivals.value == (int64_t)kind;
    if (text->arrivals.is_refused || is_needed == (node != NULL))
        return;
    if (!is_needed) {
        problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(node),
                     "\"%s\" is for arrivals \"%s\" only", key, words[kind]);
        return;
    }
    Status *missing =
        problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "arrivals \"%s\" need \"%s\", which is missing", words[kind], key);
    if (kind == ARRIVALS_DIURNAL)
        status_hint(missing, "or \"weekdays\", or both");
}

static void read_arrivals(const Reader *reader, const WorkloadText *text, Workload *workload)
{
    workload->arrivals = (ArrivalKind)text->arrivals.value;
    check_member(reader, text, ARRIVALS_BURSTS, "burst", text->burst.node);
    if (text->hours != NULL || text->weekdays == NULL)
        check_member(reader, text, ARRIVALS_DIURNAL, "hours", text->hours);
    if (text->weekdays != NULL)
        check_member(reader, text, ARRIVALS_DIURNAL, "weekdays", text->weekdays);
    if (text->hours != NULL || text->weekdays != NULL)
        read_factors(reader, text, workload);
    const bool says_how_many = check_how_many(reader, text);
    if (says_how_many && text->rate.node != NULL)
        read_rate(reader, text->rate, workload);
    else if (says_how_many)
        read_count(reader, text, workload);
    workload->burst_jobs = (int32_t)text->burst.value;
    workload->begin_ns = text->begin.value;
    workload->end_ns = text->end.node != NULL ? text->end.value : INT64_MAX;
    workload->jobs_max = text->jobs.node != NULL ? text->jobs.value : INT64_MAX;
    if (text->end.node != NULL && text->end.value <= text->begin.value && !text->end.is_refused &&
        !text->begin.is_refused)
        problem(reader, text->end.node, "the workload ends before it begins");
    bool ends =
        text->jobs.node != NULL || text->end.node != NULL || reader->text->until.node != NULL;
    if (!ends && text->count.node != NULL)
        workload->end_ns = wide_capped((Wide)workload->begin_ns + workload->within_ns);
    else if (!ends)
        status_hint(problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "the jobs of this workload never stop arriving"),
                    "add \"jobs\" or \"end\" to it, or \"until\" to the scenario");
}

/* --- What --- */

static const ClusterConfig *read_cluster(const Reader *reader, const WorkloadText *text,
                                         const JobText *job, Workload *workload)
{
    ResourcePath path = workload->path;
    const bool is_own = text->cluster != NULL;
    path.experiment = NULL;
    path.name = is_own ? text->cluster->text : job_config_cluster(job);
    if (is_own && text->cluster->kind != JSON_STRING) {
        problem(reader, text->cluster,
                "only a workload with a \"trace\" has jobs of several clusters");
        path.name = NULL;
    }
    workload->cluster = path;
    bool is_known = path.name != NULL && path.group != NULL && path.workspace != NULL;
    if (is_known)
        return cluster_known(reader->binder, path, json_at(is_own ? text->cluster : text->node));
    if (!is_own && job->node != NULL && job->cluster == NULL)
        status_hint(problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "workload \"%s\" has no cluster to run on", workload->name),
                    "add \"cluster\" to the workload");
    return cluster_config_unread(reader->context->arena, "(unknown)");
}

/* The number that a key of "nodes" or "gpus" states; 0 if it is not a number. */
static int64_t number_of_key(const char *key)
{
    size_t digits = strspn(key, "0123456789");
    int64_t number = 0;
    if (digits == 0 || digits > 9 || key[0] == '0' || key[digits] != '\0')
        return 0;
    for (size_t i = 0; i < digits; i++)
        number = 10 * number + (key[i] - '0');
    return number;
}

/* Reads the share of the jobs with so many `what`, nodes or GPUs; returns the number. */
static BoundInteger read_share(Reader *reader, const Json *member, const char *what,
                               int64_t *probability_ppm)
{
    Problems *problems = reader->context->problems;
    Status status = {0};
    int64_t number = number_of_key(member->key);
    Json *node = json_integer(reader->context->arena, number);
    node->at = member->key_at;
    if (number == 0)
        problems_add(problems, STATUS_BAD_INPUT, member->key_at, "\"%s\" is not a number of %s",
                     member->key, what);
    if (member->kind != JSON_STRING)
        problems_add(problems, STATUS_BAD_INPUT, json_at(member),
                     "the share of jobs with %s %s is not a text such as \"70%%\"", member->key,
                     what);
    else if (!ratio_parse(member->text, json_at(member), probability_ppm, &status))
        problems_add_status(problems, &status);
    return (BoundInteger){.node = node, .value = number, .is_refused = number == 0};
}

/* Appends a shape for each member of `shares`, the "nodes" or "gpus" of a workload. */
static int32_t add_shares(Reader *reader, const WorkloadText *text, const JobText *job,
                          const Json *shares)
{
    WorkloadShape *shapes = reader->shapes + reader->out.shape_count;
    const bool is_of_gpus = shares == text->gpus;
    int32_t problems_before = reader->context->problems->count;
    int64_t sum_ppm = 0;
    int32_t count = 0;
    for (const Json *member = shares->first; member != NULL; member = member->next) {
        WorkloadShape *shape = &shapes[count++];
        *shape = (WorkloadShape){.workload = text, .nodes = job->nodes};
        *(is_of_gpus ? &shape->gpus : &shape->nodes) =
            read_share(reader, member, is_of_gpus ? "GPUs" : "nodes", &shape->probability_ppm);
        sum_ppm += shape->probability_ppm;
    }
    if (sum_ppm != PPM && reader->context->problems->count == problems_before)
        problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(shares),
                     "the shares of \"%s\" add up to %" PRId64 ".%04" PRId64 " %%, expected 100 %%",
                     is_of_gpus ? "gpus" : "nodes", sum_ppm / 10000, sum_ppm % 10000);
    return count;
}

/* The "gpus" of a workload as a number; node NULL: there is none, or it is not a number. */
static BoundInteger one_number(const Reader *reader, const Json *gpus)
{
    enum { GPUS_MAX = 1000000 };
    BoundInteger number = {.node = gpus};
    if (gpus == NULL || gpus->kind == JSON_OBJECT)
        return (BoundInteger){0};
    number.is_refused = gpus->kind != JSON_NUMBER || !json_scaled(gpus, 0, &number.value) ||
                        number.value < 0 || number.value > GPUS_MAX;
    if (number.is_refused)
        problem(reader, gpus,
                "gpus is not a number of GPUs or an object such as {\"1\": \"75%\", \"4\": "
                "\"25%\"}");
    return number;
}

/* Appends the shapes of a workload; returns how many. */
static int32_t add_shapes(Reader *reader, const WorkloadText *text, const JobText *job)
{
    int32_t count = 1;
    if (text->gpus != NULL && text->nodes != NULL)
        problem(reader, text->nodes, "a workload has \"nodes\" or \"gpus\", not both");
    if (text->gpus != NULL && text->gpus->kind == JSON_OBJECT) {
        count = add_shares(reader, text, job, text->gpus);
    } else if (text->nodes != NULL && text->nodes->kind == JSON_OBJECT) {
        count = add_shares(reader, text, job, text->nodes);
    } else {
        if (text->nodes != NULL)
            problem(reader, text->nodes,
                    "nodes is not an object such as {\"1\": \"70%\", \"4\": \"30%\"}");
        reader->shapes[reader->out.shape_count] =
            (WorkloadShape){.workload = text,
                            .nodes = job->nodes,
                            .gpus = one_number(reader, text->gpus),
                            .probability_ppm = PPM};
    }
    reader->out.shape_count += count;
    return count;
}

/* The job of one shape: the config with another request. */
static const JobConfig *read_shape(const Reader *reader, const WorkloadText *text,
                                   const JobText *job, const WorkloadShape *shape,
                                   ResourcePath path, const ClusterConfig *cluster)
{
    JobText *own = ARENA_NEW(reader->context->arena, JobText);
    *own = *job;
    own->nodes = shape->nodes;
    own->gpus = shape->gpus;
    own->gpus_per_node = text->gpus_per_node;
    own->cpus = text->cpus;
    own->memory = text->memory;
    own->queue = text->queue;
    own->node_kind = text->node_kind;
    own->speeds = text->speeds;
    JobConfig *read = job_config_read(reader->context, own, path, cluster, EXECUTION_EMULATED);
    if (text->expected.node != NULL)
        read->spec.expected_ns = text->expected.value;
    maintenance_warn_of_job(reader->context, cluster, &read->spec, text->node);
    return read;
}

static void read_shapes(Reader *reader, const WorkloadText *text, Workload *workload)
{
    Arena *arena = reader->context->arena;
    bool is_read = text->config != NULL && text->config->kind != JSON_STRING;
    if (!is_read)
        return; // a file that could not be read
    const JobText *job = job_bind(arena, text->config, reader->context->problems);
    const ClusterConfig *cluster = read_cluster(reader, text, job, workload);
    WorkloadShape *shapes = reader->shapes + reader->out.shape_count;
    ResourcePath path = workload->path;
    path.name = workload->name;
    workload->spec_count = add_shapes(reader, text, job);
    const JobSpec **specs = ARENA_ARRAY(arena, const JobSpec *, workload->spec_count);
    int64_t *probability_ppm = ARENA_ARRAY(arena, int64_t, workload->spec_count);
    for (int32_t i = 0; i < workload->spec_count; i++) {
        shapes[i].job = read_shape(reader, text, job, &shapes[i], path, cluster);
        specs[i] = &shapes[i].job->spec;
        probability_ppm[i] = shapes[i].probability_ppm;
    }
    workload->specs = specs;
    workload->probability_ppm = probability_ppm;
}

/* --- All of them --- */

/* Refuses members that need a "trace". */
static void refuse_trace_members(Reader *reader, const WorkloadText *text)
{
    const struct {
        const char *key;
        const Json *node;
    } members[] = {{"stop_at_requested", text->stop_at_requested.node},
                   {"resample", text->resample.node},
                   {"load", text->load},
                   {"cores_and_memory", text->cores_and_memory.node},
                   {"gpu_type", text->gpu_type.node}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (members[i].node != NULL)
            problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(members[i].node),
                         "\"%s\" is for a workload with a \"trace\"", members[i].key);
    if (text->checkpoint != NULL)
        status_hint(problem(reader, text->checkpoint->node,
                            "\"checkpoint\" is for a workload with a \"trace\""),
                    "jobs with a \"config\" have the \"checkpoint\" of their program");
}

static void read_workload(Reader *reader, const WorkloadText *text, Workload *workload)
{
    if (text->node == NULL)
        return; // not an object, which has been reported
    workload->path = workload_path(reader->text, text);
    workload->name = text->name.is_refused ? "(unnamed)" : text->name.value;
    if (!text->name.is_refused) {
        check_name(reader, text);
        check_commands(reader, text);
    }
    if (text->trace.node != NULL) {
        trace_read(reader->binder, text, workload);
        return;
    }
    if (text->config == NULL)
        status_hint(problem(reader, text->node, "\"config\" is missing"),
                    "a workload needs it, unless it has a \"trace\"");
    refuse_trace_members(reader, text);
    read_arrivals(reader, text, workload);
    read_shapes(reader, text, workload);
}

static int32_t members_of(const Json *shares)
{
    return shares != NULL && shares->kind == JSON_OBJECT ? shares->count : 0;
}

ScenarioWorkloads workloads_read(const CommandBinder *binder)
{
    const ConfigContext *context = binder->context;
    const ScenarioText *text = binder->text;
    Reader reader = {.binder = binder, .context = context, .text = text};
    Workload *items = ARENA_ARRAY(context->arena, Workload, text->workloads.count);
    int32_t shapes = 0;
    for (int32_t i = 0; i < text->workloads.count; i++) {
        const WorkloadText *workload = text->workloads.items[i];
        shapes += 1 + members_of(workload->nodes) + members_of(workload->gpus);
    }
    reader.shapes = ARENA_ARRAY(context->arena, WorkloadShape, shapes);
    for (int32_t i = 0; i < text->workloads.count; i++)
        read_workload(&reader, text->workloads.items[i], &items[i]);
    reader.out.count = text->workloads.count;
    reader.out.items = items;
    reader.out.shapes = reader.shapes;
    return reader.out;
}
