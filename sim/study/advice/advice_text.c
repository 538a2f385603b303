#include "sim/study/advice/advice_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/cli/shell_code.h"
#include "sim/output/summary/metric_words.h"
#include "sim/study/point_scenario.h"

/* How a metric is shown on the whole page. */
typedef struct {
    const char *name;  /* "mean wait of jobs of day" */
    const char *unit;  /* of the metric */
    MetricScale scale; /* of differences, and of values other than times */
    bool is_share;     /* its differences are percentage points */
    bool is_whole;     /* all its values are whole numbers without intervals */
} Shown;

static double larger(double most, const MetricEstimate *estimate)
{
    return fmax(most, fabs(estimate->value)); // of NAN: the other
}

static bool is_whole(const MetricEstimate *estimate)
{
    return estimate->value == floor(estimate->value) && !(estimate->high > estimate->low) &&
           !(estimate->difference_half_width > 0);
}

static Shown shown_metric(Arena *arena, const Advice *advice, int32_t m)
{
    const StudyMetric *metric = &advice->study->metrics[m];
    const MetricWords words = metric_words(arena, metric->name);
    double largest = larger(0, &advice->before[m]);
    Shown shown = {
        .name = words.noun, .unit = metric->unit, .is_whole = is_whole(&advice->before[m])};
    for (int32_t i = 0; i < advice->count; i++) {
        largest = larger(largest, &advice->items[i].estimates[m]);
        shown.is_whole &= is_whole(&advice->items[i].estimates[m]);
    }
    shown.scale = metric_scale(metric->unit, largest);
    shown.is_share = strcmp(shown.scale.unit, "%") == 0;
    return shown;
}

static const Shown *shown_metrics(Arena *arena, const Advice *advice)
{
    Shown *shown = ARENA_ARRAY(arena, Shown, advice->study->metric_count);
    for (int32_t m = 0; m < advice->study->metric_count; m++)
        shown[m] = shown_metric(arena, advice, m);
    return shown;
}

static void add_unit(const char *unit, Text *out)
{
    if (unit[0] != '\0')
        text_printf(out, " %s", unit);
}

static void add_value(const Shown *shown, const MetricEstimate *estimate, Text *out)
{
    if (isnan(estimate->value)) {
        text_add(out, "unknown");
        return;
    }
    const bool is_time = shown->unit != NULL && strcmp(shown->unit, "s") == 0;
    const MetricScale scale =
        is_time ? metric_scale(shown->unit, fabs(estimate->value)) : shown->scale;
    if (shown->is_whole)
        text_printf(out, "%.0f", estimate->value * scale.factor);
    else
        point_estimate_print(estimate, scale.factor, out);
    add_unit(scale.unit, out);
}

/* "-71.8 ± 0.3 USD (-80 %)" */
static void add_difference(const Shown *shown, const MetricEstimate *estimate,
                           const MetricEstimate *before, Text *out)
{
    if (estimate->difference == 0 && estimate->difference_half_width == 0) {
        text_add(out, "no difference");
        return;
    }
    if (isnan(estimate->difference)) {
        text_add(out, "unknown");
        return;
    }
    if (estimate->difference > 0)
        text_add(out, "+");
    point_number_print(estimate->difference, estimate->difference_half_width, shown->scale.factor,
                       out);
    add_unit(shown->is_share ? "points" : shown->scale.unit, out);
    if (before->value > 0 && isfinite(estimate->difference) && !shown->is_share)
        text_printf(out, " (%+.1f %%)", 100 * estimate->difference / before->value);
}

void advice_command_print(Arena *arena, const Advice *advice, const Change *change,
                          const char *scenario, Text *out)
{
    const ScenarioOverrides *given = &advice->overrides;
    text_add(out, "trainyard run ");
    code_word(scenario, CODE_SH, out);
    for (int32_t i = 0; i < given->param_count; i++) {
        text_add(out, " --param ");
        code_word(given->params[i], CODE_SH, out);
    }
    for (int32_t i = 0; i < given->count; i++) {
        text_add(out, " --set ");
        code_word(given->items[i], CODE_SH, out);
    }
    for (int32_t i = 0; i < change->setting_count; i++) {
        text_printf(out, " %s ", setting_option(&change->settings[i]));
        code_word(setting_change(arena, &change->settings[i]), CODE_SH, out);
    }
}

/* Columns of a fixed width; the widths count characters, of which "±" has two bytes. */
static void pad(Text *out, size_t begin, int32_t width)
{
    int32_t shown = 0;
    for (const char *c = text_string(out) + begin; *c != '\0'; c++)
        shown += ((unsigned char)*c & 0xc0) != 0x80;
    for (; shown < width; shown++)
        text_add(out, " ");
}

enum { MARGIN = 5, VALUE_WIDTH = 30, CHANGE_WIDTH = 53 };

/* The page that is printed. */
typedef struct {
    Arena *arena;
    const Advice *advice;
    const char *scenario;
    const Shown *shown; /* [metric_count] */
    int32_t name_width;
    Text *out;
} Page;

static Page page_of(Arena *arena, const Advice *advice, const char *scenario, Text *out)
{
    size_t most = 0;
    const Shown *shown = shown_metrics(arena, advice);
    for (int32_t m = 0; m < advice->study->metric_count; m++)
        most = strlen(shown[m].name) > most ? strlen(shown[m].name) : most;
    return (Page){arena, advice, scenario, shown, MARGIN + (int32_t)most, out};
}

