#include "sim/study/study_tables.h"

#include "sim/base/units.h"
#include "sim/formats/csv.h"
#include "sim/study/point_estimate.h"

/* --- Rows --- */

static void flush(Text *row, ByteSink out)
{
    csv_end(row);
    out.write(out.to, text_string(row), row->length);
    text_clear(row);
}

static void add_factors(const Study *study, int32_t point, Text *row)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        csv_text(row, point_level(study, point, f)->label);
}

static void add_factor_names(const Study *study, Text *row)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        csv_text(row, study->factors[f]->name);
}

/* --- results.csv --- */

static void add_lower_bounds(const Study *study, const RunRecord *record, Text *row)
{
    Text names = {0};
    for (int32_t m = 0; m < study->metric_count; m++)
        if (record->flags[m] & RUN_VALUE_IS_LOWER_BOUND)
            text_printf(&names, "%s%s", names.length > 0 ? " " : "", study->metrics[m].name);
    if (names.length > 0)
        csv_text(row, text_string(&names));
    else
        csv_unknown(row);
    text_free(&names);
}

static void add_run(const Study *study, const RunRecord *record, Text *row)
{
    csv_integer(row, record->point);
    add_factors(study, record->point, row);
    csv_integer(row, (int64_t)record->seed);
    for (int32_t m = 0; m < study->metric_count; m++)
        csv_real(row, record->values[m]);
    add_lower_bounds(study, record, row);
}

void runs_table(const StudyFindings *findings, int32_t first, const int32_t *counts, ByteSink out)
{
    const Study *study = findings->study;
    Text row = {0};
    csv_text(&row, "point");
    add_factor_names(study, &row);
    csv_text(&row, "seed");
    for (int32_t m = 0; m < study->metric_count; m++)
        csv_text(&row, study->metrics[m].name);
    csv_text(&row, "lower_bounds");
    flush(&row, out);
    for (int32_t point = 0; point < study->point_count; point++)
        for (int32_t r = 0; r < counts[point]; r++) {
            const RunRecord record = results_record(findings->results, study, point, first + r);
            add_run(study, &record, &row);
            flush(&row, out);
        }
    text_free(&row);
}

void results_table(const StudyFindings *findings, ByteSink out)
{
    runs_table(findings, 0, findings->used, out);
}

/* --- points.csv --- */

typedef enum { COLUMN_REAL, COLUMN_COUNT, COLUMN_TEXT, COLUMN_NOTE } ColumnKind;

typedef struct {
    const char *name;
    size_t offset; /* in MetricEstimate */
    ColumnKind kind;
    bool is_of_baseline;
    const char *meaning;
} EstimateColumn;

#define COLUMN(kind, name, member, of_baseline, meaning)                                           \
    {                                                                                              \
        name, offsetof(MetricEstimate, member), kind, of_baseline, meaning                         \
    }
