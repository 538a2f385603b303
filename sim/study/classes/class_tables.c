#include "sim/study/classes/class_tables.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/output/summary/metric_names.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/compare.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

typedef struct {
    Arena *arena;
    const StudyFindings *findings;
    const Study *study;
} Maker;

/* --- Classes of metrics --- */

typedef struct {
    const char *words, *statistic;
} ClassName;

static ClassName class_of_one(Arena *arena, const char *name)
{
    const char *words = "all jobs";
    if (text_skip(&name, "workloads."))
        words = text_until(arena, &name, '.');
    for (JobClassKind kind = 0; kind < JOB_CLASS_COUNT; kind++)
        if (text_skip(&name, arena_printf(arena, "%s.", job_class_key(kind))))
            words = arena_printf(arena, "%s of %s %s", words, job_class_word(kind),
                                 text_until(arena, &name, '.'));
    return (ClassName){words, name};
}

/* Both sides of a ratio have to be of the same class; otherwise its name is its class. */
static ClassName class_of(Arena *arena, const char *name)
{
    static const char line[] = " / ";
    const char *at = strstr(name, line);
    if (at == NULL)
        return class_of_one(arena, name);
    const ClassName above = class_of_one(arena, arena_strndup(arena, name, (size_t)(at - name)));
    const ClassName below = class_of_one(arena, at + strlen(line));
    if (strcmp(above.words, below.words) != 0)
        return (ClassName){name, name};
    return (ClassName){above.words,
                       arena_printf(arena, "%s%s%s", above.statistic, line, below.statistic)};
}

static bool is_more_better(const StudyMetric *metric, const char *statistic)
{
    static const char *const good[] = {"succeeded", "goodput", "utilisation"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (strncmp(statistic, good[i], strlen(good[i])) == 0)
            return true;
    return metric->kind == MEASURE_SHARE;
}

/* --- Pairs of points --- */

/* Whether the points differ in the factor alone. */
static bool differ_in(const Study *study, int32_t factor, int32_t point, int32_t baseline)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        if ((point_level(study, point, f) == point_level(study, baseline, f)) == (f == factor))
            return false;
    return true;
}

static int32_t level_of(const Study *study, int32_t point, int32_t factor)
{
    return study->levels[(size_t)point * (size_t)study->factor_count + (size_t)factor];
}

/* Points of one level that differ from their baselines in one factor alone. */
typedef struct {
    int32_t count;
    int32_t *points;   /* study->compared_with has their baselines */
    int32_t run_count; /* that all of them and their baselines have */
} LevelPairs;

/* The pairs of each level of the factor. */
static LevelPairs *pairs_of_factor(const Maker *maker, int32_t factor)
{
    const Study *study = maker->study;
    const int32_t *used = maker->findings->used;
    LevelPairs *pairs = ARENA_ARRAY(maker->arena, LevelPairs, study->factors[factor]->level_count);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t point = 0; point < study->point_count; point++) {
            const int32_t baseline = study->compared_with[point];
            if (baseline == NO_POINT || !differ_in(study, factor, point, baseline))
                continue;
            LevelPairs *own = &pairs[level_of(study, point, factor)];
            if (pass > 0)
                own->points[own->count] = point;
            const int32_t runs = used[point] < used[baseline] ? used[point] : used[baseline];
            if (own->count++ == 0 || runs < own->run_count)
                own->run_count = runs;
        }
        for (int32_t i = 0; pass == 0 && i < study->factors[factor]->level_count; i++) {
            pairs[i].points = ARENA_ARRAY(maker->arena, int32_t, pairs[i].count);
            pairs[i].count = 0;
        }
    }
    return pairs;
}

/* --- Cells --- */

static bool is_bound(const Maker *maker, int32_t point, int32_t metric, int32_t replication)
{
    return (results_record(maker->findings->results, maker->study, point, replication)
                .flags[metric] &
            RUN_VALUE_IS_LOWER_BOUND) != 0;
}

