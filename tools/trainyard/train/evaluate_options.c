#include "tools/trainyard/train/evaluate_options.h"

#include "trainer/compute/backend_words.h"

const EvaluateOptions evaluate_option_defaults = {
    .data_folder = ".",
    .network = "keras_cifar10_cnn",
    .batch_size = 32,
    .threads = 1,
};

static const Option options[] = {
    {.name = "data-dir",
     .kind = OPTION_FOLDER,
     .argument = "DIR",
     .help = "look for the data in DIR, or in its cifar-10-batches-bin or cifar-10-batches-py "
             "(the current folder)",
     .offset = offsetof(EvaluateOptions, data_folder)},
    {.name = "network",
     .kind = OPTION_TEXT,
     .argument = "NAME",
     .help = "MODEL is of the network NAME (keras_cifar10_cnn)",
     .offset = offsetof(EvaluateOptions, network)},
    {.name = "limit",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "use only the first N images of the test set",
     .offset = offsetof(EvaluateOptions, limit),
     .minimum = 1,
     .maximum = INT32_MAX},
    {.name = "predictions",
     .kind = OPTION_FILE,
     .argument = "FILE",
     .help = "write the probabilities of each image to FILE, a line an image",
     .offset = offsetof(EvaluateOptions, predictions)},
    {.name = "batch-size",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "compute N images at once (32)",
     .offset = offsetof(EvaluateOptions, batch_size),
     .minimum = 1,
     .maximum = 65536},
    {.name = "backend",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "who computes (auto)",
     .offset = offsetof(EvaluateOptions, backend),
     .choices = backend_words},
    {.name = "precision",
     .kind = OPTION_CHOICE,
     .argument = "NAME",
     .help = "how exactly (fp32)",
     .offset = offsetof(EvaluateOptions, precision),
     .choices = precision_names},
    {.name = "threads",
     .kind = OPTION_INTEGER,
     .argument = "N",
     .help = "compute with N threads (1)",
     .offset = offsetof(EvaluateOptions, threads),
     .minimum = 1,
     .maximum = 1024},
    {0},
};

const OptionTable evaluate_option_table = {
    .name = "evaluate",
    .operands = "MODEL",
    .summary = "Computes loss and accuracy of a saved model on the test set of CIFAR-10.",
    .details = "MODEL is a checkpoint or saved model of `trainyard train`, or what Keras saved of "
               "the same network, as HDF5. Prints what the Keras script prints, and how fast it "
               "was.",
    .example = "trainyard evaluate --data-dir cifar10 logs/checkpoint-3.h5\n"
               "trainyard evaluate --limit 100 --predictions predictions.tsv model.h5",
    .options = options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FILES,
};
