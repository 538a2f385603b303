#include "tools/trainyard/train/make_cifar_options.h"

enum { IMAGES_MAX = 10000 }; // in each of the published files

static const char *const encodings[] = {"binary", "pickle", NULL};

#define OWNER MakeCifarOptions
static const Field options[] = {
    OPTION_INTEGER('s', "seed", seed, "N", 0, 0, "make the classes and images of seed N (1)"),
    OPTION_CHOICE('e', "encoding", encoding, "binary|pickle", encodings,
                  "write the files for C programs or for Python (binary)"),
    OPTION_INTEGER('n', "images", images, "N", 1, IMAGES_MAX,
                   "write only the first N images of each of the six files (10000)"),
    OPTION_FLAG('f', "force", may_overwrite, "replace an existing set"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing"),
    {0},
};
#undef OWNER

const MakeCifarOptions make_cifar_option_defaults = {.seed = 1, .images = IMAGES_MAX};

const OptionTable make_cifar_option_table = {
    .name = "make-cifar",
    .operands = "FOLDER",
    .summary = "Makes a synthetic set in the format of CIFAR-10, for use without the real one.",
    .details = "The images show coloured, textured blobs of ten classes. The tutorial's network "
               "needs tens of epochs to learn them, as with CIFAR-10. The same seed gives the same "
               "bytes on every machine. The whole set takes 184 MB and a few seconds.",
    .example = "trainyard make-cifar cifar10\n"
               "trainyard make-cifar --encoding pickle --images 500 cifar-10-batches-py",
    .options = options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FOLDERS,
};
