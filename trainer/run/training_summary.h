/* The JSON summary of a training (`trainyard train --json`). */
#ifndef TRAINER_TRAINING_SUMMARY_H
#define TRAINER_TRAINING_SUMMARY_H

#include "trainer/run/training_open.h"

/* Prints the training as JSON after its end, with its profile if there is one. */
void training_summary(const Training *training, const char *model, const Score *test, Text *json);

#endif
