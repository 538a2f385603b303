/* What `trainyard train` takes: names and defaults of the published Keras and Horovod script where
 * it has them. */
#ifndef TRAINER_OPTIONS_TRAIN_OPTIONS_H
#define TRAINER_OPTIONS_TRAIN_OPTIONS_H

#include "sim/cli/options.h"
#include "trainer/run/training_settings.h"

extern const TrainingSettings train_option_defaults;
extern const OptionTable train_option_table;

#endif
