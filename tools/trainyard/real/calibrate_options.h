/* The options of `trainyard calibrate`. */
#ifndef TOOLS_TRAINYARD_CALIBRATE_OPTIONS_H
#define TOOLS_TRAINYARD_CALIBRATE_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    bool is_quick;
    const char *output, *from, *more, *check;
    int64_t ranks, rounds;
    int backend; /* of backend_words (trainer/compute/backend_words.h) */
    const char *name;
} CalibrateOptions;

extern const OptionTable calibrate_option_table;

#endif
