#include "sim/study/check/expectations.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/output/explain/run_excerpt.h"
#include "sim/output/share/job_files.h"
#include "sim/output/trace/fan.h"
#include "sim/schema/glob.h"
#include "sim/study/statistics/sample.h"

/* --- Metrics --- */

static const Metric *metric_wanted(Arena *arena, MetricNames *names, const Expectation *wanted,
                                   Problems *problems)
{
    const Metric *metric =
        wanted->equals != NULL
            ? metric_compile_any(arena, names, wanted->subject, wanted->metric_at, problems)
            : metric_compile(arena, names, wanted->subject, wanted->metric_at, problems);
    if (metric == NULL)
        return NULL;
    const char *unit = metric_unit(metric);
    if (wanted->has_share && (unit == NULL || strcmp(unit, "1") != 0))
        problems_add(problems, STATUS_BAD_INPUT, wanted->metric_at,
                     "metric \"%s\" is not a ratio, but a bound is a percentage", wanted->subject);
    return metric;
}

const Metric *const *expectations_metrics(Arena *arena, const ScenarioFile *file,
                                          Problems *problems)
{
    const Metric **metrics = ARENA_ARRAY(arena, const Metric *, file->expectation_count);
    MetricNames *names = metric_names_create(arena, &file->scenario);
    for (int32_t i = 0; i < file->expectation_count; i++) {
        const Expectation *wanted = &file->expectations[i];
        if (wanted->kind == EXPECT_METRIC || wanted->kind == EXPECT_STATISTIC)
            metrics[i] = metric_wanted(arena, names, wanted, problems);
    }
    return metrics;
}

double expectations_sample_value(const Expectation *expectation, const Metric *metric,
                                 const Summary *summary)
{
    const MetricValue value = metric_of(metric, summary);
    const bool may_grow = value.is_lower_bound && expectation->high < INFINITY;
    return !value.is_known ? NAN : may_grow ? INFINITY : value.value;
}

/* --- Watching --- */

static const Comparator opposite[] = {
    [COMPARE_LESS] = COMPARE_AT_LEAST,   [COMPARE_AT_MOST] = COMPARE_MORE,
    [COMPARE_EQUAL] = COMPARE_NOT_EQUAL, [COMPARE_NOT_EQUAL] = COMPARE_EQUAL,
    [COMPARE_AT_LEAST] = COMPARE_LESS,   [COMPARE_MORE] = COMPARE_AT_MOST,
};
_Static_assert(sizeof opposite / sizeof opposite[0] == COMPARATOR_COUNT,
               "one opposite for each comparator");

static int32_t watch_condition(RunWatch *watch, const Expectation *expectation)
{
    Condition condition = expectation->condition;
    if (expectation->kind == EXPECT_ALWAYS)
        condition.comparator = opposite[condition.comparator];
    return run_watch_condition(watch, &condition);
}

static const int32_t *watch_moments(Arena *run, RunWatch *watch, const Expectation *expectation)
{
    int32_t *numbers = ARENA_ARRAY(run, int32_t, expectation->moment_count);
    for (int32_t i = 0; i < expectation->moment_count; i++)
        numbers[i] = run_watch_moment(watch, &expectation->moments[i]);
    return numbers;
}

WatchedExpectations expectations_watch(Arena *run, const ScenarioFile *file)
{
    WatchedExpectations watched = {.watch = run_watch_create(run),
                                   .conditions = ARENA_ARRAY(run, int32_t, file->expectation_count),
                                   .moments =
                                       ARENA_ARRAY(run, const int32_t *, file->expectation_count)};
    for (int32_t i = 0; i < file->expectation_count; i++) {
        const Expectation *expectation = &file->expectations[i];
        if (expectation->kind >= EXPECT_ALWAYS && expectation->kind <= EXPECT_EVENTUALLY)
            watched.conditions[i] = watch_condition(watched.watch, expectation);
        if (expectation->moment_count > 0)
            watched.moments[i] = watch_moments(run, watched.watch, expectation);
    }
    return watched;
}

/* --- Files: written ones, and the logs of jobs, which the world does not store --- */

static int64_t count_written(Arena *arena, const RunMetrics *metrics, const char *pattern)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < metrics->file_count; i++) {
        const FileMetrics *file = &metrics->files[i];
        count += !file->is_gone &&
                 glob_matches(pattern,
                              arena_printf(arena, "%s/%s", metrics->shares[file->share.index].name,
                                           file->path));
    }
    return count;
}

