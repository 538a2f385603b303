#include "sim/output/explain/run_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/capped.h"
#include "sim/base/table.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/fingerprint.h"
#include "sim/output/trace/tsv.h"
#include "sim/schema/plain.h"

enum {
    CELL_BYTES_MAX = 40,
    DECIMALS = 9, // the smallest unit in a summary: seconds down to ns
};

/* --- Records --- */

/* The rest of a trace, line by line. */
typedef struct {
    const char *text;
    size_t left;
    TraceLevel level; /* lines of finer records are skipped */
    const char *line; /* the present line, without its LF; NULL at the end */
    size_t length;
} Lines;

static void lines_step(Lines *lines)
{
    const char *end = lines->left > 0 ? memchr(lines->text, '\n', lines->left) : NULL;
    lines->line = end != NULL ? lines->text : NULL;
    if (end == NULL)
        return;
    lines->length = (size_t)(end - lines->text);
    lines->left -= lines->length + 1;
    lines->text = end + 1;
}

/* Starts at the last line of the header. */
static Lines header_of(const RecordedRun *run, TraceLevel level)
{
    Lines lines = {.text = run->trace, .left = run->trace_length, .level = level};
    do
        lines_step(&lines);
    while (lines.line != NULL && lines.line[0] == '#');
    return lines;
}

/* The level of the record on the present line, whose third column names its kind. */
static TraceLevel level_of_line(const Lines *lines)
{
    const char *name = lines->line;
    for (int column = 0; column < 2; column++)
        name += strcspn(name, "\t") + 1;
    const size_t length = strcspn(name, "\t");
    int kind = 0;
    while (strlen(trace_kind_name((TraceKind)kind)) != length ||
           memcmp(trace_kind_name((TraceKind)kind), name, length) != 0)
        kind++;
    return trace_kind_level((TraceKind)kind);
}

static void lines_next(Lines *lines)
{
    do
        lines_step(lines);
    while (lines->line != NULL && level_of_line(lines) > lines->level);
}

static Lines lines_of(const RecordedRun *run, TraceLevel level)
{
    Lines lines = header_of(run, level);
    lines_next(&lines);
    return lines;
}

static bool is_same_line(const Lines *a, const Lines *b)
{
    return a->length == b->length && memcmp(a->line, b->line, a->length) == 0;
}

static DiffRecord record_on(Arena *arena, int64_t number, const Lines *lines)
{
    if (lines->line == NULL)
        return (DiffRecord){.number = number};
    return (DiffRecord){.number = number,
                        .at_ns = strtoll(lines->line, NULL, 10),
                        .text = arena_printf(arena, "%.*s", (int)lines->length, lines->line)};
}

/* Finds the first record down to `level` that differs. */
static void compare_records(Arena *arena, const RecordedRun *a, const RecordedRun *b,
                            TraceLevel level, RunDiff *diff)
{
    Lines of_a = lines_of(a, level), of_b = lines_of(b, level);
    Lines before[DIFF_CONTEXT_RECORDS]; // a ring: record n is at n % DIFF_CONTEXT_RECORDS
    int64_t same = 0;
    while (of_a.line != NULL && of_b.line != NULL && is_same_line(&of_a, &of_b)) {
        before[++same % DIFF_CONTEXT_RECORDS] = of_a;
        lines_next(&of_a);
        lines_next(&of_b);
    }
    diff->same_records = same;
    diff->has_same_records = of_a.line == NULL && of_b.line == NULL;
    if (diff->has_same_records)
        return;
    const int64_t first = same < DIFF_CONTEXT_RECORDS ? 1 : same - DIFF_CONTEXT_RECORDS + 1;
    diff->before = ARENA_ARRAY(arena, DiffRecord, DIFF_CONTEXT_RECORDS);
    for (int64_t n = first; n <= same; n++)
        diff->before[diff->before_count++] = record_on(arena, n, &before[n % DIFF_CONTEXT_RECORDS]);
    diff->a = record_on(arena, same + 1, &of_a);
    diff->b = record_on(arena, same + 1, &of_b);
}

/* "  A  412  4 min 44 s  282000000000 ...": the record unchanged, its time for people. */
static void print_record(Text *out, const char *side, const DiffRecord *record)
{
    text_printf(out, "  %s  %6" PRId64 "  ", side, record->number);
    if (record->text == NULL) {
        text_add(out, "(there is no such record: the run is over)\n");
        return;
    }
    duration_print(out, record->at_ns);
    text_add(out, "  ");
    for (const char *byte = record->text; *byte != '\0'; byte++)
        text_append(out, *byte == '\t' ? " " : byte, 1);
    text_add(out, "\n");
}

