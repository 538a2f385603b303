/* What `trainyard train` takes. */
#ifndef TRAINER_OPTIONS_TRAIN_OPTIONS_H
#define TRAINER_OPTIONS_TRAIN_OPTIONS_H

#include "sim/cli/options.h"

extern const OptionTable train_option_table;

#endif