static int64_t count_logs(Arena *arena, const World *world, const char *pattern)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < world_job_count(world); i++) {
        const Job *job = world_job(world, (JobId){i});
        const char *share = job->spec->std_out_err.share;
        if (share == NULL)
            continue;
        int32_t file_count;
        const FileEntry *files =
            job_files_list(world, job, world_now_ns(world), arena, &file_count);
        for (int32_t f = 0; f < file_count; f++)
            count += glob_matches(pattern, arena_printf(arena, "%s/%s/%s", share,
                                                        job_files_directory(world, job, arena),
                                                        files[f].name));
    }
    return count;
}

/* --- States, exit codes, errors --- */

/* The parts of an EXPECT_STATE, joined by commas: "failed, exit code 3, error JobFailed". */
typedef struct {
    Arena *arena;
    bool holds;
    const char *expected;
    const char *got;
} Parts;

static void add_part(Parts *parts, const char *label, ExpectAnswer answer)
{
    const char *comma = parts->expected[0] != '\0' ? ", " : "";
    parts->holds &= answer.holds;
    parts->expected =
        arena_printf(parts->arena, "%s%s%s%s", parts->expected, comma, label, answer.expected);
    parts->got = arena_printf(parts->arena, "%s%s%s%s", parts->got, comma, label, answer.got);
}

static const char *error_code(Arena *arena, const char *error)
{
    return arena_strndup(arena, error, strcspn(error, ":"));
}

/* Holds if any error recorded for the cluster or its nodes has the expected code. */
static ExpectAnswer cluster_error(Arena *arena, const RunWatch *watch, const Expectation *wanted)
{
    ExpectAnswer answer = {.expected = wanted->error, .got = "none"};
    const char *error;
    for (int32_t n = 0; (error = run_watch_error(watch, false, wanted->name, n)) != NULL; n++) {
        const char *code = error_code(arena, error);
        answer.holds |= strcmp(code, wanted->error) == 0;
        if (n == 0)
            answer.got = code;
        else if (strstr(answer.got, code) == NULL)
            answer.got = arena_printf(arena, "%s and %s", answer.got, code);
    }
    return answer;
}

/* "jobs.train.state"; NULL when no summary has it: the run's problem, which its answer shows. */
static const Metric *metric_named(Arena *arena, MetricNames *names, const char *name)
{
    Problems ignored = problems_create(arena);
    return metric_compile_any(arena, names, name, place_in("", 0, 0), &ignored);
}

static const Metric *metric_of_job(Arena *arena, MetricNames *names, const Expectation *wanted,
                                   const char *member)
{
    return metric_named(arena, names, arena_printf(arena, "jobs.%s.%s", wanted->name, member));
}

static ExpectAnswer state_answer(Arena *arena, const WatchedRun *run, MetricNames *names,
                                 const Expectation *wanted)
{
    const Summary *summary = run->summary;
    Parts parts = {.arena = arena, .holds = true, .expected = "", .got = ""};
    if (wanted->equals != NULL)
        add_part(&parts, "",
                 expect_equals(arena, metric_named(arena, names, wanted->subject), summary,
                               wanted->equals));
    if (wanted->exit_code >= 0)
        add_part(&parts, "exit code ",
                 expect_between(arena, metric_of_job(arena, names, wanted, "exit_code"), summary,
                                (double)wanted->exit_code, (double)wanted->exit_code));
    if (wanted->error != NULL && wanted->is_job)
        add_part(&parts, "error ",
                 expect_equals(arena, metric_of_job(arena, names, wanted, "error.code"), summary,
                               wanted->error));
    if (wanted->error != NULL && !wanted->is_job)
        add_part(&parts, "error ", cluster_error(arena, run->watched.watch, wanted));
    return (ExpectAnswer){.holds = parts.holds, .expected = parts.expected, .got = parts.got};
}

/* --- Answers --- */

static ExpectAnswer eventual_answer(Arena *arena, const WatchedRun *run, int32_t index)
{
    const Expectation *wanted = &run->file->expectations[index];
    EventualWish wish = {.condition = &wanted->condition,
                         .number = run->watched.conditions[index],
                         .moment = -1,
                         .within_ns = INT64_MAX};
    if (wanted->kind == EXPECT_EVENTUALLY)
        wish.within_ns = wanted->within_ns;
    if (wanted->moment_count > 0) {
        wish.moment = run->watched.moments[index][0];
        wish.moment_text = wanted->moment_texts[0];
    }
    return expect_eventually(arena, run->watched.watch, &wish);
}

