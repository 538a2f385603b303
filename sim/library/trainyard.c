#include "sim/library/trainyard.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/cloud/policy/outside.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/summary/metric.h"
#include "sim/output/trace/fan.h"
#include "sim/output/trace/fingerprint.h"
#include "sim/output/trace/tsv.h"
#include "sim/scenario/read.h"
#include "sim/study/check/determinism.h"
#include "sim/study/check/scenario_check.h"
#include "sim/study/check/study_check.h"
#include "sim/study/study_options.h"
#include "sim/study/sweep.h"

struct trainyard_result {
    Arena *arena;
    int code;
    Problems problems; /* or warnings */
    const ScenarioFile *file;
    Summary *summary; /* of a run */
    TestCase *cases;  /* of a check */
    uint32_t case_count, case_capacity;
    const char *texts[TRAINYARD_POINTS_CSV + 1];
};

int trainyard_abi(void)
{
    return TRAINYARD_ABI;
}

const char *trainyard_version(void)
{
    return TRAINYARD_VERSION;
}

/* --- The request --- */

static const char *const *texts_kept(Arena *arena, const char *const *texts, size_t count)
{
    const char **kept = ARENA_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        kept[i] = arena_strdup(arena, texts[i]);
    return kept;
}

/* The members that the caller knows; the others are 0. The result refers to texts of the request
 * and outlives them, so it gets copies. The scenario's own text is copied when it is read. */
static trainyard_request request_kept(Arena *arena, const trainyard_request *request)
{
    trainyard_request kept = {0};
    memcpy(&kept, request, request->size < sizeof kept ? request->size : sizeof kept);
    kept.path = arena_strdup(arena, kept.path ? kept.path : "scenario.json");
    kept.params = texts_kept(arena, kept.params, kept.param_count);
    kept.settings = texts_kept(arena, kept.settings, kept.setting_count);
    kept.vary = texts_kept(arena, kept.vary, kept.vary_count);
    kept.metrics = texts_kept(arena, kept.metrics, kept.metric_count);
    return kept;
}

/* Whether this library knows all members that the caller has set. */
static bool knows_members(const trainyard_request *request)
{
    const char *bytes = (const char *)request;
    for (size_t i = sizeof *request; i < request->size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Refuses what no request can have; `asked` may be NULL. */
static bool is_request(const trainyard_request *asked, Problems *problems)
{
    const Place at = place_in("trainyard_request", 0, 0);
    const int32_t before = problems->count;
    if (asked == NULL || asked->size < offsetof(trainyard_request, text))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at, "its size is not set"),
                    "request.size = sizeof request says which members the caller knows");
    else if (!knows_members(asked))
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                                 "it has members that this library does not know"),
                    "the program was compiled for a later trainyard than " TRAINYARD_VERSION);
    else if (asked->size >= offsetof(trainyard_request, threads) && asked->seeds < 0)
        problems_add(problems, STATUS_BAD_INPUT, at, "seeds is %" PRId64 ", expected at least 0",
                     asked->seeds);
    return problems->count == before;
}

static FileSource files_of(Arena *arena, const trainyard_request *request)
{
    KnownFile *known = ARENA_NEW(arena, KnownFile);
    *known = (KnownFile){request->path, request->text, request->text_length};
    return request->text ? disk_files_with(known) : disk_files;
}

static trainyard_result *begin(void)
{
    Arena *arena = arena_create();
    trainyard_result *result = ARENA_NEW(arena, trainyard_result);
    result->arena = arena;
    result->problems = problems_create(arena);
    for (size_t i = 0; i < sizeof result->texts / sizeof *result->texts; i++)
        result->texts[i] = "";
    return result;
}

static int code_of(StatusCode code)
{
    return code == STATUS_OK        ? TRAINYARD_OK
           : code == STATUS_MACHINE ? TRAINYARD_MACHINE
                                    : TRAINYARD_BAD_INPUT;
}

static trainyard_result *fail(trainyard_result *result)
{
    result->code =
        result->problems.count > 0 ? code_of(result->problems.items[0].code) : TRAINYARD_MACHINE;
    return result;
}

/* --- A run --- */

typedef struct {
    const trainyard_request *request;
    Text line;
} Tracer;