/* The mean differences of each run, of those in which all values are known. Returns their number.
 */
static int32_t differences(const Maker *maker, const LevelPairs *pairs, int32_t metric,
                           double *values, ClassCell *cell)
{
    const Results *results = maker->findings->results;
    int32_t count = 0;
    for (int32_t r = 0; r < pairs->run_count; r++) {
        double sum = 0;
        for (int32_t i = 0; i < pairs->count; i++) {
            const int32_t point = pairs->points[i];
            const int32_t baseline = maker->study->compared_with[point];
            sum += results_value(results, point, metric, r) -
                   results_value(results, baseline, metric, r);
            cell->is_at_least |= is_bound(maker, point, metric, r);
            cell->is_at_most |= is_bound(maker, baseline, metric, r);
        }
        if (!isnan(sum))
            values[count++] = sum / pairs->count;
    }
    return count;
}

/* A cell without its verdict, and the probability of such a difference between equal levels. */
static ClassCell cell_of(const Maker *maker, const LevelPairs *pairs, int32_t metric, double *p)
{
    ClassCell cell = {.difference = (double)NAN, .half_width = (double)NAN};
    double *values = ARENA_ARRAY(maker->arena, double, pairs->run_count + 1);
    const int32_t count = differences(maker, pairs, metric, values, &cell);
    *p = 1;
    cell.run_count = count;
    if (count < 2)
        return cell;
    const double error = statistics_standard_error(values, count);
    cell.difference = statistics_mean(values, count);
    cell.half_width = student_quantile(1 - (1 - STUDY_CONFIDENCE) / 2, count - 1) * error;
    *p = compare_p_value(cell.difference, error, count - 1);
    return cell;
}

static ClassVerdict verdict_of(const ClassTable *table, const ClassCell *cell, bool is_different)
{
    const bool is_more = cell->difference > 0;
    if (cell->run_count < 2)
        return CLASS_UNKNOWN;
    // a lower bound of the level may hide a larger value, one of the baseline a smaller difference
    if (!is_different || (cell->is_at_least && !is_more) || (cell->is_at_most && is_more))
        return CLASS_ALIKE;
    return is_more == table->is_more_better ? CLASS_WINS : CLASS_PAYS;
}

static void fill_cells(const Maker *maker, const LevelPairs *pairs, ClassTable *table)
{
    const int32_t count = table->class_count * table->level_count;
    ClassCell *cells = ARENA_ARRAY(maker->arena, ClassCell, count);
    double *p_values = ARENA_ARRAY(maker->arena, double, count);
    bool *is_different = ARENA_ARRAY(maker->arena, bool, count);
    table->cells = cells;
    for (int32_t i = 0; i < count; i++)
        cells[i] = cell_of(maker, &pairs[table->levels[i % table->level_count]],
                           table->classes[i / table->level_count].metric, &p_values[i]);
    compare_holm(p_values, count, 1 - STUDY_CONFIDENCE, is_different);
    for (int32_t i = 0; i < count; i++)
        cells[i].verdict = verdict_of(table, &cells[i], is_different[i]);
}

/* --- Tables --- */

/* The levels with pairs, without the baseline's. */
static void list_levels(const Maker *maker, const LevelPairs *pairs, ClassTable *table)
{
    int32_t *levels = ARENA_ARRAY(maker->arena, int32_t, CLASS_COLUMNS_MAX);
    table->levels = levels;
    for (int32_t i = 0; i < maker->study->factors[table->factor]->level_count; i++)
        if (pairs[i].count > 0 && table->level_all++ < CLASS_COLUMNS_MAX)
            levels[table->level_count++] = i;
}

/* The mean of the baselines of all pairs of the first column. */
static double baseline_mean(const Maker *maker, const LevelPairs *pairs, int32_t metric)
{
    double sum = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        const int32_t baseline = maker->study->compared_with[pairs->points[i]];
        for (int32_t r = 0; r < pairs->run_count; r++)
            sum += results_value(maker->findings->results, baseline, metric, r);
    }
    return sum / ((double)pairs->count * pairs->run_count);
}

