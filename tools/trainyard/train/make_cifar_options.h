/* The options of `trainyard make-cifar`. */
#ifndef TRAINER_OPTIONS_MAKE_CIFAR_OPTIONS_H
#define TRAINER_OPTIONS_MAKE_CIFAR_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    int64_t seed;
    int encoding;   /* CifarEncoding */
    int64_t images; /* per file */
    bool may_overwrite;
    bool is_quiet;
} MakeCifarOptions;

extern const OptionTable make_cifar_option_table;
extern const MakeCifarOptions make_cifar_option_defaults;

#endif