static void trace_row(void *listener, const TraceRow *row)
{
    Tracer *tracer = listener;
    text_clear(&tracer->line);
    trace_tsv_print_row(&tracer->line, row);
    if (tracer->line.length > 0)
        tracer->line.data[tracer->line.length - 1] = '\0'; // the end of the line
    const trainyard_record record = {.at_ns = row->record.at_ns,
                                     .record = trace_kind_name(row->record.kind),
                                     .cluster = row->cluster,
                                     .node = row->node,
                                     .job = row->job,
                                     .share = row->share,
                                     .name = row->record.name,
                                     .line = text_string(&tracer->line)};
    tracer->request->trace(tracer->request->owner, &record);
}

static TraceLevel level_of(const trainyard_request *request)
{
    return request->trace_level <= 0   ? TRACE_LEVEL_JOBS
           : request->trace_level == 1 ? TRACE_LEVEL_EPOCHS
                                       : TRACE_LEVEL_STEPS;
}

/* `watch` also listens; it may be NULL. */
static Summary *run_world(Arena *arena, const Scenario *scenario, const trainyard_request *request,
                          RowWatch *watch)
{
    TraceFan *fan = trace_fan_create(arena);
    MetricsFold *metrics = metrics_fold_create(arena);
    metrics_fold_measure(metrics, scenario);
    WaitingFold *waiting = waiting_fold_create(arena);
    Fingerprint fingerprint = fingerprint_start();
    trace_fan_join(fan, waiting_fold_listener(waiting));
    trace_fan_join(fan, metrics_fold_listener(metrics, TRACE_LEVEL_STEPS));
    trace_fan_join(fan, fingerprint_listener(&fingerprint, TRACE_LEVEL_STEPS));
    if (watch)
        trace_fan_join(fan, row_watch_listener(watch));
    Tracer tracer = {.request = request};
    if (request->trace)
        trace_fan_join(fan, (TraceListener){
                                .listener = &tracer, .level = level_of(request), .row = trace_row});
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    waiting_fold_watch(waiting, world);
    world_run(world);
    text_free(&tracer.line);
    RunFacts *facts = ARENA_NEW(arena, RunFacts);
    *facts = run_facts_of_world(arena, world, waiting, TRAINYARD_VERSION);
    Text hashes = {0};
    fingerprint_print(&hashes, &fingerprint);
    return summary_of_run(arena, facts, metrics_fold_result(metrics), text_move(arena, &hashes));
}

static ScenarioOverrides overrides_of(const trainyard_request *request)
{
    return (ScenarioOverrides){.count = (int32_t)request->setting_count,
                               .items = request->settings,
                               .param_count = (int32_t)request->param_count,
                               .params = request->params};
}

/* Makes the caller's function the policy of the scenario, if there is one; otherwise NULL. */
static PolicyOutside *give_policy(Arena *arena, const trainyard_request *request,
                                  Scenario *scenario)
{
    if (!request->policy)
        return NULL;
    PolicyOutside *outside = ARENA_NEW(arena, PolicyOutside);
    *outside = policy_outside_of(arena, request->policy);
    scenario->policy = POLICY_OUTSIDE;
    scenario->outside = outside;
    return outside;
}

/* Adds a problem if the policy has answered wrongly. NULL: there is no such policy. */
static bool policy_holds(const PolicyOutside *outside, Problems *problems)
{
    if (!outside || !outside->fault.is_set)
        return true;
    Text sentence = {0};
    policy_fault_print(&sentence, &outside->fault);
    problems_add(problems, STATUS_BAD_INPUT, place_in("policy", 0, 0), "%s",
                 text_string(&sentence));
    text_free(&sentence);
    return false;
}

/* A scenario, and how it is run once more: without a trace for the caller. */
typedef struct {
    const Scenario *scenario;
    trainyard_request request;
} Repeated;

static const Json *repeat(void *owner, Arena *arena, RowWatch *watch, Problems *problems)
{
    const Repeated *repeated = owner;
    (void)problems; // the scenario has been read
    return summary_json(arena, run_world(arena, repeated->scenario, &repeated->request, watch));
}

static bool is_deterministic(trainyard_result *result, const trainyard_request *request,
                             const RowWatch *first)
{
    Text explanation = {0};
    Repeated repeated = {&result->file->scenario, *request};
    repeated.request.trace = NULL;
    const bool holds = determinism_holds((RunAgain){&repeated, repeat}, first,
                                         summary_json(result->arena, result->summary), &explanation,
                                         &result->problems);
    if (!holds)
        problems_add(&result->problems, STATUS_BAD_INPUT, place_in(request->path, 0, 0), "%.*s",
                     (int)strcspn(text_string(&explanation), "\n"), text_string(&explanation));
    text_free(&explanation);
    return holds;
}

