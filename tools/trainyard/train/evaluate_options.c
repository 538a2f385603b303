#include "tools/trainyard/train/evaluate_options.h"

#include "trainer/compute/backend_words.h"

const EvaluateOptions evaluate_option_defaults = {
    .data_folder = ".",
    .network = "keras_cifar10_cnn",
    .batch_size = 32,
    .threads = 1,
};

#define OWNER EvaluateOptions
static const Field options[] = {
    OPTION_FOLDER(0, "data-dir", data_folder, "DIR",
                  "look for the data in DIR, or in its cifar-10-batches-bin or cifar-10-batches-py "
                  "(the current folder)"),
    OPTION_TEXT(0, "network", network, "NAME",
                "MODEL belongs to the network NAME (keras_cifar10_cnn)"),
    OPTION_INTEGER(0, "limit", limit, "N", 1, INT32_MAX,
                   "use only the first N images of the test set"),
    OPTION_FILE(0, "predictions", predictions, "FILE",
                "write the probabilities of each image to FILE, one line per image"),
    OPTION_INTEGER(0, "batch-size", batch_size, "N", 1, 65536, "compute N images at once (32)"),
    OPTION_CHOICE(0, "backend", backend, "NAME", backend_words, "compute with backend NAME (auto)"),
    OPTION_CHOICE(0, "precision", precision, "NAME", precision_names,
                  "compute in precision NAME (fp32)"),
    OPTION_INTEGER(0, "threads", threads, "N", 1, 1024, "compute with N threads (1)"),
    {0},
};
#undef OWNER

const OptionTable evaluate_option_table = {
    .name = "evaluate",
    .operands = "MODEL",
    .summary = "Computes loss and accuracy of a saved model on the test set of CIFAR-10.",
    .details = "MODEL is a checkpoint or saved model of `trainyard train`, or a model of the same "
               "network that Keras saved as HDF5. Prints the lines of the Keras script, and the "
               "speed. A signal ends it without a result: --predictions writes its file whole, at "
               "the end.",
    .example = "trainyard evaluate --data-dir cifar10 logs/checkpoint-3.h5\n"
               "trainyard evaluate --data-dir cifar10 --limit 100 --predictions predictions.tsv "
               "saved_models/keras_cifar10_trained_model.h5",
    .options = options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FILES,
};
