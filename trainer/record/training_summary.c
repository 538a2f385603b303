#include "trainer/compute/engines_report.h"
#include "trainer/record/fixed.h"
#include "trainer/run/parts.h"

static Json *epoch_json(const EpochRecord *record, Arena *arena)
{
    Json *epoch = json_object(arena);
    json_set(arena, epoch, "epoch", json_integer(arena, record->epoch));
    for (int32_t i = 0; i < EPOCH_MEASURES; i++) {
        const EpochMeasure *measure = &epoch_measures[i];
        json_set(arena, epoch, measure->name,
                 fixed_json(arena, epoch_measure(record, measure), measure->decimals));
    }
    return epoch;
}

static void set_plan(Json *summary, const TrainingPlan *plan, Arena *arena)
{
    json_set(arena, summary, "network", json_string(arena, plan->net->keras->name));
    json_set(arena, summary, "backend", json_string(arena, plan->backend));
    json_set(arena, summary, "precision", json_string(arena, plan->precision));
    if (plan->device)
        json_set(arena, summary, "device", json_string(arena, plan->device));
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
    engines_json(training->trainer.backend, training->trainer.model, &training->net, summary,
                 arena);
    Json *epochs = json_set(arena, summary, "epochs", json_array(arena));
    for (int64_t i = 0; i < training->record_count; i++)
        json_add(epochs, epoch_json(&training->records[i], arena));
    if (training->checkpoint)
        json_set(arena, summary, "checkpoint", json_string(arena, training->checkpoint));
    json_set(arena, summary, "model", json_string(arena, model));
    json_set(arena, summary, "test_loss",
             fixed_json(arena, test->loss_sum / (double)test->images, 6));
    json_set(arena, summary, "test_accuracy",
             fixed_json(arena, (double)test->correct / (double)test->images, 6));
    if (training->trainer.profile)
        json_set(arena, summary, "profile", profile_json(training->trainer.profile, arena));
    json_print(text, summary, JSON_INDENTED);
}
