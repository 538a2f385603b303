#include "sim/output/explain/run_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/capped.h"
#include "sim/base/table.h"
#include "sim/base/units.h"
#include "sim/json/decimal.h"
#include "sim/output/summary/metrics.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/fingerprint.h"
#include "sim/output/trace/tsv.h"

enum {
    CONTEXT_RECORDS = 3,
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

/* "  A  412  4 min 44 s  282000000000 ...": the record unchanged, its time for people. */
static void print_record(Text *out, const char *side, int64_t number, const Lines *lines)
{
    text_printf(out, "  %s  %6" PRId64 "  ", side, number);
    duration_print(out, strtoll(lines->line, NULL, 10));
    text_add(out, "  ");
    for (size_t i = 0; i < lines->length; i++)
        text_append(out, lines->line[i] == '\t' ? " " : &lines->line[i], 1);
    text_add(out, "\n");
}

static void print_side(Text *out, const char *side, int64_t number, const Lines *lines)
{
    if (lines->line != NULL)
        print_record(out, side, number, lines);
    else
        text_printf(out, "  %s  %6" PRId64 "  (there is no such record: the run is over)\n", side,
                    number);
}

/* Prints the first record down to `level` that differs; true when there is none. */
static bool print_records(Text *out, const RecordedRun *a, const RecordedRun *b, TraceLevel level)
{
    Lines of_a = lines_of(a, level), of_b = lines_of(b, level);
    Lines before[CONTEXT_RECORDS]; // a ring: record n is at n % CONTEXT_RECORDS
    int64_t same = 0;
    while (of_a.line != NULL && of_b.line != NULL && is_same_line(&of_a, &of_b)) {
        before[++same % CONTEXT_RECORDS] = of_a;
        lines_next(&of_a);
        lines_next(&of_b);
    }
    if (of_a.line == NULL && of_b.line == NULL) {
        text_printf(out, "All %" PRId64 " records are the same.\n", same);
        return true;
    }
    if (same > 0)
        text_printf(out, "Records 1 to %" PRId64 " are the same. ", same);
    text_printf(out, "Record %" PRId64 " is the first that differs:\n\n", same + 1);
    for (int64_t n = same < CONTEXT_RECORDS ? 1 : same - CONTEXT_RECORDS + 1; n <= same; n++)
        print_record(out, " ", n, &before[n % CONTEXT_RECORDS]);
    print_side(out, "A", same + 1, &of_a);
    print_side(out, "B", same + 1, &of_b);
    return false;
}

/* --- Metrics --- */

typedef struct {
    Arena *arena;
    Table *table;
    int32_t changes;
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

/* `change` in percent of `before` >= 0, with one decimal, rounded towards 0. */
static void add_percent(Text *out, int64_t before, int64_t change)
{
    if (before == 0)
        return;
    const int64_t tenths = capped_proportion(change < 0 ? -change : change, 1000, before);
    const char *sign = tenths == 0 ? "" : change < 0 ? "-" : "+";
    text_printf(out, "%s%" PRId64 ".%" PRId64, sign, tenths / 10, tenths % 10);
}

static void add_change(Comparison *comparison, const char *path, const Json *a, const Json *b)
{
    Text change = {0}, percent = {0};
    int64_t before, after;
    const bool is_quantity = strcmp(path, "seed") != 0; // a seed is a number, but not a quantity
    if (is_quantity && json_scaled(a, DECIMALS, &before) && json_scaled(b, DECIMALS, &after) &&
        before >= 0 && after >= 0) {
        text_add(&change, after > before ? "+" : "");
        decimal_print(&change, after - before, DECIMALS);
        add_percent(&percent, before, after - before);
    }
    const char *const cells[] = {path, cell_of(comparison->arena, a), cell_of(comparison->arena, b),
                                 text_string(&change), text_string(&percent)};
    table_row(comparison->table, cells);
    comparison->changes++;
    text_free(&change);
    text_free(&percent);
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
        return; // print_fingerprints and print_inputs report their differences
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

/* Prints the changes; true when there are none. */
static bool print_metrics(Text *out, Arena *arena, const Json *a, const Json *b)
{
    static const TableColumn columns[] = {
        {"Metric", TABLE_TEXT},   {"A", TABLE_NUMBER}, {"B", TABLE_NUMBER},
        {"Change", TABLE_NUMBER}, {"%", TABLE_NUMBER},
    };
    Comparison comparison = {
        .arena = arena,
        .table = table_create(arena, columns, (int32_t)(sizeof columns / sizeof columns[0]))};
    compare(&comparison, "", a, b);
    if (comparison.changes == 0) {
        text_add(out, "The summaries are the same.\n");
        return true;
    }
    text_add(out, "\n");
    table_print(comparison.table, out);
    return false;
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

/* Prints the inputs of `one` that `other` does not have; returns how many. */
static int32_t print_inputs_of(Text *out, const char *side, const TraceHeader *one,
                               const TraceHeader *other)
{
    int32_t count = 0;
    for (uint32_t i = 0; i < one->given_count; i++) {
        if (has_input(other, one->given[i]))
            continue;
        text_printf(out, "  %s  %s\n", side, one->given[i]);
        count++;
    }
    return count;
}

/* Prints the inputs in which the runs differ. Traces of earlier programs have no inputs. */
static void print_inputs(Text *out, const TraceHeader *a, const TraceHeader *b)
{
    Text different = {0};
    if (a->given_count == 0 || b->given_count == 0)
        return;
    if (print_inputs_of(&different, "A", a, b) + print_inputs_of(&different, "B", b, a) > 0)
        text_printf(out, "The runs had different inputs:\n\n%s\n", text_string(&different));
    text_free(&different);
}

/* The finest level that both traces have. Reports when one trace has a finer level. */
static TraceLevel common_level(TraceLevel of_a, TraceLevel of_b, Text *out)
{
    const TraceLevel common = of_a < of_b ? of_a : of_b;
    if (of_a != of_b)
        text_printf(out,
                    "A was traced at level %s and B at level %s: records of level %s are "
                    "compared.\n",
                    trace_level_name(of_a), trace_level_name(of_b), trace_level_name(common));
    return common;
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

/* Reports the ingredients in which the runs differ. True when there are none, or when a summary has
 * no fingerprint. */
static bool print_fingerprints(Text *out, const Json *a, const Json *b)
{
    const Json *of_a = json_member(a, "fingerprint"), *of_b = json_member(b, "fingerprint");
    if (of_a == NULL || of_b == NULL || of_a->kind != JSON_STRING || of_b->kind != JSON_STRING)
        return true;
    return fingerprint_compare(out, of_a->text, of_b->text);
}

bool run_diff_print(Arena *arena, const RecordedRun *a, const RecordedRun *b, Text *out,
                    bool *is_same, Problems *problems)
{
    // Both are read before giving up, so that all problems are reported at once. A summary made
    // from a trace is compared only with another such summary: a summary of a run has more members.
    const RecordedRun bare_a = {a->source, a->trace, a->trace_length, NULL};
    const RecordedRun bare_b = {b->source, b->trace, b->trace_length, NULL};
    const bool has_both = a->summary != NULL && b->summary != NULL;
    Text text = {0};
    const TraceHeader of_a = header_of_trace(arena, a), of_b = header_of_trace(arena, b);
    const TraceLevel level = common_level(of_a.level, of_b.level, &text);
    print_inputs(&text, &of_a, &of_b);
    const Json *summary_a = summary_of(arena, has_both ? a : &bare_a, level, problems);
    const Json *summary_b = summary_of(arena, has_both ? b : &bare_b, level, problems);
    const bool is_read = summary_a != NULL && summary_b != NULL;
    if (is_read) {
        text_add(out, text_string(&text));
        const bool same_records = print_records(out, a, b, level);
        const bool same_fingerprints = print_fingerprints(out, summary_a, summary_b);
        const bool same_metrics = print_metrics(out, arena, summary_a, summary_b);
        *is_same = same_records && same_fingerprints && same_metrics;
    }
    text_free(&text);
    return is_read;
}
