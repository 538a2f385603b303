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
} EstimateColumn;

#define COLUMN(kind, name, member, of_baseline)                                                    \
    {                                                                                              \
        name, offsetof(MetricEstimate, member), kind, of_baseline                                  \
    }
#define REAL(name, member) COLUMN(COLUMN_REAL, name, member, false)
#define COUNT(name, member) COLUMN(COLUMN_COUNT, name, member, false)
#define PAIRED(name, member) COLUMN(COLUMN_REAL, name, member, true)
static const EstimateColumn columns[] = {
    REAL("value", value),
    REAL("low", low),
    REAL("high", high),
    COLUMN(COLUMN_TEXT, "method", method, false),
    COLUMN(COLUMN_NOTE, "note", note, false),
    REAL("mean", mean),
    REAL("half_width", half_width),
    REAL("min", minimum),
    REAL("p05", p05),
    REAL("p50", p50),
    REAL("p95", p95),
    REAL("max", maximum),
    COUNT("runs", run_count),
    COUNT("lower_bounds", lower_bound_count),
    PAIRED("difference", difference),
    PAIRED("difference_half_width", difference_half_width),
    PAIRED("variance_reduction", variance_reduction),
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