static ExpectAnswer order_answer(Arena *arena, const WatchedRun *run, int32_t index)
{
    const Expectation *wanted = &run->file->expectations[index];
    const OrderWish wish = {.count = wanted->moment_count,
                            .moments = run->watched.moments[index],
                            .texts = wanted->moment_texts,
                            .last_may_be_absent = wanted->last_may_be_absent};
    return expect_order(arena, run->watched.watch, &wish);
}

static ExpectAnswer files_answer(Arena *arena, const WatchedRun *run, const Expectation *wanted)
{
    const int64_t count = count_written(arena, run->metrics, wanted->subject) +
                          count_logs(arena, run->world, wanted->subject);
    return expect_count(arena, count, wanted->low, wanted->high);
}

static ExpectAnswer answer_of(Arena *arena, const WatchedRun *run, MetricNames *names,
                              int32_t index)
{
    const Expectation *wanted = &run->file->expectations[index];
    const RunWatch *watch = run->watched.watch;
    switch (wanted->kind) {
    case EXPECT_STATE:
        return state_answer(arena, run, names, wanted);
    case EXPECT_METRIC:
        if (wanted->equals != NULL)
            return expect_equals(arena, run->expected[index], run->summary, wanted->equals);
        return expect_between(arena, run->expected[index], run->summary, wanted->low, wanted->high);
    case EXPECT_FILES:
        return files_answer(arena, run, wanted);
    case EXPECT_ALWAYS:
        return expect_always(arena, watch, &wanted->condition, run->watched.conditions[index]);
    case EXPECT_NEVER:
        return expect_never(arena, watch, &wanted->condition, run->watched.conditions[index]);
    case EXPECT_SOMETIMES:
    case EXPECT_EVENTUALLY:
        return eventual_answer(arena, run, index);
    case EXPECT_ORDER:
        return order_answer(arena, run, index);
    case EXPECT_STATISTIC:
        break;
    }
    return (ExpectAnswer){.expected = "several runs", .got = "one"};
}

const ExpectAnswer *expectations_answers(Arena *arena, const WatchedRun *run)
{
    const int32_t count = run->file->expectation_count;
    ExpectAnswer *answers = ARENA_ARRAY(arena, ExpectAnswer, count);
    MetricNames *names = metric_names_create(arena, &run->file->scenario);
    for (int32_t i = 0; i < count; i++)
        answers[i] = answer_of(arena, run, names, i);
    return answers;
}

void expectations_summarise(Arena *arena, const ScenarioFile *file, const ExpectAnswer *answers,
                            Summary *summary)
{
    const int32_t count = file->expectation_count;
    summary->expectations = ARENA_ARRAY(arena, SummaryExpectation, count);
    summary->expectation_count = (uint32_t)count;
    for (int32_t i = 0; i < count; i++) {
        SummaryExpectation *stated = &summary->expectations[i];
        *stated =
            (SummaryExpectation){.text = file->expectations[i].text, .result = EXPECTATION_MET};
        if (file->expectations[i].kind == EXPECT_STATISTIC) {
            stated->result = EXPECTATION_NOT_JUDGED;
        } else if (!answers[i].holds) {
            stated->result = EXPECTATION_MISSED;
            stated->expected = answers[i].expected;
            stated->got = answers[i].got;
        }
    }
}

/* --- Records --- */

/* NAME in "jobs.NAME.run_s", for the prefix "jobs."; NULL if the metric has another prefix. */
static const char *name_in_metric(Arena *arena, const char *metric, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(metric, prefix, length) != 0)
        return NULL;
    return arena_strndup(arena, metric + length, strcspn(metric + length, "."));
}

static ExcerptFocus focus_of(Arena *arena, const Expectation *wanted, const ExpectAnswer *answer)
{
    ExcerptFocus focus = {.at_ns = answer->has_instant ? answer->at_ns : INT64_MAX};
    const char *subject = wanted->condition.subject;
    switch (wanted->kind) {
    case EXPECT_STATE:
        *(wanted->is_job ? &focus.job : &focus.cluster) = wanted->name;
        break;
    case EXPECT_METRIC:
    case EXPECT_STATISTIC:
        focus.job = name_in_metric(arena, wanted->subject, "jobs.");
        focus.cluster = name_in_metric(arena, wanted->subject, "clusters.");
        break;
    case EXPECT_ALWAYS:
    case EXPECT_NEVER:
    case EXPECT_SOMETIMES:
    case EXPECT_EVENTUALLY:
        if (wanted->condition.quantity == QUANTITY_SHARE_TRANSFERS)
            focus.share = subject;
        else if (wanted->condition.quantity >= QUANTITY_JOB_IS_QUEUED)
            focus.job = subject;
        else
            focus.cluster = subject;
        break;
    case EXPECT_FILES:
    case EXPECT_ORDER:
        break;
    }
    return focus;
}