static void print_records(Text *out, const RunDiff *diff)
{
    const int64_t same = diff->same_records;
    if (diff->has_same_records) {
        text_printf(out, "All %" PRId64 " records are the same.\n", same);
        return;
    }
    if (same > 0)
        text_printf(out, "Records 1 to %" PRId64 " are the same. ", same);
    text_printf(out, "Record %" PRId64 " is the first that differs:\n\n", same + 1);
    for (uint32_t i = 0; i < diff->before_count; i++)
        print_record(out, " ", &diff->before[i]);
    print_record(out, "A", &diff->a);
    print_record(out, "B", &diff->b);
}

/* --- Metrics --- */

typedef struct {
    Arena *arena;
    RunDiff *diff;
    uint32_t capacity;
} Comparison;

/* A long text, usually a path, is cut at its beginning. */
static const char *shortened(Arena *arena, const char *text)
{
    const size_t length = strlen(text);
    if (length <= CELL_BYTES_MAX)
        return arena_strdup(arena, text);
    const char *end = text + length - CELL_BYTES_MAX + 3;
    while (((unsigned char)*end & 0xC0) == 0x80)
        end++; // not in the middle of a UTF-8 character
    return arena_printf(arena, "...%s", end);
}

static const char *cell_of(Arena *arena, const Json *value)
{
    if (value == NULL)
        return "absent";
    return shortened(arena, json_bare_text(arena, value));
}

static void add_change(Comparison *comparison, const char *path, const Json *a, const Json *b)
{
    RunDiff *diff = comparison->diff;
    DiffMetric metric = {path, a, b, PLAIN_UNKNOWN, PLAIN_UNKNOWN};
    int64_t before, after;
    const bool is_quantity = strcmp(path, "seed") != 0; // a seed is a number, but not a quantity
    if (is_quantity && json_scaled(a, DECIMALS, &before) && json_scaled(b, DECIMALS, &after) &&
        before >= 0 && after >= 0) {
        const int64_t change = metric.change_e9 = after - before;
        const int64_t tenths = before > 0
                                   ? capped_proportion(change < 0 ? -change : change, 1000, before)
                                   : PLAIN_UNKNOWN;
        metric.change_tenths = before > 0 && change < 0 ? -tenths : tenths;
    }
    diff->metrics = array_room(comparison->arena, diff->metrics, diff->metric_count + 1,
                               &comparison->capacity, sizeof metric);
    diff->metrics[diff->metric_count++] = metric;
}

static bool is_same_leaf(const Json *a, const Json *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == JSON_STRING || a->kind == JSON_NUMBER)
        return strcmp(a->text, b->text) == 0;
    return a->kind != JSON_BOOLEAN || a->boolean == b->boolean;
}

static bool is_tree(const Json *value)
{
    return value != NULL && (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY);
}

static void compare(Comparison *comparison, const char *path, const Json *a, const Json *b);

/* The children of `a`, or of `b` when there is no `a`. */
static void compare_children(Comparison *comparison, const char *path, const Json *a, const Json *b)
{
    const Json *either = a != NULL ? a : b;
    int32_t index = 0;
    for (const Json *child = either->first; child != NULL; child = child->next, index++) {
        const char *key =
            child->key != NULL ? child->key : arena_printf(comparison->arena, "%" PRId32, index);
        const char *below =
            *path == '\0' ? key : arena_printf(comparison->arena, "%s.%s", path, key);
        const Json *other = child->key != NULL ? json_member(b, key) : json_item(b, index);
        compare(comparison, below, a != NULL ? child : NULL, a != NULL ? other : child);
    }
}

/* Prints the values that `b` has and `a` does not. */
static void compare_rest(Comparison *comparison, const char *path, const Json *a, const Json *b)
{
    int32_t index = 0;
    for (const Json *child = b->first; child != NULL; child = child->next, index++) {
        const bool is_new =
            child->key != NULL ? json_member(a, child->key) == NULL : index >= a->count;
        const char *key =
            child->key != NULL ? child->key : arena_printf(comparison->arena, "%" PRId32, index);
        if (is_new)
            compare(comparison,
                    *path == '\0' ? key : arena_printf(comparison->arena, "%s.%s", path, key), NULL,
                    child);
    }
}

