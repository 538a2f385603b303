/* The output of `trainyard train --json`. */
#ifndef TRAINER_TRAIN_ANSWER_H
#define TRAINER_TRAIN_ANSWER_H

#include "sim/schema/field.h"
#include "trainer/record/history.h"

typedef struct {
    const char *network, *backend, *precision;
    const char *device; /* NULL: the processor */
    int64_t ranks, threads, batch_size, seed;
    bool is_augmented;
    int64_t train_images, test_images, steps_per_epoch;
    const Json *engines; /* NULL: the backend has none */
    EpochRecord *epochs;
    uint32_t epoch_count;
    const char *checkpoint; /* NULL: none was written */
    const char *model;
    double test_loss, test_accuracy;
    const Json *profile; /* NULL: not asked for */
} TrainAnswer;

extern const ObjectType train_answer_type;

#endif