const char *const *expectations_records(Arena *arena, const ScenarioFile *file, int32_t index,
                                        const ExpectAnswer *answer, int32_t *count)
{
    Arena *run = arena_create();
    TraceFan *fan = trace_fan_create(run);
    RunExcerpt *excerpt =
        run_excerpt_create(run, focus_of(run, &file->expectations[index], answer));
    trace_fan_join(fan, run_excerpt_listener(excerpt));
    World *world = world_create(run, &file->scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
    const char *const *lines = run_excerpt_lines(excerpt, arena, count);
    arena_destroy(run);
    return lines;
}

/* --- Statistics --- */

/* The number of runs whose value is not known; `*first` is the first such run. */
static int32_t count_missing(const MetricSample *sample, int32_t *first)
{
    int32_t missing = 0;
    for (int32_t i = sample->count - 1; i >= 0; i--)
        if (!isfinite(sample->values[i])) {
            *first = i;
            missing++;
        }
    return missing;
}

static const char *missing_words(Arena *arena, const MetricSample *sample, int32_t missing,
                                 int32_t first)
{
    const char *runs =
        arena_printf(arena, "%" PRId32 " of %" PRId32 " runs, first with seed %" PRIu64, missing,
                     sample->count, sample->first_seed + (uint64_t)first);
    return isnan(sample->values[first])
               ? arena_printf(arena, "the metric is not known in %s", runs)
               : arena_printf(arena, "jobs still waited at the end of %s; %s", runs,
                              expect_later_end);
}

/* The confidence bound of the statistic on one side; NAN if there are too few values. `sorted` is
 * in ascending order. */
static double bound_of(const Expectation *wanted, const double *sorted, int32_t count,
                       BoundSide side)
{
    if (wanted->quantile <= 0)
        return count >= 2 ? statistics_mean_bound(sorted, count, wanted->confidence, side) : NAN;
    int32_t rank = statistics_quantile_rank(count, wanted->quantile, wanted->confidence, side);
    return rank > 0 ? sorted[rank - 1] : NAN;
}

/* Compares one bound with its limit, and adds the bound to the text `*got`. */
static bool side_holds(Arena *arena, const Expectation *wanted, const double *sorted, int32_t count,
                       BoundSide side, const char **got)
{
    double limit = side == BOUND_UPPER ? wanted->high : wanted->low;
    if (isinf(limit))
        return true;
    double bound = bound_of(wanted, sorted, count, side);
    const char *comparison = side == BOUND_UPPER ? "at most" : "at least";
    if (isnan(bound))
        *got = arena_printf(arena, "%s, and %" PRId32 " runs are too few for a bound", *got, count);
    else
        *got = arena_printf(arena, "%s, %s %.6g at %.6g %% confidence", *got, comparison, bound,
                            100 * wanted->confidence);
    return side == BOUND_UPPER ? bound <= limit : bound >= limit;
}

ExpectAnswer expectations_statistic(Arena *arena, const Expectation *wanted,
                                    const MetricSample *sample)
{
    int32_t first = 0;
    const char *name =
        wanted->quantile > 0 ? arena_printf(arena, "p%.6g", 100 * wanted->quantile) : "mean";
    ExpectAnswer answer = {.expected =
                               arena_printf(arena, "%s %s", name,
                                            expect_range_words(arena, wanted->low, wanted->high))};
    const int32_t missing = count_missing(sample, &first);
    if (missing > 0) {
        answer.got = missing_words(arena, sample, missing, first);
        return answer;
    }
    double *sorted = ARENA_ARRAY(arena, double, sample->count);
    memcpy(sorted, sample->values, (size_t)sample->count * sizeof *sorted);
    statistics_sort(sorted, sample->count);
    double estimate = wanted->quantile > 0
                          ? statistics_quantile(sorted, sample->count, wanted->quantile)
                          : statistics_mean(sorted, sample->count);
    answer.got =
        arena_printf(arena, "%s %.6g over %" PRId32 " runs", name, estimate, sample->count);
    answer.holds = side_holds(arena, wanted, sorted, sample->count, BOUND_LOWER, &answer.got);
    answer.holds &= side_holds(arena, wanted, sorted, sample->count, BOUND_UPPER, &answer.got);
    return answer;
}