/* "at least 95 % of the jobs wait at most 20 min" */
static const char *constraint_words(const Page *page, int32_t index)
{
    const Study *study = page->advice->study;
    const GoalConstraint *constraint = &study->goal->constraints[index];
    const StudyMetric *metric = &study->metrics[constraint->metric];
    return metric_limit_words(page->arena, metric->name, metric->unit,
                              constraint->side == LIMIT_AT_LEAST, constraint->limit);
}

/* Whether the metric is a result that readers want to see: the number of jobs only where it
 * changes, a mean only once. */
static bool is_shown(const Page *page, int32_t m, const MetricEstimate *estimate)
{
    const Study *study = page->advice->study;
    const char *name = study->metrics[m].name;
    if (study_find_metric(study, arena_printf(page->arena, "%s_completed", name)) >= 0 &&
        m != study->goal->metric)
        return false;
    return strcmp(name, "job_counts.succeeded") != 0 || estimate == NULL ||
           estimate->difference != 0;
}

static void print_name(const Page *page, int32_t m)
{
    const size_t begin = page->out->length;
    text_printf(page->out, "     %s", page->shown[m].name);
    pad(page->out, begin, page->name_width);
    text_add(page->out, " ");
}

static void print_metric(const Page *page, int32_t m, const AdvisedChange *advised)
{
    const MetricEstimate *estimate = &advised->estimates[m];
    if (!is_shown(page, m, estimate))
        return;
    print_name(page, m);
    const size_t begin = page->out->length;
    add_value(&page->shown[m], estimate, page->out);
    pad(page->out, begin, VALUE_WIDTH);
    text_add(page->out, " ");
    add_difference(&page->shown[m], estimate, &page->advice->before[m], page->out);
    text_add(page->out, "\n");
}

static void print_chosen(const Page *page, int32_t index)
{
    const AdvisedChange *advised = &page->advice->items[index];
    const Study *study = page->advice->study;
    text_printf(page->out, "%d. %s\n", (int)index + 1, advised->change->name);
    print_metric(page, study->goal->metric, advised);
    for (int32_t m = 0; m < study->metric_count; m++)
        if (m != study->goal->metric)
            print_metric(page, m, advised);
    text_add(page->out, "     ");
    advice_command_print(page->arena, page->advice, advised->change, page->scenario, page->out);
    text_add(page->out, "\n");
}

/* A row of the changes that are not recommended. */
static void print_other(const Page *page, const AdvisedChange *advised)
{
    const int32_t objective = page->advice->study->goal->metric;
    Text *out = page->out;
    size_t begin = out->length;
    text_printf(out, "  %s", advised->change->name);
    pad(out, begin, CHANGE_WIDTH);
    text_add(out, " ");
    begin = out->length;
    add_difference(&page->shown[objective], &advised->estimates[objective],
                   &page->advice->before[objective], out);
    pad(out, begin, VALUE_WIDTH);
    if (advised->state == ADVICE_MISSES || advised->state == ADVICE_UNCERTAIN)
        text_printf(out, " %s: %s\n", advised->state == ADVICE_MISSES ? "misses" : "may miss",
                    constraint_words(page, advised->constraint));
    else
        text_printf(out, " %s\n", advice_state_words(advised->state));
}

static void print_before(const Page *page)
{
    text_printf(page->out, "%s unchanged:\n", page->scenario);
    for (int32_t m = 0; m < page->advice->study->metric_count; m++) {
        if (!is_shown(page, m, NULL))
            continue;
        print_name(page, m);
        add_value(&page->shown[m], &page->advice->before[m], page->out);
        text_add(page->out, "\n");
    }
}

static void print_left_out(const Changes *changes, Text *out)
{
    for (int32_t i = 0; i < changes->left_out_count; i++) {
        const ChangeLeftOut *left = &changes->left_out[i];
        text_printf(out, "  %s: %s\n",
                    left->name[0] != '\0' ? left->name : change_kind_words(left->kind),
                    left->reason);
    }
}

static void print_heading(const Page *page)
{
    const Advice *advice = page->advice;
    const bool is_kept = advice->before_state == ADVICE_CHOSEN;
    if (!is_kept)
        text_printf(page->out, "It %s this constraint: %s. ",
                    advice->before_state == ADVICE_MISSES ? "misses" : "may miss",
                    constraint_words(page, advice->before_constraint));
    if (advice->chosen_count == 0 && is_kept)
        text_printf(page->out, "None of %d changes certainly improves the %s.\n",
                    (int)advice->count, page->shown[advice->study->goal->metric].name);
    else if (advice->chosen_count == 0)
        text_printf(page->out, "None of %d changes keeps every constraint.\n", (int)advice->count);
    else if (!is_kept)
        text_add(page->out, "These changes keep every constraint:\n");
}

void advice_print(Arena *arena, const Advice *advice, const char *scenario, Text *out)
{
    const Page page = page_of(arena, advice, scenario, out);
    print_before(&page);
    text_add(out, "\n");
    print_heading(&page);
    for (int32_t i = 0; i < advice->chosen_count; i++)
        print_chosen(&page, i);
    if (advice->count > advice->chosen_count)
        text_add(out, "\nTried, too:\n");
    for (int32_t i = advice->chosen_count; i < advice->count; i++)
        print_other(&page, &advice->items[i]);
    if (advice->changes->left_out_count > 0)
        text_add(out, "\nNot tried:\n");
    print_left_out(advice->changes, out);
    text_printf(
        out,
        "\nValues and differences with 95 %% intervals of %d runs each on the same seeds%s. "
        "Each change alone: `trainyard plan` finds the best combination.\n",
        (int)advice->seed_count,
        advice->chosen_count > 0 ? "; those of numbered changes are of fresh seeds" : "");
}
