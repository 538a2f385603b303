#include "tools/trainyard/predict/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/cli/json_file.h"
#include "sim/cli/report.h"
#include "sim/scenario/transformer/layout.h"
#include "sim/scenario/transformer/measured.h"
#include "sim/scenario/transformer/prediction.h"

/* Errors of several rows. */
typedef struct {
    int32_t count;
    int32_t within;
    double error_sum;  /* of |predicted / measured - 1| */
    double signed_sum; /* of predicted / measured - 1 */
    int32_t memory_count;
    double memory_error_sum;
} ErrorSum;

static double ratio_of(const MeasuredTraining *training)
{
    return training->predicted.step_s / training->step_s;
}

static bool is_within(const MeasuredTraining *training)
{
    const double factor = 1 + transformer_uncertainty(&training->machine, &training->predicted);
    return ratio_of(training) <= factor && ratio_of(training) * factor >= 1;
}

static void error_add(ErrorSum *sum, const MeasuredTraining *training)
{
    const double error = ratio_of(training) - 1;
    sum->count++;
    sum->within += is_within(training);
    sum->signed_sum += error;
    sum->error_sum += fabs(error);
    if (training->memory_bytes <= 0)
        return;
    sum->memory_count++;
    sum->memory_error_sum +=
        fabs((double)training->memory.total_bytes / training->memory_bytes - 1);
}

/* --- JSON --- */

static void put_real(Arena *arena, Json *object, const char *key, double value)
{
    json_put_decimal(arena, object, key, arena_printf(arena, "%.9f", value));
}

static Json *training_json(Arena *arena, const MeasuredTraining *training)
{
    Json *object = json_object(arena);
    json_put_integer(arena, object, "line", training->line);
    json_put_text(arena, object, "source", training->source);
    json_put_text(arena, object, "software", training->software);
    json_put_text(arena, object, "gpu", training->gpu);
    json_put_text(arena, object, "model", training->model);
    json_put_text(arena, object, "layout", layout_text(arena, &training->layout));
    put_real(arena, object, "measured_s", training->step_s);
    put_real(arena, object, "predicted_s", training->predicted.step_s);
    put_real(arena, object, "uncertainty",
             transformer_uncertainty(&training->machine, &training->predicted));
    put_real(arena, object, "memory_measured_gb", training->memory_bytes / 1e9);
    put_real(arena, object, "memory_predicted_gb", (double)training->memory.total_bytes / 1e9);
    Json *split = json_put_object(arena, object, "split_s");
    for (int i = 0; i < STEP_PART_COUNT; i++)
        if (i != STEP_EXPERTS) // the models of a table are dense
            put_real(arena, split, step_part_name((StepPart)i), training->predicted.parts_s[i]);
    return object;
}

/* --- Text --- */

static void print_sum(const char *name, const ErrorSum *sum)
{
    printf("%-40s%6d%9.1f %%%+9.1f %%%9.1f %%", name, (int)sum->count,
           100 * sum->error_sum / sum->count, 100 * sum->signed_sum / sum->count,
           100.0 * sum->within / sum->count);
    if (sum->memory_count > 0)
        printf("%9.1f %%", 100 * sum->memory_error_sum / sum->memory_count);
    printf("\n");
}

static void print_sums(const MeasuredTrainings *trainings)
{
    ErrorSum all = {0};
    printf("%-40s%6s%11s%11s%11s%11s\n", "source", "rows", "error", "bias", "within", "memory");
    for (int32_t i = 0; i < trainings->count; i++) {
        const char *source = trainings->items[i].source;
        ErrorSum sum = {0};
        bool is_first = true;
        for (int32_t j = 0; j < i && is_first; j++)
            is_first = strcmp(trainings->items[j].source, source) != 0;
        error_add(&all, &trainings->items[i]);
        for (int32_t j = i; is_first && j < trainings->count; j++)
            if (strcmp(trainings->items[j].source, source) == 0)
                error_add(&sum, &trainings->items[j]);
        if (is_first)
            print_sum(source, &sum);
    }
    if (all.count > 0)
        print_sum("all rows", &all);
}

int predict_measured(Arena *arena, const Catalog *catalog, const char *path, bool is_json)
{
    Status status = {0};
    Problems problems = problems_create(arena);
    MeasuredTrainings trainings;
    size_t length;
    const char *text;
    if (!disk_files.read(disk_files.context, arena, path, &text, &length, &status))
        return report_status(&status);
    if (!measured_trainings_read(arena, catalog, path, text, length, &trainings, &problems))
        return report_problems(&problems);
    if (!is_json) {
        print_sums(&trainings);
        return EXIT_FINE;
    }
    Json *root = json_object(arena);
    Json *rows = json_put_array(arena, root, "trainings");
    for (int32_t i = 0; i < trainings.count; i++)
        json_add(rows, training_json(arena, &trainings.items[i]));
    json_show(root);
    return EXIT_FINE;
}
