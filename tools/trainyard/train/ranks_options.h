/* What `trainyard ranks` takes. */
#ifndef TRAINER_OPTIONS_RANKS_OPTIONS_H
#define TRAINER_OPTIONS_RANKS_OPTIONS_H

#include "sim/cli/options.h"

typedef struct {
    int64_t gpus;          /* 0: not given */
    int64_t ranks_per_gpu; /* 0: not given */
    int64_t ranks;         /* 0: not given */
    int64_t timeout_ns;    /* in which all ranks find each other */
    int64_t grace_ns;      /* between SIGTERM and SIGKILL */
    bool is_tagged;
} RanksOptions;

extern const RanksOptions ranks_option_defaults;
extern const OptionTable ranks_option_table;

#endif