trainyard_result *trainyard_run(const trainyard_request *asked)
{
    trainyard_result *result = begin();
    if (!is_request(asked, &result->problems))
        return fail(result);
    trainyard_request request = request_kept(result->arena, asked);
    ScenarioFile *file = scenario_read(result->arena, files_of(result->arena, &request),
                                       request.path, overrides_of(&request), &result->problems);
    result->file = file;
    if (!file)
        return fail(result);
    const PolicyOutside *policy = give_policy(result->arena, &request, &file->scenario);
    RowWatch watch = row_watch_start(result->arena);
    Summary *summary = run_world(result->arena, &file->scenario, &request,
                                 request.check_determinism ? &watch : NULL);
    if (!policy_holds(policy, &result->problems))
        return fail(result);
    result->summary = summary;
    if (request.check_determinism && !is_deterministic(result, &request, &watch)) {
        result->summary = NULL;
        result->code = TRAINYARD_DIFFERS;
        return result;
    }
    problems_merge(&result->problems, &file->warnings);
    return result;
}

/* --- A study --- */

static void add_bytes(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static const char *table_text(Arena *arena, const StudyFindings *findings,
                              void (*table)(const StudyFindings *, ByteSink))
{
    Text text = {0};
    table(findings, (ByteSink){.to = &text, .write = add_bytes});
    return text_move(arena, &text);
}

/* Refuses what is for scenarios alone. */
static bool is_for_studies(const trainyard_request *request, Problems *problems)
{
    const Place at = place_in(request->path, 0, 0);
    const int32_t before = problems->count;
    if (request->param_count + request->setting_count > 0)
        status_hint(
            problems_add(problems, STATUS_BAD_INPUT, at, "a study has no params or settings"),
            "vary one level: \"NAME=VALUE\"");
    if (request->policy)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                                 "a study cannot have a policy from outside"),
                    "run the scenario with it, once for each seed");
    return problems->count == before;
}

trainyard_result *trainyard_study(const trainyard_request *asked)
{
    trainyard_result *result = begin();
    if (!is_request(asked, &result->problems))
        return fail(result);
    trainyard_request request = request_kept(result->arena, asked);
    const StudyOptions options = {.path = request.path,
                                  .vary_count = (int32_t)request.vary_count,
                                  .vary = request.vary,
                                  .metric_count = (int32_t)request.metric_count,
                                  .metrics = request.metrics,
                                  .seeds = request.seeds};
    const SweepOptions sweep = {.version = TRAINYARD_VERSION,
                                .thread_count =
                                    request.threads > 0 ? request.threads : processors_available(),
                                .time_limit_ns = INT64_MAX,
                                .shard = {0, 1},
                                .is_quiet = true,
                                .run = sweep_on_threads};
    Sweep done;
    if (!is_for_studies(&request, &result->problems))
        return fail(result);
    const Study *study = study_read_with(result->arena, files_of(result->arena, &request), "study",
                                         &options, &result->problems);
    if (!study || !sweep_run(result->arena, study, files_of(result->arena, &request), &sweep, &done,
                             &result->problems))
        return fail(result);
    result->code = done.end == RUNNER_FINISHED ? TRAINYARD_OK : TRAINYARD_ENDED;
    result->texts[TRAINYARD_RUNS_CSV] = table_text(result->arena, &done.findings, results_table);
    result->texts[TRAINYARD_POINTS_CSV] = table_text(result->arena, &done.findings, points_table);
    return result;
}

/* --- A check --- */

static void add_case(void *to, TestCase test)
{
    trainyard_result *result = to;
    result->cases = array_room(result->arena, result->cases, result->case_count + 1,
                               &result->case_capacity, sizeof *result->cases);
    result->cases[result->case_count++] = test;
}

typedef struct {
    trainyard_result *result;
    const trainyard_request *request;
    const PolicyOutside *policy;
} Checked;

static void prepare(void *owner, ScenarioFile *file, Problems *problems)
{
    Checked *checked = owner;
    (void)problems;
    checked->policy = give_policy(checked->result->arena, checked->request, &file->scenario);
}

