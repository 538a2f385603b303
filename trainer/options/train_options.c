#include "trainer/options/train_options.h"

static const Option options[] = {{0}};

const OptionTable train_option_table = {
    .name = "train",
    .operands = "",
    .summary = "Trains the tutorial's network on CIFAR-10, alone or as one of several ranks.",
    .example = "trainyard train --data-dir cifar10\nmpirun -n 4 trainyard train --data-dir cifar10",
    .options = options,
};
