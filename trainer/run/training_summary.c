#include "trainer/run/training_summary.h"

#include "sim/schema/plain.h"
#include "trainer/compute/engines_report.h"
#include "trainer/run/train_answer.h"

void training_summary(const Training *training, const char *model, const Score *test, Text *text)
{
    Arena *arena = training->arena;
    const TrainingPlan *plan = &training->plan;
    const Trainer *trainer = &training->trainer;
    const TrainAnswer answer = {
        .network = plan->net->keras->name,
        .backend = plan->backend,
        .precision = plan->precision,
        .device = plan->device,
        .ranks = plan->ranks,
        .threads = plan->threads,
        .batch_size = plan->batch_size,
        .seed = plan->seed,
        .is_augmented = plan->is_augmented,
        .train_images = plan->train_images,
        .test_images = plan->test_images,
        .steps_per_epoch = plan->steps,
        .engines = engines_json(trainer->backend, trainer->model, &training->net, arena),
        .epochs = training->records,
        .epoch_count = (uint32_t)training->record_count,
        .checkpoint = training->checkpoint,
        .model = model,
        .test_loss = test->loss_sum / (double)test->images,
        .test_accuracy = (double)test->correct / (double)test->images,
        .profile = trainer->profile ? profile_json(trainer->profile, arena) : NULL};
    json_print(text, plain_write(arena, &train_answer_type, &answer), JSON_INDENTED);
}