#define REAL(name, member, meaning) COLUMN(COLUMN_REAL, name, member, false, meaning)
#define COUNT(name, member, meaning) COLUMN(COLUMN_COUNT, name, member, false, meaning)
#define PAIRED(name, member, meaning) COLUMN(COLUMN_REAL, name, member, true, meaning)
static const EstimateColumn columns[] = {
    REAL("value", value, "the estimate, made by the method"),
    REAL("low", low, "the begin of its interval, at 95 % confidence"),
    REAL("high", high, "the end of its interval"),
    COLUMN(COLUMN_TEXT, "method", method, false,
           "\"t, skew\": the mean of the runs; \"t in 0..1\": the mean of shares; \"share\": "
           "a share of jobs; \"pooled\": a percentile of the jobs of all runs together; "
           "\"bootstrap\": a ratio of totals; \"batches\": the mean of the parts of one long "
           "run"),
    COLUMN(COLUMN_NOTE, "note", note, false,
           "why there is no interval, or a property that the interval lacks"),
    REAL("mean", mean, "the mean of the values of the runs"),
    REAL("half_width", half_width, "half of the interval of that mean, by Student's t"),
    REAL("min", minimum, "the least value of a run"),
    REAL("p05", p05, "the 5th percentile of the values, by nearest rank"),
    REAL("p50", p50, "the median of the values"),
    REAL("p95", p95, "the 95th percentile of the values"),
    REAL("max", maximum, "the largest value of a run"),
    COUNT("runs", run_count, "the number of runs in which the metric is known"),
    COUNT("lower_bounds", lower_bound_count,
          "the number of these whose value is only a lower bound; the mean and the percentiles are "
          "lower bounds then, too"),
    PAIRED(
        "difference", difference,
        "the mean difference to the baseline: run by run with the same seed, or with independent "
        "seeds of the means"),
    PAIRED("difference_half_width", difference_half_width,
           "half of the interval of that difference"),
    PAIRED(
        "variance_reduction", variance_reduction,
        "by common seeds: the variance of the difference of independent runs, divided by that of "
        "these pairs"),
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void add_estimate_names(const Study *study, const char *metric, Text *row)
{
    Text name = {0};
    for (int32_t c = 0; c < COLUMNS; c++) {
        if (columns[c].is_of_baseline && !study->has_baseline)
            continue;
        text_clear(&name);
        text_printf(&name, "%s.%s", metric, columns[c].name);
        csv_text(row, text_string(&name));
    }
    text_free(&name);
}

static void add_words(Text *row, const char *words)
{
    if (words[0] != '\0')
        csv_text(row, words);
    else
        csv_unknown(row);
}

static void add_estimate(const Study *study, const MetricEstimate *estimate, Text *row)
{
    for (int32_t c = 0; c < COLUMNS; c++) {
        const void *member = (const char *)estimate + columns[c].offset;
        if (columns[c].is_of_baseline && !study->has_baseline)
            continue;
        switch (columns[c].kind) {
        case COLUMN_REAL:
            csv_real(row, *(const double *)member);
            break;
        case COLUMN_COUNT:
            csv_integer(row, *(const int32_t *)member);
            break;
        case COLUMN_TEXT:
            add_words(row, *(const char *const *)member);
            break;
        case COLUMN_NOTE:
            add_words(row, member);
            break;
        }
    }
}

static void add_plan(const StudyFindings *findings, int32_t point, Text *row)
{
    const Study *study = findings->study;
    if (study->horizon.kind != HORIZON_STEADY)
        return;
    for (int part = STEADY_WARM_UP_S; part <= STEADY_LENGTH_S; part++) {
        if (findings->used[point] > 0)
            csv_real(row, results_value(findings->results, point, study->steady_part + part, 0));
        else
            csv_unknown(row);
    }
}

void points_table(const StudyFindings *findings, ByteSink out)
{
    const Study *study = findings->study;
    Text row = {0};
    csv_text(&row, "point");
    add_factor_names(study, &row);
    csv_text(&row, "n");
    if (study->horizon.kind == HORIZON_STEADY) {
        csv_text(&row, "warm_up_s");
        csv_text(&row, "length_s");
    }
    for (int32_t m = 0; m < study->metric_count; m++)
        add_estimate_names(study, study->metrics[m].name, &row);
    flush(&row, out);
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t baseline = study->has_baseline ? study->compared_with[point] : NO_POINT;
        csv_integer(&row, point);
        add_factors(study, point, &row);
        csv_integer(&row, findings->used[point]);
        add_plan(findings, point, &row);
        for (int32_t m = 0; m < study->metric_count; m++) {
            const MetricEstimate estimate =
                metric_estimate(findings->results, m, point, findings->used[point], baseline,
                                baseline != NO_POINT ? findings->used[baseline] : 0);
            add_estimate(study, &estimate, &row);
        }
        flush(&row, out);
    }
    text_free(&row);
}

static void add_estimate_reference(Text *out)
{
    text_add(out, "\n| column of metric M | meaning |\n| --- | --- |\n");
    for (int32_t c = 0; c < COLUMNS; c++)
        text_printf(out, "| `M.%s` | %s%s |\n", columns[c].name,
                    columns[c].is_of_baseline ? "with a baseline: " : "", columns[c].meaning);
}

void study_tables_reference(Text *out)
{
    text_add(
        out,
        "\nresults.csv has a row a run: `point`, a column for each factor with its level, `seed`, "
        "a column for each metric, and `lower_bounds`, the names of the metrics whose value is "
        "only a lower bound, because jobs still waited when the run ended. fresh.csv of a plan "
        "has the same columns.\n\n"
        "timing.csv has a row a run: `point`, `seed`, and `seconds`, which it took on this "
        "machine; runs that were resumed have none.\n\n"
        "points.csv has a row a point: `point`, the factors, `n`, the number of runs, of a steady "
        "study `warm_up_s` and `length_s` (of the measured part of each run), and for each "
        "metric M:\n");
    add_estimate_reference(out);
}

/* --- timing.csv --- */

void timing_table(const StudyFindings *findings, ByteSink out)
{
    const Study *study = findings->study;
    Text row = {0};
    csv_text(&row, "point");
    csv_text(&row, "seed");
    csv_text(&row, "seconds");
    flush(&row, out);
    for (int32_t point = 0; point < study->point_count; point++)
        for (int32_t r = 0; r < findings->used[point]; r++) {
            const int64_t took_ns = findings->results->points[point].took_ns[r];
            csv_integer(&row, point);
            csv_integer(&row, (int64_t)study_seed(study, point, r));
            if (took_ns >= 0)
                csv_real(&row, (double)took_ns / (double)NS_PER_S);
            else
                csv_unknown(&row);
            flush(&row, out);
        }
    text_free(&row);
}
