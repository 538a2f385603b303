/* The options of `trainyard evaluate`. */
#ifndef TRAINER_OPTIONS_EVALUATE_OPTIONS_H
#define TRAINER_OPTIONS_EVALUATE_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    const char *data_folder;
    const char *network;
    const char *predictions; /* NULL: not written */
    int64_t batch_size;
    int64_t limit;          /* images of the test set; 0: all */
    int backend, precision; /* indices into backend_words, precision_names */
    int64_t threads;
} EvaluateOptions;

extern const EvaluateOptions evaluate_option_defaults;
extern const OptionTable evaluate_option_table;

#endif
