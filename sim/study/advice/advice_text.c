#include "sim/study/advice/advice_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/cli/shell_code.h"
#include "sim/study/journal/value_text.h"
#include "sim/study/point_scenario.h"

static const char *unit_of(const StudyMetric *metric)
{
    return metric->unit == NULL || strcmp(metric->unit, "1") == 0 ? "" : metric->unit;
}

static void add_unit(const StudyMetric *metric, Text *out)
{
    if (unit_of(metric)[0] != '\0')
        text_printf(out, " %s", unit_of(metric));
}

static void add_value(const StudyMetric *metric, const MetricEstimate *estimate, Text *out)
{
    point_estimate_print(estimate, 1, out);
    add_unit(metric, out);
}

/* "-71.8 ± 0.3 USD (-80 %)" */
static void add_difference(const StudyMetric *metric, const MetricEstimate *estimate,
                           const MetricEstimate *before, Text *out)
{
    if (estimate->difference == 0 && estimate->difference_half_width == 0) {
        text_add(out, "no difference");
        return;
    }
    if (estimate->difference > 0)
        text_add(out, "+");
    point_number_print(estimate->difference, estimate->difference_half_width, 1, out);
    add_unit(metric, out);
    if (before->value > 0 && isfinite(estimate->difference))
        text_printf(out, " (%+.1f %%)", 100 * estimate->difference / before->value);
}

