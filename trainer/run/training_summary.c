#include "trainer/run/training_summary.h"

#include "trainer/compute/engines_report.h"
#include "trainer/record/fixed.h"

static Json *epoch_json(const EpochRecord *record, Arena *arena)
{
    Json *epoch = json_object(arena);
    json_put_integer(arena, epoch, "epoch", record->epoch);
    for (int32_t i = 0; i < EPOCH_MEASURES; i++) {
        const EpochMeasure *measure = &epoch_measures[i];
        json_set(arena, epoch, measure->name,
                 fixed_json(arena, epoch_measure(record, measure), measure->decimals));
    }
    return epoch;
}

static void set_plan(Json *summary, const TrainingPlan *plan, Arena *arena)
{
    json_put_text(arena, summary, "network", plan->net->keras->name);
    json_put_text(arena, summary, "backend", plan->backend);
    json_put_text(arena, summary, "precision", plan->precision);
    if (plan->device)
        json_put_text(arena, summary, "device", plan->device);
    json_put_integer(arena, summary, "ranks", plan->ranks);
    json_put_integer(arena, summary, "threads", plan->threads);
    json_put_integer(arena, summary, "batch_size", plan->batch_size);
    json_put_integer(arena, summary, "seed", plan->seed);
    json_put_boolean(arena, summary, "data_augmentation", plan->is_augmented);
    json_put_integer(arena, summary, "train_images", plan->train_images);
    json_put_integer(arena, summary, "test_images", plan->test_images);
    json_put_integer(arena, summary, "steps_per_epoch", plan->steps);
}

void training_summary(const Training *training, const char *model, const Score *test, Text *text)
{
    Arena *arena = training->arena;
    Json *summary = json_object(arena);
    set_plan(summary, &training->plan, arena);
    engines_json(training->trainer.backend, training->trainer.model, &training->net, summary,
                 arena);
    Json *epochs = json_put_array(arena, summary, "epochs");
    for (int64_t i = 0; i < training->record_count; i++)
        json_add(epochs, epoch_json(&training->records[i], arena));
    if (training->checkpoint)
        json_put_text(arena, summary, "checkpoint", training->checkpoint);
    json_put_text(arena, summary, "model", model);
    json_set(arena, summary, "test_loss",
             fixed_json(arena, test->loss_sum / (double)test->images, 6));
    json_set(arena, summary, "test_accuracy",
             fixed_json(arena, (double)test->correct / (double)test->images, 6));
    if (training->trainer.profile)
        json_set(arena, summary, "profile", profile_json(training->trainer.profile, arena));
    json_print(text, summary, JSON_INDENTED);
}
