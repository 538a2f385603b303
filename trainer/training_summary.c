#include <inttypes.h>
#include <math.h>

#include "sim/json/json.h"
#include "trainer/training_parts.h"

/* A finite number below 10^9 with at most nine decimals, with a point in every locale. */
static Json *number_json(Arena *arena, double value, int32_t decimals)
{
    int64_t units = 1;
    for (int32_t i = 0; i < decimals; i++)
        units *= 10;
    const int64_t scaled = llround(value * (double)units);
    const char *digits = arena_printf(arena, "%" PRId64 ".%0*" PRId64, scaled / units,
                                      (int)decimals, scaled % units);
    return json_decimal(arena, digits);
}

static Json *epoch_json(const EpochRecord *record, Arena *arena)
{
    Json *epoch = json_object(arena);
    json_set(arena, epoch, "epoch", json_integer(arena, record->epoch));
    for (int32_t i = 0; i < EPOCH_MEASURES; i++) {
        const EpochMeasure *measure = &epoch_measures[i];
        json_set(arena, epoch, measure->name,
                 number_json(arena, epoch_measure(record, measure), measure->decimals));
    }
    return epoch;
}

static void set_plan(Json *summary, const TrainingPlan *plan, Arena *arena)
{
    json_set(arena, summary, "network", json_string(arena, plan->net->keras->name));
    json_set(arena, summary, "backend", json_string(arena, plan->backend));
    json_set(arena, summary, "precision", json_string(arena, plan->precision));
    json_set(arena, summary, "ranks", json_integer(arena, plan->ranks));
    json_set(arena, summary, "threads", json_integer(arena, plan->threads));
    json_set(arena, summary, "batch_size", json_integer(arena, plan->batch_size));
    json_set(arena, summary, "seed", json_integer(arena, plan->seed));
    json_set(arena, summary, "data_augmentation", json_boolean(arena, plan->is_augmented));
    json_set(arena, summary, "train_images", json_integer(arena, plan->train_images));
    json_set(arena, summary, "test_images", json_integer(arena, plan->test_images));
    json_set(arena, summary, "steps_per_epoch", json_integer(arena, plan->steps));
}

void training_summary(const Training *training, const char *model, const Score *test, Text *text)
{
    Arena *arena = training->arena;
    Json *summary = json_object(arena);
    set_plan(summary, &training->plan, arena);
    Json *epochs = json_set(arena, summary, "epochs", json_array(arena));
    for (int64_t i = 0; i < training->record_count; i++)
        json_add(epochs, epoch_json(&training->records[i], arena));
    if (training->checkpoint)
        json_set(arena, summary, "checkpoint", json_string(arena, training->checkpoint));
    json_set(arena, summary, "model", json_string(arena, model));
    json_set(arena, summary, "test_loss",
             number_json(arena, test->loss_sum / (double)test->images, 6));
    json_set(arena, summary, "test_accuracy",
             number_json(arena, (double)test->correct / (double)test->images, 6));
    json_print(text, summary, JSON_INDENTED);
}
