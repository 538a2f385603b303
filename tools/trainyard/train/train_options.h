/* The options of `trainyard train`. Options of the published Keras and Horovod script have its
 * names and defaults. */
#ifndef TRAINER_OPTIONS_TRAIN_OPTIONS_H
#define TRAINER_OPTIONS_TRAIN_OPTIONS_H

#include "sim/cli/options.h"
#include "trainer/run/training_settings.h"

extern const TrainingSettings train_option_defaults;
extern const OptionTable train_option_table;

#endif