static void compare(Comparison *comparison, const char *path, const Json *a, const Json *b)
{
    if (strcmp(path, "fingerprint") == 0 || strcmp(path, "given") == 0 ||
        strcmp(path, "description") == 0)
        return; // run_diff compares them
    if (a != NULL && b != NULL && a->kind == b->kind && is_tree(a)) {
        compare_children(comparison, path, a, b);
        compare_rest(comparison, path, a, b);
    } else if (a == NULL && is_tree(b)) {
        compare_children(comparison, path, NULL, b);
    } else if (b == NULL && is_tree(a)) {
        compare_children(comparison, path, a, NULL);
    } else if (a == NULL || b == NULL || !is_same_leaf(a, b)) {
        add_change(comparison, path, a, b);
    }
}

/* In percent of the first value, with one decimal, rounded towards 0. */
static void add_percent(Text *out, int64_t tenths)
{
    const char *sign = tenths == 0 ? "" : tenths < 0 ? "-" : "+";
    const int64_t size = tenths < 0 ? -tenths : tenths;
    text_printf(out, "%s%" PRId64 ".%" PRId64, sign, size / 10, size % 10);
}

static void add_metric_row(Arena *arena, Table *table, const DiffMetric *metric)
{
    Text change = {0}, percent = {0};
    if (metric->change_e9 != PLAIN_UNKNOWN) {
        text_add(&change, metric->change_e9 > 0 ? "+" : "");
        decimal_print(&change, metric->change_e9, DECIMALS);
    }
    if (metric->change_tenths != PLAIN_UNKNOWN)
        add_percent(&percent, metric->change_tenths);
    const char *const cells[] = {metric->name, cell_of(arena, metric->a), cell_of(arena, metric->b),
                                 text_string(&change), text_string(&percent)};
    table_row(table, cells);
    text_free(&change);
    text_free(&percent);
}

static void print_metrics(Arena *arena, Text *out, const RunDiff *diff)
{
    static const TableColumn columns[] = {
        {"Metric", TABLE_TEXT},   {"A", TABLE_NUMBER}, {"B", TABLE_NUMBER},
        {"Change", TABLE_NUMBER}, {"%", TABLE_NUMBER},
    };
    if (diff->metric_count == 0) {
        text_add(out, "The summaries are the same.\n");
        return;
    }
    Table *table = table_create(arena, columns, (int32_t)(sizeof columns / sizeof columns[0]));
    for (uint32_t i = 0; i < diff->metric_count; i++)
        add_metric_row(arena, table, &diff->metrics[i]);
    text_add(out, "\n");
    table_print(table, out);
}

/* --- Whole runs --- */

/* The header of a trace; without members when it is not valid, which reading the whole trace will
 * report. */
static TraceHeader header_of_trace(Arena *arena, const RecordedRun *run)
{
    const size_t length = (size_t)(header_of(run, TRACE_LEVEL_STEPS).text - run->trace);
    TraceHeader header = {.level = TRACE_LEVEL_STEPS};
    Problems discarded = problems_create(arena);
    const TraceListener no_listener = {0};
    if (!trace_tsv_read(arena, run->source, run->trace, length, &header, no_listener, &discarded))
        return (TraceHeader){.level = TRACE_LEVEL_STEPS};
    return header;
}

static bool has_input(const TraceHeader *header, const char *input)
{
    for (uint32_t i = 0; i < header->given_count; i++)
        if (strcmp(header->given[i], input) == 0)
            return true;
    return false;
}

/* The inputs of `one` that `other` does not have. Traces of earlier programs have no inputs. */
static const char *const *inputs_of(Arena *arena, const TraceHeader *one, const TraceHeader *other,
                                    uint32_t *count)
{
    const char **inputs = ARENA_ARRAY(arena, const char *, one->given_count);
    *count = 0;
    if (other->given_count == 0)
        return inputs;
    for (uint32_t i = 0; i < one->given_count; i++)
        if (!has_input(other, one->given[i]))
            inputs[(*count)++] = one->given[i];
    return inputs;
}

static void print_inputs(Text *out, const char *side, const char *const *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "  %s  %s\n", side, inputs[i]);
}

/* The finest level that both traces have. */
static TraceLevel common_level(const RunDiff *diff)
{
    return diff->level_a < diff->level_b ? diff->level_a : diff->level_b;
}