static void check_scenario(trainyard_result *result, trainyard_request *request)
{
    Checked checked = {.result = result, .request = request};
    const ScenarioCheck check = {.overrides = overrides_of(request),
                                 .seeds = request->seeds,
                                 .is_quiet = true,
                                 .version = TRAINYARD_VERSION,
                                 .prepare = prepare,
                                 .owner = &checked};
    scenario_check(result->arena, result->arena, files_of(result->arena, request), request->path,
                   &check, (TestCaseSink){.to = result, .add = add_case}, &result->problems);
    (void)policy_holds(checked.policy, &result->problems);
}

static int check_study(trainyard_result *result, trainyard_request *request)
{
    const int32_t threads = request->threads > 0 ? request->threads : processors_available();
    if (!is_for_studies(request, &result->problems))
        return 0;
    return study_check(result->arena, files_of(result->arena, request), request->path, threads,
                       TRAINYARD_VERSION, (TestCaseSink){.to = result, .add = add_case},
                       &result->problems);
}

trainyard_result *trainyard_check(const trainyard_request *asked)
{
    trainyard_result *result = begin();
    if (!is_request(asked, &result->problems))
        return fail(result);
    trainyard_request request = request_kept(result->arena, asked);
    int signal = 0;
    if (tested_kind(files_of(result->arena, &request), request.path) == TESTED_SCENARIO)
        check_scenario(result, &request);
    else
        signal = check_study(result, &request);
    if (signal != 0)
        result->code = TRAINYARD_ENDED;
    return result->problems.count > 0 ? fail(result) : result;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

size_t trainyard_case_count(const trainyard_result *result)
{
    return result->case_count;
}

trainyard_case trainyard_case_at(const trainyard_result *result, size_t index)
{
    const TestCase *found = &result->cases[index];
    return (trainyard_case){.name = found->name,
                            .holds = found->holds,
                            .expected = text_or_empty(found->expected),
                            .got = text_or_empty(found->got),
                            .source = text_or_empty(found->at.source),
                            .line = found->at.line,
                            .column = found->at.column};
}

void trainyard_free(trainyard_result *result)
{
    if (result)
        arena_destroy(result->arena);
}

/* --- Results --- */

int trainyard_code(const trainyard_result *result)
{
    return result->code;
}

size_t trainyard_error_count(const trainyard_result *result)
{
    return (size_t)result->problems.kept;
}

static trainyard_error error_of(int code, const Status *status)
{
    return (trainyard_error){.code = code,
                             .source = status->at.source ? status->at.source : "",
                             .message = status->message,
                             .hint = status->hint,
                             .line = status->at.line,
                             .column = status->at.column};
}

trainyard_error trainyard_error_at(const trainyard_result *result, size_t index)
{
    static const Status none;
    return index < trainyard_error_count(result)
               ? error_of(result->code, &result->problems.items[index])
               : error_of(TRAINYARD_OK, &none);
}

trainyard_error trainyard_metric(trainyard_result *result, const char *name, double *value)
{
    Status *status = ARENA_NEW(result->arena, Status);
    const Place at = place_in("metric", 0, 0);
    *value = 0;
    if (!result->summary) {
        status_fail(status, STATUS_BAD_INPUT, at, "only a run that succeeded has metrics");
        return error_of(TRAINYARD_BAD_INPUT, status);
    }
    Problems problems = problems_create(result->arena);
    const Metric *metric =
        metric_compile(result->arena, metric_names_create(result->arena, &result->file->scenario),
                       arena_strdup(result->arena, name), at, &problems);
    if (!metric)
        return error_of(TRAINYARD_BAD_INPUT, &problems.items[0]);
    const MetricValue found = metric_of(metric, result->summary);
    if (!found.is_known) {
        status_fail(status, STATUS_NOT_FOUND, at, "%s is not known: it has not happened", name);
        return error_of(TRAINYARD_UNKNOWN, status);
    }
    *value = found.value;
    return error_of(TRAINYARD_OK, status);
}

const char *trainyard_text(trainyard_result *result, int which)
{
    if (which < 0 || which > TRAINYARD_POINTS_CSV)
        return "";
    if (which == TRAINYARD_SUMMARY_JSON && result->summary && result->texts[which][0] == '\0') {
        Text text = {0};
        json_print(&text, summary_json(result->arena, result->summary), JSON_INDENTED);
        result->texts[which] = text_move(result->arena, &text);
    }
    return result->texts[which];
}