static void list_classes(const Maker *maker, const LevelPairs *pairs, ClassTable *table)
{
    JobClass *classes = ARENA_ARRAY(maker->arena, JobClass, CLASS_ROWS_MAX);
    double largest = 0;
    table->classes = classes;
    for (int32_t m = 0; m < maker->study->metric_count; m++) {
        const ClassName name = class_of(maker->arena, maker->study->metrics[m].name);
        if (strcmp(name.statistic, table->statistic) != 0 || table->class_all++ >= CLASS_ROWS_MAX)
            continue;
        const double baseline = baseline_mean(maker, &pairs[table->levels[0]], m);
        classes[table->class_count++] = (JobClass){name.words, m, baseline};
        largest = fmax(largest, fabs(baseline)); // without NAN
    }
    table->scale = metric_scale(table->unit, largest);
}

/* "placement=consolidate", "average over load": the factors that a pair has in common. */
static const char *others_words(const Maker *maker, int32_t factor)
{
    const Study *study = maker->study;
    Text out = {0};
    for (int32_t f = 0; f < study->factor_count; f++) {
        if (f == factor || study->factors[f]->level_count < 2)
            continue;
        text_add(&out, out.length > 0 ? ", " : "");
        if (study->baseline[f] >= 0)
            text_printf(&out, "%s=%s", study->factors[f]->name,
                        study->factors[f]->levels[study->baseline[f]].label);
        else
            text_printf(&out, "average over %s", study->factors[f]->name);
    }
    return text_move(maker->arena, &out);
}

/* Whether an earlier metric has the same statistic. */
static bool is_first(const Maker *maker, int32_t metric, const char *statistic)
{
    for (int32_t m = 0; m < metric; m++)
        if (strcmp(class_of(maker->arena, maker->study->metrics[m].name).statistic, statistic) == 0)
            return false;
    return true;
}

/* The tables of a factor: one for each statistic of several classes. */
static void add_tables(const Maker *maker, int32_t factor, ClassTable *tables, int32_t *count)
{
    const Study *study = maker->study;
    const LevelPairs *pairs = pairs_of_factor(maker, factor);
    for (int32_t m = 0; m < study->metric_count && *count < CLASS_TABLES_MAX; m++) {
        const ClassName name = class_of(maker->arena, study->metrics[m].name);
        ClassTable table = {.statistic = name.statistic,
                            .words = metric_words(maker->arena, name.statistic).noun,
                            .unit = study->metrics[m].unit,
                            .is_more_better = is_more_better(&study->metrics[m], name.statistic),
                            .factor = factor,
                            .others = others_words(maker, factor),
                            .baseline_level = study->baseline[factor]};
        if (!is_first(maker, m, name.statistic))
            continue;
        list_levels(maker, pairs, &table);
        if (table.level_count == 0)
            return;
        list_classes(maker, pairs, &table);
        if (table.class_count < 2)
            continue;
        fill_cells(maker, pairs, &table);
        tables[(*count)++] = table;
    }
}

/* Whether a level is not a number with or without a unit. */
static bool is_without_order(const Factor *factor)
{
    for (int32_t i = 0; i < factor->level_count; i++)
        if (!isdigit((unsigned char)factor->levels[i].label[0]) &&
            factor->levels[i].label[0] != '-')
            return true;
    return false;
}

ClassTables class_tables(Arena *arena, const StudyFindings *findings)
{
    const Maker maker = {.arena = arena, .findings = findings, .study = findings->study};
    const Study *study = findings->study;
    ClassTable *tables = ARENA_ARRAY(arena, ClassTable, CLASS_TABLES_MAX);
    int32_t count = 0;
    for (int32_t f = 0; study->has_baseline && f < study->factor_count; f++)
        if (study->baseline[f] >= 0 && is_without_order(study->factors[f]))
            add_tables(&maker, f, tables, &count);
    return (ClassTables){count, tables};
}