typedef struct {
    TraceListener metrics, fingerprint;
} Folds;

static void fold_both(void *listener, const TraceRow *row)
{
    const Folds *folds = listener;
    folds->metrics.row(folds->metrics.listener, row);
    folds->fingerprint.row(folds->fingerprint.listener, row);
}

/* Checks the whole trace. Returns the summary of the run; without one, makes it from the trace
 * down to `level`. */
static const Json *summary_of(Arena *arena, const RecordedRun *run, TraceLevel level,
                              Problems *problems)
{
    TraceHeader header;
    MetricsFold *fold = metrics_fold_create(arena);
    Fingerprint fingerprint = fingerprint_start();
    Folds folds = {metrics_fold_listener(fold, level), fingerprint_listener(&fingerprint, level)};
    if (!trace_tsv_read(arena, run->source, run->trace, run->trace_length, &header,
                        (TraceListener){.listener = &folds, .level = level, .row = fold_both},
                        problems))
        return NULL;
    if (header.is_empty) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(run->source, 1, 1),
                                 "the trace of this run has no records to compare"),
                    "run it again without --trace none");
        return NULL;
    }
    if (run->summary != NULL)
        return run->summary;
    Text hashes = {0};
    fingerprint_print(&hashes, &fingerprint);
    const Json *summary = summary_json(
        arena, summary_of_run(arena, NULL, metrics_fold_result(fold), text_string(&hashes)));
    text_free(&hashes);
    return summary;
}

/* Summaries without a fingerprint count as having the same. */
static FingerprintComparison compare_fingerprints(const Json *a, const Json *b)
{
    const Json *of_a = json_member(a, "fingerprint"), *of_b = json_member(b, "fingerprint");
    if (of_a == NULL || of_b == NULL || of_a->kind != JSON_STRING || of_b->kind != JSON_STRING)
        return (FingerprintComparison){.is_same = true};
    return fingerprint_compare(of_a->text, of_b->text);
}

bool run_diff(Arena *arena, const RecordedRun *a, const RecordedRun *b, RunDiff *diff,
              Problems *problems)
{
    // Both are read before giving up, so that all problems are reported at once. A summary made
    // from a trace is compared only with another such summary: a summary of a run has more members.
    const RecordedRun bare_a = {a->source, a->trace, a->trace_length, NULL};
    const RecordedRun bare_b = {b->source, b->trace, b->trace_length, NULL};
    const bool has_both = a->summary != NULL && b->summary != NULL;
    const TraceHeader of_a = header_of_trace(arena, a), of_b = header_of_trace(arena, b);
    *diff = (RunDiff){.level_a = of_a.level, .level_b = of_b.level};
    const TraceLevel level = common_level(diff);
    const Json *summary_a = summary_of(arena, has_both ? a : &bare_a, level, problems);
    const Json *summary_b = summary_of(arena, has_both ? b : &bare_b, level, problems);
    if (summary_a == NULL || summary_b == NULL)
        return false;
    diff->inputs_a = inputs_of(arena, &of_a, &of_b, &diff->input_count_a);
    diff->inputs_b = inputs_of(arena, &of_b, &of_a, &diff->input_count_b);
    compare_records(arena, a, b, level, diff);
    diff->fingerprints = compare_fingerprints(summary_a, summary_b);
    Comparison comparison = {.arena = arena, .diff = diff};
    compare(&comparison, "", summary_a, summary_b);
    diff->is_same = diff->has_same_records && diff->fingerprints.is_same && diff->metric_count == 0;
    return true;
}

void run_diff_print(Arena *arena, const RunDiff *diff, Text *out)
{
    if (diff->level_a != diff->level_b)
        text_printf(out,
                    "A was traced at level %s and B at level %s: records of level %s are "
                    "compared.\n",
                    trace_level_name(diff->level_a), trace_level_name(diff->level_b),
                    trace_level_name(common_level(diff)));
    if (diff->input_count_a + diff->input_count_b > 0) {
        text_add(out, "The runs had different inputs:\n\n");
        print_inputs(out, "A", diff->inputs_a, diff->input_count_a);
        print_inputs(out, "B", diff->inputs_b, diff->input_count_b);
        text_add(out, "\n");
    }
    print_records(out, diff);
    fingerprint_comparison_print(out, &diff->fingerprints);
    print_metrics(arena, out, diff);
}