/* The command that runs the changed scenario once. */
static void add_command(Arena *arena, const Change *change, const char *scenario, Text *out)
{
    text_add(out, "trainyard run ");
    code_word(scenario, CODE_SH, out);
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

static int32_t name_width(const Study *study)
{
    size_t most = 0;
    for (int32_t m = 0; m < study->metric_count; m++)
        most = strlen(study->metrics[m].name) > most ? strlen(study->metrics[m].name) : most;
    return MARGIN + (int32_t)most;
}

/* Whether the metric is a result that readers want to see: the number of jobs only where it
 * changes. */
static bool is_shown(const StudyMetric *metric, const MetricEstimate *estimate)
{
    return strcmp(metric->name, "job_counts.succeeded") != 0 || estimate->difference != 0;
}

static void print_metric(const Study *study, int32_t m, const AdvisedChange *advised,
                         const MetricEstimate *before, Text *out)
{
    const StudyMetric *metric = &study->metrics[m];
    const MetricEstimate *estimate = &advised->estimates[m];
    size_t begin = out->length;
    if (!is_shown(metric, estimate))
        return;
    text_printf(out, "     %s", metric->name);
    pad(out, begin, name_width(study));
    text_add(out, " ");
    begin = out->length;
    add_value(metric, estimate, out);
    pad(out, begin, VALUE_WIDTH);
    text_add(out, " ");
    add_difference(metric, estimate, &before[m], out);
    text_add(out, "\n");
}

static void print_chosen(Arena *arena, const Advice *advice, int32_t index, const char *scenario,
                         Text *out)
{
    const AdvisedChange *advised = &advice->items[index];
    const Study *study = advice->study;
    text_printf(out, "%d. %s\n", (int)index + 1, advised->change->name);
    print_metric(study, study->goal->metric, advised, advice->before, out);
    for (int32_t m = 0; m < study->metric_count; m++)
        if (m != study->goal->metric)
            print_metric(study, m, advised, advice->before, out);
    text_add(out, "     ");
    add_command(arena, advised->change, scenario, out);
    text_add(out, "\n");
}

/* A row of the changes that are not recommended. */
static void print_other(const Advice *advice, const AdvisedChange *advised, Text *out)
{
    const Study *study = advice->study;
    size_t begin = out->length;
    text_printf(out, "  %s", advised->change->name);
    pad(out, begin, CHANGE_WIDTH);
    text_add(out, " ");
    begin = out->length;
    add_difference(&study->metrics[study->goal->metric], &advised->estimates[study->goal->metric],
                   &advice->before[study->goal->metric], out);
    pad(out, begin, VALUE_WIDTH);
    if (advised->state == ADVICE_MISSES || advised->state == ADVICE_UNCERTAIN)
        text_printf(out, " %s %s\n", advised->state == ADVICE_MISSES ? "misses" : "may miss",
                    study->goal->constraints[advised->constraint].words);
    else
        text_printf(out, " %s\n", advice_state_words(advised->state));
}

static void print_before(const Advice *advice, const char *scenario, Text *out)
{
    const Study *study = advice->study;
    text_printf(out, "%s unchanged:\n", scenario);
    for (int32_t m = 0; m < study->metric_count; m++) {
        const size_t begin = out->length;
        text_printf(out, "     %s", study->metrics[m].name);
        pad(out, begin, name_width(study));
        text_add(out, " ");
        add_value(&study->metrics[m], &advice->before[m], out);
        text_add(out, "\n");
    }
}

/* Runs of names with the same kind and reason are one line. */
static void print_left_out(const Changes *changes, Text *out)
{
    for (int32_t i = 0; i < changes->left_out_count; i++) {
        const ChangeLeftOut *left = &changes->left_out[i];
        text_printf(out, "  %s: %s\n",
                    left->name[0] != '\0' ? left->name : change_kind_words(left->kind),
                    left->reason);
    }
}

static void print_heading(const Advice *advice, Text *out)
{
    const Goal *goal = advice->study->goal;
    const bool is_kept = advice->before_state == ADVICE_CHOSEN;
    if (!is_kept)
        text_printf(out, "It %s %s. ",
                    advice->before_state == ADVICE_MISSES ? "misses" : "may miss",
                    goal->constraints[advice->before_constraint].words);
    if (advice->chosen_count == 0)
        text_printf(out, "None of %d changes %s%s.\n", (int)advice->count,
                    is_kept ? "certainly improves " : "keeps every constraint",
                    is_kept ? advice->study->metrics[goal->metric].name : "");
    else if (!is_kept)
        text_add(out, "These changes keep every constraint:\n");
}

void advice_print(Arena *arena, const Advice *advice, const char *scenario, Text *out)
{
    print_before(advice, scenario, out);
    text_add(out, "\n");
    print_heading(advice, out);
    for (int32_t i = 0; i < advice->chosen_count; i++)
        print_chosen(arena, advice, i, scenario, out);
    if (advice->count > advice->chosen_count)
        text_add(out, "\nTried, too:\n");
    for (int32_t i = advice->chosen_count; i < advice->count; i++)
        print_other(advice, &advice->items[i], out);
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

/* --- JSON --- */

static void put_number(Arena *arena, Json *object, const char *key, double value)
{
    Text digits = {0};
    if (isfinite(value)) {
        value_text_print(value, false, &digits);
        json_put_decimal(arena, object, key, text_string(&digits));
    } else {
        json_put_null(arena, object, key);
    }
    text_free(&digits);
}

static Json *metrics_json(Arena *arena, const Study *study, const MetricEstimate *estimates,
                          bool has_difference)
{
    Json *object = json_object(arena);
    for (int32_t m = 0; m < study->metric_count; m++) {
        const MetricEstimate *estimate = &estimates[m];
        Json *item = json_set(arena, object, study->metrics[m].name, json_object(arena));
        put_number(arena, item, "value", estimate->value);
        put_number(arena, item, "low", estimate->low);
        put_number(arena, item, "high", estimate->high);
        if (!has_difference)
            continue;
        put_number(arena, item, "difference", estimate->difference);
        put_number(arena, item, "difference_half_width", estimate->difference_half_width);
    }
    return object;
}

static Json *change_json(Arena *arena, const Advice *advice, const AdvisedChange *advised,
                         const char *scenario)
{
    const Study *study = advice->study;
    Json *object = json_object(arena);
    Text command = {0};
    add_command(arena, advised->change, scenario, &command);
    json_set(arena, object, "change", json_string(arena, advised->change->name));
    json_set(arena, object, "kind", json_string(arena, change_kind_words(advised->change->kind)));
    json_set(arena, object, "result", json_string(arena, advice_state_words(advised->state)));
    if (advised->state == ADVICE_MISSES || advised->state == ADVICE_UNCERTAIN)
        json_set(arena, object, "constraint",
                 json_string(arena, study->goal->constraints[advised->constraint].words));
    json_set(arena, object, "fresh_seeds", json_boolean(arena, advised->is_fresh));
    json_set(arena, object, "metrics", metrics_json(arena, study, advised->estimates, true));
    json_set(arena, object, "command", json_string(arena, text_string(&command)));
    text_free(&command);
    return object;
}

Json *advice_json(Arena *arena, const Advice *advice, const char *scenario)
{
    const Study *study = advice->study;
    Json *root = json_object(arena);
    json_set(arena, root, "scenario", json_string(arena, scenario));
    json_set(arena, root, study->goal->is_maximised ? "maximise" : "minimise",
             json_string(arena, study->metrics[study->goal->metric].name));
    json_set(arena, root, "seeds", json_integer(arena, advice->seed_count));
    json_set(arena, root, "runs", json_integer(arena, advice->run_count));
    json_set(arena, root, "unchanged", metrics_json(arena, study, advice->before, false));
    Json *advised = json_set(arena, root, "advice", json_array(arena));
    Json *tried = json_set(arena, root, "tried", json_array(arena));
    for (int32_t i = 0; i < advice->count; i++)
        json_add(i < advice->chosen_count ? advised : tried,
                 change_json(arena, advice, &advice->items[i], scenario));
    Json *left_out = json_set(arena, root, "not_tried", json_array(arena));
    for (int32_t i = 0; i < advice->changes->left_out_count; i++) {
        const ChangeLeftOut *left = &advice->changes->left_out[i];
        Json *item = json_add(left_out, json_object(arena));
        json_set(arena, item, "kind", json_string(arena, change_kind_words(left->kind)));
        if (left->name[0] != '\0')
            json_set(arena, item, "change", json_string(arena, left->name));
        json_set(arena, item, "reason", json_string(arena, left->reason));
    }
    return root;
}
